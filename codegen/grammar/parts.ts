/** Building blocks of the grammar. Every key carries the sentence an editor shows beside it. */
import type { JsonValue } from '../model/types.ts';

export type Node = { readonly [keyword: string]: JsonValue };

export function text(description: string, maxLength: number, more: Node = {}): Node {
  return { type: 'string', minLength: 1, maxLength, description, ...more };
}

export function word(description: string, pattern: string, more: Node = {}): Node {
  return { type: 'string', pattern, description, ...more };
}

export function choice(description: string, values: readonly string[], more: Node = {}): Node {
  return { type: 'string', enum: values, description, ...more };
}

export function flag(description: string): Node {
  return { type: 'boolean', description };
}

export function count(description: string, minimum: number, maximum: number): Node {
  return { type: 'integer', minimum, maximum, description };
}

export function list(description: string, items: Node, more: Node = {}): Node {
  return { type: 'array', description, items, ...more };
}

export function object(description: string, required: readonly string[], properties: Node, more: Node = {}): Node {
  return { type: 'object', description, additionalProperties: false, required, properties, ...more };
}

export const SNAKE = '^[a-z][a-z0-9_]*$';
export const CODE = '^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$';
const DATE = '^\\d{4}-\\d{2}-\\d{2}$';

export const name = word('Name of the entity, equal to the file name.', SNAKE, { maxLength: 64 });
export const title = text('Short name that people see in lists and approval dialogs.', 80);
export const description = text('What it is for: the goal, the important limit, the next step.', 4000);
export const domain = word('Domain from vocabulary/domains.yaml.', SNAKE, { maxLength: 64 });
export const project = choice('Whether a project must be known. `required` lets the compiler add project_id.', [
  'required',
  'none',
]);
export const schema: Node = { $ref: '#/$defs/schema' };
export const errors = list('Error codes beyond the implied ones.', word('Code from vocabulary/errors.yaml.', CODE), {
  maxItems: 64,
});
export const scopes = list(
  'Scopes from vocabulary/scopes.yaml.',
  { type: 'string', maxLength: 128 },
  { minItems: 1, maxItems: 16 },
);
export const names = (what: string): Node =>
  list(what, { type: 'string', pattern: SNAKE, maxLength: 64 }, { maxItems: 32 });
export const day = (what: string): Node => word(what, DATE, { format: 'date' });

export const lifecycle: Node = {
  stability: choice('How far callers may rely on it; stable when absent.', ['draft', 'alpha', 'beta', 'stable']),
  deprecated: object('Announces the end of this entity.', ['since', 'sunset', 'reason'], {
    since: word('Version that announced it.', '^\\d+\\.\\d+\\.\\d+$'),
    sunset: day('Date after which calls answer `tool_retired`.'),
    replacement: text('Name of what to use instead.', 128),
    reason: text('Why it goes away.', 500),
  }),
};

export function kindOf(kind: string): Node {
  return { const: kind, description: 'Kind of this file.' };
}

export function references(subject: 'argument' | 'variable'): Node {
  const item = object('One reference.', [subject, 'entity', 'error'], {
    [subject]: word(`The ${subject} that names the entity.`, SNAKE),
    entity: word('Kind of entity it names.', SNAKE),
    error: word('Code that is answered when the project has no such entity.', CODE),
  });
  return list(`Every ${subject} that names an entity of the project.`, item, { maxItems: 16 });
}

const suppression = object('One finding that is answered.', ['rule', 'reason'], {
  rule: word('Rule that warns here; `lint --rules` lists them.', '^[a-z][a-z0-9-]*$', { maxLength: 64 }),
  reason: text('Why it is right here, in five words or more.', 500),
  until: day('Last day on which the suppression counts.'),
});

/** Every kind of file may answer warnings about itself. */
export const suppress: Node = {
  suppress: list('Warnings about this file that are answered with a reason; an unused one is an error.', suppression, {
    minItems: 1,
    maxItems: 16,
  }),
};
