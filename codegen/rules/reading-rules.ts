/** Rules that are checked while files are read, before there is a model. All of them block. */
import type { Rule } from './rule.ts';

export const READING_RULES: readonly Pick<Rule, 'id' | 'level' | 'sentence'>[] = Object.entries({
  grammar: 'Every key and value of a file is one that the grammar of its kind knows.',
  'tree-layout': 'Every file stands where its kind stands.',
  'kind-matches-folder': 'The kind a file names is the kind of its folder.',
  'file-matches-name': 'The name inside a file is the name of the file.',
  'domain-matches-folder': 'The folder of a file is a domain of the vocabulary.',
  'in-duplicate-key': 'A map has each key once, and words that YAML reads as something else are quoted.',
  'hint-explicit': 'All four hints of a tool are written down.',
  'out-required': 'Every tool declares its output.',
  'instructions-length': 'The server instructions fit what clients keep of them.',
  'schema-type': 'A schema names a type that JSON Schema has.',
  'schema-required': 'A required member is one that the schema declares.',
  'schema-keyword': 'A keyword of a schema is one the compiler can keep in type and validator alike.',
  'schema-dialect': 'A schema is written in the 2020-12 dialect.',
  'schema-number': 'A number in a schema is one that JSON carries exactly.',
  'schema-is-exact': 'A schema means the same to the type and to the validator.',
  'in-format-allowlist': 'A format is one of the portable ones.',
  'in-ref-remote': 'A reference stays inside the contract folder.',
  'ref-unknown': 'A reference leads to a model or definition that exists.',
  'names-are-unique': 'No two entities share a name, or generate the same type name.',
  'input-is-portable': 'An input can be published without refusing what the server accepts.',
}).map(([id, sentence]) => ({ id, level: 'error' as const, sentence }));
