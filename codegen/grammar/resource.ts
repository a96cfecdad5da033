import {
  choice,
  count,
  description,
  errors,
  kindOf,
  lifecycle,
  list,
  name,
  object,
  project,
  references,
  schema,
  scopes,
  suppress,
  text,
  title,
} from './parts.ts';
import type { Node } from './parts.ts';

const variables: Node = {
  type: 'object',
  additionalProperties: schema,
  maxProperties: 8,
};

const example = object('One address that works.', ['name', 'variables'], {
  name: text('What the example shows.', 120),
  variables: { type: 'object', description: 'A value for each variable.', additionalProperties: { type: 'string' } },
});

export const resource: Node = object(
  'One resource or resource template of the MCP server.',
  ['kind', 'name', 'title', 'description', 'mime_type', 'project', 'scopes', 'cache'],
  {
    kind: kindOf('resource'),
    ...suppress,
    name,
    title,
    description,
    ...lifecycle,
    uri: text('Fixed address; such a resource is listed.', 512),
    uri_template: text('Address with {variables}; such a resource is a template.', 512),
    mime_type: text('Media type of the content.', 128),
    project,
    scopes,
    cache: object('How long and for whom an answer may be kept.', ['ttl_seconds', 'scope'], {
      ttl_seconds: count('Seconds an answer stays good.', 0, 31_536_000),
      scope: choice('`public` may be shared between credentials.', ['private', 'public']),
    }),
    variables: { ...variables, description: 'One schema per template variable.' },
    query: { ...variables, description: 'Further optional query parameters.' },
    references: references('variable'),
    payload: { ...schema, description: 'Schema of a JSON resource.' },
    text: text('Content of a fixed guidance text.', 100_000),
    errors,
    examples: list('Addresses that the generated tests expand.', example, { maxItems: 16 }),
  },
);
