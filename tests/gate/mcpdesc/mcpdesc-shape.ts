/** The objects of the published MCP Description 0.8.0 schema that our exports use, closed as they are there. */
const text = { type: 'string' };
const flag = { type: 'boolean' };
const name = { type: 'string', minLength: 1 };
const some = (items: object): object => ({ type: 'array', minItems: 1, items });
const closed = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  patternProperties: { '^x-': true },
  additionalProperties: false,
});
const revisions = {
  ...some({ enum: ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] }),
  uniqueItems: true,
};
const common = { protocolVersions: revisions, title: text, description: text, deprecated: flag, name };
const annotations = {
  type: 'object',
  properties: {
    audience: { type: 'array', items: { enum: ['user', 'assistant'] } },
    priority: { type: 'number', minimum: 0, maximum: 1 },
  },
};
const hints = {
  type: 'object',
  properties: { readOnlyHint: flag, destructiveHint: flag, idempotentHint: flag, openWorldHint: flag, title: text },
};

export const MCPDESC_SHAPE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...closed(
    {
      $schema: text,
      mcpdesc: { const: '0.8.0' },
      info: closed({ name, title: text, description: text, version: name }, ['name', 'version']),
      protocolVersions: revisions,
      instructions: text,
      transports: some(
        closed({ type: { const: 'streamable-http' }, url: { type: 'string', format: 'uri' } }, ['type', 'url']),
      ),
      capabilities: some({
        type: 'object',
        properties: {
          tools: closed({ listChanged: flag }),
          resources: closed({ subscribe: flag, listChanged: flag }),
          prompts: closed({ listChanged: flag }),
        },
      }),
      tools: some(
        closed(
          {
            ...common,
            inputSchema: { type: 'object', required: ['type'], properties: { type: { const: 'object' } } },
            outputSchema: { type: 'object' },
            annotations: hints,
          },
          ['name', 'inputSchema'],
        ),
      ),
      resources: some(
        closed({ ...common, uri: text, mimeType: text, size: { type: 'number' }, annotations }, ['uri', 'name']),
      ),
      resourceTemplates: some(
        closed({ ...common, uriTemplate: text, mimeType: text, annotations }, ['uriTemplate', 'name']),
      ),
      prompts: some(
        closed(
          {
            ...common,
            arguments: some(closed({ name: text, title: text, description: text, required: flag }, ['name'])),
          },
          ['name'],
        ),
      ),
    },
    ['mcpdesc', 'info', 'protocolVersions'],
  ),
};
