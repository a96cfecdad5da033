import { schemaRules, type Rule } from './rule.ts';
import { OBJECT_ROWS } from './schema-objects.ts';
import { STRUCTURE_ROWS } from './schema-structure.ts';
import { VALUE_ROWS } from './schema-values.ts';

/** Rules about schemas: each change once as an input (`in-…`) and once as an output (`out-…`). */
export const SCHEMA_RULES: readonly Rule[] = schemaRules([...OBJECT_ROWS, ...VALUE_ROWS, ...STRUCTURE_ROWS]);
