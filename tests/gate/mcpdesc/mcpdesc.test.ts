import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse, stringify } from 'yaml';
import { inProject, run, writeTree } from '../../codegen/support-back/command.ts';
import { realTree } from '../support/trees.ts';
import { MCPDESC_SHAPE } from './mcpdesc-shape.ts';

/** An invented library, with what the format has: scopes by revision, components and matters beside the surface. */
const LIBRARY = {
  $schema: 'https://mcpdesc.org/schema/mcp-description/0.8.0.json',
  mcpdesc: '0.8.0',
  info: { name: 'library', title: 'Library', version: '3.0.0', license: { name: 'MIT' } },
  protocolVersions: ['2025-11-25', '2026-07-28'],
  instructions: 'Search first.',
  capabilities: [
    { protocolVersions: ['2025-11-25'], tools: { listChanged: true }, resources: {} },
    { protocolVersions: ['2026-07-28'], tools: {}, resources: {}, extensions: { 'io.example/loans': {} } },
  ],
  components: {
    schemas: {
      query: { type: 'object', properties: { title: { type: 'string', maxLength: 80 } }, required: ['title'] },
      alias: { $componentRef: '#/components/schemas/query' },
    },
  },
  tags: [{ name: 'reading' }],
  tools: [
    {
      name: 'find_book',
      tags: ['reading'],
      inputSchema: { $componentRef: '#/components/schemas/alias' },
      annotations: { readOnlyHint: true },
    },
    { name: 'lend_book', protocolVersions: ['2026-07-28'], inputSchema: { type: 'object' }, 'x-desk': true },
  ],
  resourceTemplates: [{ uriTemplate: 'book://{isbn}', name: 'book', mimeType: 'application/json' }],
  prompts: [{ name: 'recommend', arguments: [{ name: 'mood', required: true }] }],
};

function check(text: string): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(MCPDESC_SHAPE);
  assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors, null, 2));
}

describe('MCP Description', () => {
  it('imports a document with one view for each revision it scopes things to', async () => {
    await inProject(async (folder) => {
      for (const [file, text] of [
        ['library.json', JSON.stringify(LIBRARY)],
        ['library.yaml', stringify(LIBRARY)],
      ] as const) {
        writeFileSync(join(folder, file), text);
        const { code, out, err } = await run(folder, 'import', file);
        assert.equal(code, 0, err);
        const { surface } = JSON.parse(out);
        assert.deepEqual(surface.tools.find_book.input, LIBRARY.components.schemas.query);
        assert.deepEqual(
          surface.views.map(({ revision, tools }: { revision: string; tools: string[] }) => [revision, tools]),
          [
            ['2025-11-25', ['find_book']],
            ['2026-07-28', ['find_book', 'lend_book']],
          ],
        );
        assert.deepEqual(surface.server.extensions, ['io.example/loans']);
        assert.deepEqual(surface.prompts.recommend.arguments[0].required, true);
      }
    });
  });

  it('says where a document is not what the format says', async () => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [{ ...LIBRARY, mcpdesc: '0.7.0' }, /\/mcpdesc is "0\.7\.0"; only 0\.8\.0 is read/u],
      [{ ...LIBRARY, protocolVersions: ['1999-01-01'] }, /\/protocolVersions holds "1999-01-01"/u],
      [{ ...LIBRARY, protocolVersions: ['2025-11-25'] }, /holds 2026-07-28, which the document does not declare/u],
      [{ ...LIBRARY, tool: [] }, /\/tool is not known to the format/u],
      [{ ...LIBRARY, tools: [] }, /\/tools must be a list with members/u],
      [{ ...LIBRARY, tools: [{ name: 'a' }] }, /\/tools\/0 lacks inputSchema/u],
      [
        { ...LIBRARY, tools: [{ name: 'a', inputSchema: { type: 'string' } }] },
        /\/tools\/0\/inputSchema must have the type object/u,
      ],
      [
        { ...LIBRARY, tools: [LIBRARY.tools[0], LIBRARY.tools[0]] },
        /declares the tool in 2025-11-25 "find_book" twice/u,
      ],
      [{ ...LIBRARY, components: {} }, /refers to alias, which is no schema component/u],
      [
        { ...LIBRARY, components: { schemas: { alias: { $componentRef: '#/components/schemas/alias' } } } },
        /refers to no schema component/u,
      ],
      [
        { ...LIBRARY, prompts: [{ name: 'p', arguments: [{ required: true }] }] },
        /\/prompts\/0\/arguments\/0 needs a text in name/u,
      ],
    ];
    await inProject(async (folder) => {
      for (const [document, sentence] of cases) {
        writeFileSync(join(folder, 'bad.json'), JSON.stringify(document));
        const { code, err } = await run(folder, 'import', 'bad.json');
        assert.equal(code, 2, err);
        assert.match(err, sentence);
      }
    });
  });

  it('exports every grant of the real contracts in the shape of the published schema', async () => {
    await inProject(async (folder) => {
      for (const grant of ['account/read', 'account/read_write', 'project/read', 'project/read_write']) {
        const { code, out, err } = await run(folder, 'export', '--grant', grant, '--url', 'https://host.example/mcp');
        assert.equal(code, 0, err);
        check(out);
        const { tools, protocolVersions } = JSON.parse(out);
        assert.deepEqual(protocolVersions, ['2025-06-18', '2025-11-25', '2026-07-28']);
        const needsProject = tools.some(
          ({ inputSchema }: { inputSchema: { properties: object } }) => 'project_id' in inputSchema.properties,
        );
        assert.equal(needsProject, grant.startsWith('account/'));
      }
      const unknown = await run(folder, 'export', '--grant', 'nobody');
      assert.deepEqual([unknown.code, /No grant is called nobody/u.test(unknown.err)], [2, true]);
    }, realTree());
  });

  it('brings back what it exported: no finding against the contracts or the document itself', async () => {
    await inProject(async (folder) => {
      assert.equal((await run(folder, 'export', '--yaml', '--out', 'd.yaml')).code, 0);
      assert.equal((await run(folder, 'import', 'd.yaml', '--out', 'imported.json')).code, 0);
      const { findings } = JSON.parse((await run(folder, 'diff', '--format', 'json', 'imported.json')).out);
      assert.deepEqual(findings, []);
      assert.equal((await run(folder, 'export', './imported.json', '--out', 'again.json')).code, 0);
      const first = parse(readFileSync(join(folder, 'd.yaml'), 'utf8'));
      assert.deepEqual(JSON.parse(readFileSync(join(folder, 'again.json'), 'utf8')), first);
    }, realTree());
  });

  it('quotes dates in YAML, so that no reader takes a revision for a day', async () => {
    await inProject(async (folder) => {
      writeTree(folder, new Map());
      const { out } = await run(folder, 'export', '--yaml');
      assert.match(out, /^protocolVersions:\n {2}- "2025-06-18"$/mu);
    });
  });
});
