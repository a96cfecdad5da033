import { choice, count, flag, schema, text, word } from './parts.ts';
import type { Node } from './parts.ts';
import { FORMATS } from './formats.ts';

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
const HEADER_TOKEN = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";

function map(description: string, more: Node = {}): Node {
  return { type: 'object', description, additionalProperties: schema, ...more };
}

function branches(description: string): Node {
  return { type: 'array', minItems: 1, maxItems: 64, description, items: schema };
}

function sub(description: string): Node {
  return { ...schema, description };
}

function number(description: string): Node {
  return { type: 'number', description };
}

const size = (description: string): Node => count(description, 0, 2_147_483_647);
const words = (description: string): Node => ({
  type: 'array',
  description,
  uniqueItems: true,
  items: { type: 'string' },
});

const structure: Node = {
  type: {
    description: 'JSON type of the value.',
    if: { type: 'array' },
    // oxlint-disable-next-line unicorn/no-thenable -- the JSON Schema keyword
    then: { minItems: 1, uniqueItems: true, items: { type: 'string', enum: TYPES } },
    else: { type: 'string', enum: TYPES },
  },
  $ref: text('`model:<name>` for a shared model, `#/$defs/<Name>` for a definition of this body.', 256),
  $defs: map('Definitions of this body, at its root only.', {
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' },
  }),
  $schema: { type: 'string', description: 'Only https://json-schema.org/draft/2020-12/schema.' },
  $comment: text('Note for authors, never published.', 2000),
  title: text('Name for people.', 120),
  description: text('What the value means, with its unit and bounds.', 4000),
  default: { description: 'Value used when the member is left out. It is filled in before a handler runs.' },
  examples: { type: 'array', maxItems: 16, description: 'Values that show the shape; they must validate.' },
  deprecated: flag('Whether callers should stop using this member.'),
};

const assertions: Node = {
  enum: { type: 'array', minItems: 1, maxItems: 512, uniqueItems: true, description: 'The allowed values.' },
  const: { description: 'The one allowed value.' },
  minLength: size('Fewest characters (code points).'),
  maxLength: size('Most characters (code points).'),
  pattern: text('Regular expression the text must match: anchored and linear.', 1024),
  format: choice('Named text format.', Object.keys(FORMATS)),
  minimum: number('Smallest value.'),
  maximum: number('Largest value.'),
  exclusiveMinimum: number('Values are greater than this.'),
  exclusiveMaximum: number('Values are less than this.'),
  multipleOf: { type: 'number', exclusiveMinimum: 0, description: 'The value is a multiple of this.' },
  minItems: size('Fewest items.'),
  maxItems: size('Most items.'),
  uniqueItems: flag('Whether an item may stand only once.'),
  minContains: size('Fewest items that match `contains`.'),
  maxContains: size('Most items that match `contains`.'),
  minProperties: size('Fewest members.'),
  maxProperties: size('Most members.'),
  required: words('Members that must be present.'),
  dependentRequired: {
    type: 'object',
    description: 'Members needed beside a member.',
    additionalProperties: words('Needed members.'),
  },
};

const applicators: Node = {
  properties: map('Members of the object.'),
  patternProperties: map('Members whose names match a pattern.'),
  additionalProperties: sub('Schema of all other members. The compiler closes objects by itself.'),
  unevaluatedProperties: sub('Schema of members no composed schema has looked at.'),
  propertyNames: sub('Schema of the member names.'),
  dependentSchemas: map('Schemas that apply when a member is present.'),
  items: sub('Schema of every item after the prefix.'),
  prefixItems: branches('Schemas of the first items, by position.'),
  unevaluatedItems: sub('Schema of items no composed schema has looked at.'),
  contains: sub('At least one item matches this.'),
  allOf: branches('All of these hold.'),
  anyOf: branches('At least one of these holds.'),
  oneOf: branches('Exactly one of these holds.'),
  not: sub('This does not hold.'),
  if: sub('Condition for `then` and `else`.'),
  // oxlint-disable-next-line unicorn/no-thenable -- the JSON Schema keyword
  then: sub('Holds when `if` holds.'),
  else: sub('Holds when `if` does not hold.'),
};

const ours: Node = {
  open: text('Why this object is free-form; without it the compiler closes the object.', 300),
  extensible: flag('Whether this enum is expected to grow.'),
  unit: word('Unit of the number, such as seconds or usd.', '^[a-zA-Z%][a-zA-Z0-9_/%-]{0,31}$'),
  id_kind: choice('What kind of identifier this is.', ['uuid', 'slug', 'name', 'hex', 'opaque', 'reference']),
  sensitive: flag('Whether the value must stay out of texts and logs.'),
  completion: word('Name of the completion the server offers for this value.', '^[a-z][a-z0-9_]*$', { maxLength: 64 }),
  'x-mcp-header': word('HTTP header suffix that mirrors this argument.', HEADER_TOKEN, { maxLength: 64 }),
};

/** Keywords of ours that never leave the compiler. */
export const GRAMMAR_KEYWORDS: readonly string[] = ['open', 'extensible', 'unit', 'id_kind', 'sensitive', 'completion'];

type Holding = 'one' | 'list' | 'map';

function holding(kind: Holding, keywords: string): [string, Holding][] {
  return keywords.split(' ').map((keyword) => [keyword, kind]);
}

/** Keywords that hold a schema, a list of schemas, or a map of schemas. */
export const SUBSCHEMAS: ReadonlyMap<string, Holding> = new Map([
  ...holding(
    'one',
    'additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains not if then else',
  ),
  ...holding('list', 'prefixItems allOf anyOf oneOf'),
  ...holding('map', 'properties patternProperties dependentSchemas $defs'),
]);

/** The grammar of a schema body: JSON Schema 2020-12 without what cannot be kept, and our own keywords. */
export const schemaBody: Node = {
  description: 'A JSON Schema 2020-12, or true or false.',
  type: ['object', 'boolean'],
  additionalProperties: false,
  properties: { ...structure, ...assertions, ...applicators, ...ours },
};
