import { nearest } from '../load/did-you-mean.ts';
import type { ContractModel, EndpointSpec, JsonPath, PageSpec } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';

function on(one: EndpointSpec | PageSpec, path: JsonPath, message: string, remedy?: string): Finding {
  return {
    source: one.source,
    path,
    entity: `${one.kind} ${one.name}`,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const MIN_REASON = 10;

/** What covers a capability over MCP must exist; what is not covered says why. */
function* impactFindings(model: ContractModel, one: EndpointSpec | PageSpec): Generator<Finding> {
  const known: Readonly<Record<string, readonly string[]>> = {
    tool: model.tools.map(({ name }) => name),
    resource: model.resources.map(({ name }) => name),
    prompt: model.prompts.map(({ name }) => name),
  };
  const { class: group, reason, covers } = one.mcpImpact;
  if (group === 'mcp_ready' && covers.length === 0)
    yield on(
      one,
      ['mcp_impact'],
      'Nothing is named that offers this over MCP.',
      'Name a `tool`, `resource` or `prompt`.',
    );
  if (group !== 'mcp_ready' && (reason === undefined || reason.length < MIN_REASON))
    yield on(one, ['mcp_impact'], `The class \`${group}\` needs a concrete reason.`, 'Add `reason`.');
  for (const cover of covers) {
    const [kind = '', name = ''] = cover.split(' ');
    if (known[kind]?.includes(name) !== false) continue;
    const near = nearest(name, known[kind]);
    yield on(
      one,
      ['mcp_impact', kind],
      `There is no ${kind} \`${name}\`.`,
      near === undefined ? `Name a ${kind} of this contract.` : `Did you mean \`${near}\`?`,
    );
  }
}

const impact: Rule = {
  id: 'endpoint-needs-mcp-impact',
  level: 'error',
  sentence: 'Every endpoint names what covers it over MCP, or the reason why nothing does.',
  *check(model) {
    for (const endpoint of model.endpoints) yield* impactFindings(model, endpoint);
  },
};

const pageImpact: Rule = {
  id: 'page-needs-mcp-impact',
  level: 'error',
  sentence: 'Every page names what covers it over MCP, or the reason why nothing does.',
  *check(model) {
    for (const page of model.pages) yield* impactFindings(model, page);
  },
};

const pagePaths: Rule = {
  id: 'page-path',
  level: 'error',
  sentence: 'No two pages, and no page and GET endpoint, stand at the same path.',
  *check({ pages, endpoints }) {
    const seen = new Map(
      endpoints.filter(({ method }) => method === 'GET').map(({ path, name }) => [patternOf(path), `endpoint ${name}`]),
    );
    for (const page of pages) {
      const other = seen.get(patternOf(page.path));
      if (other !== undefined) yield on(page, ['path'], `The path belongs to ${other} already.`, 'Change one of them.');
      seen.set(patternOf(page.path), `page ${page.name}`);
    }
  },
};

function patternOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/gu, '{}');
}

const access: Rule = {
  id: 'endpoint-access',
  level: 'error',
  sentence: 'An endpoint with a credential says which permission it needs; one without has none.',
  *check({ endpoints }) {
    for (const endpoint of endpoints) {
      const { auth, permission, method } = endpoint;
      if (auth !== 'none' && permission === undefined)
        yield on(endpoint, ['auth'], 'The endpoint takes a credential and names no permission.', 'Add `permission`.');
      if (auth === 'none' && permission !== undefined)
        yield on(endpoint, ['permission'], 'Without a credential there is no permission to check.', 'Remove it.');
      if (permission === 'read' && method !== 'GET' && method !== 'POST')
        yield on(endpoint, ['permission'], `${method} changes something and asks for read.`, 'Write write.');
    }
  },
};

const paths: Rule = {
  id: 'endpoint-path',
  level: 'error',
  sentence: 'Path parameters are declared one to one, and no two endpoints answer the same request.',
  *check({ endpoints }) {
    const seen = new Map<string, string>();
    for (const endpoint of endpoints) {
      const inPath = [...endpoint.path.matchAll(/\{([a-z][a-z0-9_]*)\}/gu)].map(([, name = '']) => name);
      const declared = endpoint.parameters.filter((one) => one.in === 'path').map(({ name }) => name);
      for (const name of inPath)
        if (!declared.includes(name))
          yield on(endpoint, ['path'], `\`{${name}}\` has no parameter.`, 'Declare it under `parameters`.');
      for (const name of declared)
        if (!inPath.includes(name))
          yield on(
            endpoint,
            ['parameters', name],
            `\`${name}\` does not stand in the path.`,
            'Correct `in`, or the path.',
          );
      const key = `${endpoint.method} ${patternOf(endpoint.path)}`;
      const other = seen.get(key);
      if (other !== undefined)
        yield on(endpoint, ['path'], `\`${other}\` answers the same request.`, 'Change one of them.');
      seen.set(key, endpoint.name);
    }
  },
};

export const endpointRules: readonly Rule[] = [impact, access, paths, pageImpact, pagePaths];
