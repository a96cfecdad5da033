import assert from 'node:assert/strict';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { GRAMMAR_KEYWORDS } from '../../../codegen/grammar/schema-body.ts';
import { bundleDefs } from '../../../codegen/model/bundle.ts';
import type { ContractModel } from '../../../codegen/model/types.ts';
import { schemaRoots } from '../../../codegen/rules/walk.ts';
import { baseTree, lint, lintFolder } from '../support/contract-tree.ts';

const SCHEMAS = new URL('../../../schemas/', import.meta.url).pathname;

/** Schemas that a strict validator of the same dialect refuses to compile. */
function refused(model: ContractModel): string[] {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: true, allowUnionTypes: true });
  addFormats.default(ajv);
  ajv.addVocabulary([...GRAMMAR_KEYWORDS, 'x-mcp-header']);
  const $defs = bundleDefs(model);
  return schemaRoots(model).flatMap(({ entity, path, schema }) => {
    try {
      ajv.compile(typeof schema === 'boolean' ? schema : { ...schema, $defs });
      return [];
    } catch (error) {
      return [`${entity} ${path.join('/')}: ${error instanceof Error ? error.message : 'refused'}`];
    }
  });
}

describe('schemas that pass the rules', () => {
  it('compile in a strict validator, in the base tree', async () => {
    const { model } = await lint(baseTree());
    assert.ok(model !== undefined && schemaRoots(model).length > 20);
    assert.deepEqual(refused(model), []);
  });

  it('compile in a strict validator, in the contracts of this repository', async () => {
    const { model, lines } = await lintFolder(SCHEMAS);
    assert.ok(model !== undefined, lines.join('\n'));
    assert.deepEqual(refused(model), []);
  });
});
