import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { catalog } from '../../generated/catalog/index.ts';
import type { CatalogContract } from '../../src/mcp/contract.ts';
import { isObject } from '../../src/mcp/protocol.ts';

const contract: CatalogContract = catalog;

/** Every schema inside a schema, with its place. */
function* walk(schema: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (Array.isArray(schema)) for (const [index, item] of schema.entries()) yield* walk(item, `${path}/${index}`);
  if (!isObject(schema)) return;
  yield [path, schema];
  for (const [key, value] of Object.entries(schema)) yield* walk(value, `${path}/${key}`);
}

describe('published schemas of the product', () => {
  it('are self-contained objects with portable names', () => {
    for (const tool of contract.tools) {
      assert.match(tool.name, /^[a-z][a-z0-9_]{0,47}$/);
      for (const schema of [
        tool.inputSchema.account,
        tool.inputSchema.project,
        tool.outputSchema.compact,
        tool.outputSchema.full,
      ]) {
        assert.equal(schema['type'], 'object', tool.name);
        assert.ok(isObject(schema['properties']), tool.name);
        for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref'])
          assert.ok(!(keyword in schema), `${tool.name} ${keyword}`);
        for (const [path, part] of walk(schema)) {
          for (const keyword of ['$ref', '$defs', '$schema', '$id'])
            assert.ok(!(keyword in part) || path.endsWith('/properties'), `${tool.name}${path} ${keyword}`);
          if ('type' in part && !path.endsWith('/properties'))
            assert.equal(typeof part['type'], 'string', `${tool.name}${path}`);
        }
      }
    }
  });

  it('compile, and differ between account and project keys by project_id alone', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const tool of contract.tools) {
      for (const schema of [tool.inputSchema.account, tool.outputSchema.compact]) ajv.compile({ ...schema });
      const { account, project } = tool.inputSchema;
      const names = (schema: typeof account): string[] =>
        isObject(schema['properties']) ? Object.keys(schema['properties']) : [];
      const extra = names(account).filter((name) => !names(project).includes(name));
      assert.deepEqual(extra, tool.context === 'project' ? ['project_id'] : [], tool.name);
    }
  });
});
