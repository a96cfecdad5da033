// Who may import whom. The floors are folders; the domain ladder is read from the contract vocabulary.
const { readFileSync } = require('node:fs');
const { parse } = require('yaml');

const ladder = parse(readFileSync('schemas/vocabulary/domains.yaml', 'utf8')).domains.map(({ name }) => name);
// Two pairs stand on one rung each: neither may use the other.
const rungs = { jobs: 1, integrations: 1, optimiser: 2, training: 2 };

const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|codegen|generated|tests|skills)/', pathNot: [from, ...allowed] },
});
const packagesOnly = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: {
    dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer'],
    pathNot: allowed.map((p) => `node_modules/${p}/`),
  },
});
const ladderRules = ladder.map((domain, index) => {
  const below = ladder.filter((other, at) => at < index && !(rungs[other] && rungs[other] === rungs[domain]));
  return {
    name: `ladder-${domain}`,
    comment: 'A domain uses only those before it, through their index.ts.',
    severity: 'error',
    from: { path: `^src/domain/${domain}/` },
    to: {
      path: '^src/domain/',
      pathNot: [`^src/domain/${domain}/`, ...below.map((d) => `^src/domain/${d}/index\\.ts$`)],
    },
  };
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('generated-stands-alone', '^generated/(?!tests/)', [], 'Generated code imports nothing hand-written.'),
    only('codegen-is-pure', '^codegen/', [], 'The compiler knows neither the server nor what it made.'),
    only('kernel-is-ground', '^src/kernel/', []),
    only('db', '^src/db/', ['^src/kernel/']),
    only('domain', '^src/domain/', ['^src/kernel/', '^src/db/']),
    only('providers', '^src/providers/', ['^src/kernel/', '^src/domain/']),
    only('context', '^src/context/', ['^src/kernel/', '^src/domain/']),
    only('presenters', '^src/presenters/', [
      '^src/kernel/',
      '^src/domain/',
      '^generated/(contracts|catalog/resource-uris)',
    ]),
    only('adapters', '^src/adapters/', [
      '^src/kernel/',
      '^src/context/',
      '^src/domain/',
      '^src/presenters/',
      '^generated/contracts/',
    ]),
    only('readers', '^src/readers/', [
      '^src/kernel/',
      '^src/context/',
      '^src/domain/',
      '^src/presenters/',
      '^generated/contracts/',
    ]),
    only('http', '^src/http/', ['^src/kernel/']),
    only('auth', '^src/auth/', ['^src/kernel/', '^src/context/', '^src/http/', '^src/domain/(identity|projects)/']),
    only(
      'runtime-knows-no-domain',
      '^src/mcp/',
      ['^src/kernel/', '^src/http/'],
      'Other projects import the runtime as a library.',
    ),
    only(
      'runtime-door',
      '^src/runtime/',
      ['^src/kernel/', '^src/http/', '^src/mcp/'],
      'What other projects get holds nothing of this product.',
    ),
    only('oauth', '^src/oauth/', [
      '^src/kernel/',
      '^src/context/',
      '^src/http/',
      '^src/auth/',
      '^src/domain/identity/',
      '^generated/rest/',
    ]),
    only('rest', '^src/rest/', [
      '^src/kernel/',
      '^src/context/',
      '^src/http/',
      '^src/auth/',
      '^src/domain/',
      '^src/providers/otlp/',
      '^src/presenters/',
      '^generated/',
    ]),
    only(
      'console',
      '^src/console/',
      [
        '^src/kernel/',
        '^src/context/',
        '^src/http/',
        '^src/auth/',
        '^src/domain/',
        '^src/presenters/',
        '^generated/',
        '^src/oauth/consent-port\\.ts$',
      ],
      'Pages use the services; they neither call adapters nor speak MCP.',
    ),
    packagesOnly('console-packages', '^src/console/', ['koa', '@types/koa', 'handlebars']),
    only('workers', '^src/workers/', ['^src/kernel/', '^src/db/', '^src/domain/', '^generated/contracts/']),
    only('cli', '^src/cli/', ['^src/kernel/', '^generated/(client|contracts)/']),
    {
      name: 'domain-doors',
      severity: 'error',
      comment: 'Outside its folder a domain is used through index.ts.',
      from: { path: '^src/', pathNot: '^src/(domain/|providers/dataset-engine/(measure|write)-tasks\\.ts$)' },
      to: { path: '^src/domain/[^/]+/', pathNot: '^src/domain/[^/]+/index\\.ts$' },
    },
    {
      name: 'engine-process-is-light',
      severity: 'error',
      comment: 'The engine process judges rows by the rules of the domain and loads nothing else of it.',
      from: { path: '^src/providers/dataset-engine/(measure|write)-tasks\\.ts$' },
      to: { path: '^src/domain/', pathNot: '^src/domain/datasets/(conversation-tally|row-content|row-facts)\\.ts$' },
    },
    ...ladderRules,
    packagesOnly('kernel-needs-no-package', '^src/kernel/', []),
    packagesOnly('domain-packages', '^src/domain/', ['knex']),
    packagesOnly('surface-packages', '^src/(context|presenters|adapters|readers|auth)/', ['koa', '@types/koa']),
    packagesOnly('codegen-packages', '^codegen/', [
      'yaml',
      'ajv',
      'ajv-formats',
      'json-schema-to-typescript',
      'handlebars',
      'commander',
      'gpt-tokenizer',
      'vscode-languageserver',
      'recheck',
      'refa',
      '@eslint-community/regexpp',
    ]),
    {
      name: 'sql-stays-in-repositories',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/db/', '-(repository|read-model)\\.ts$', '^src/workers/', '^src/app/'] },
      to: { path: 'node_modules/(knex|pg)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'oauth-library-stays-in-oauth',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/oauth/' },
      to: { path: 'node_modules/(oidc-provider|@types/oidc-provider)/' },
    },
    {
      name: 'sdk-stays-in-mcp',
      severity: 'error',
      from: { path: '^(src|codegen|generated)/', pathNot: '^src/mcp/(legs/|route\\.ts)' },
      to: { path: 'node_modules/@modelcontextprotocol/' },
    },
    {
      name: 'koa-stays-at-the-edge',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/(http|auth|rest|console|oauth|app|runtime)/', '^src/mcp/(route|create-mcp)\\.ts$'],
      },
      to: { path: 'node_modules/(koa|@types/koa)/', dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
