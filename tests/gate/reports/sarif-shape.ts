/**
 * The parts of the published SARIF 2.1.0 schema that our reports use, with its closed objects and enumerations.
 * Anything a report adds that the format does not know fails here.
 */
const text = { type: 'string' };
const bag = { type: 'object', properties: { tags: { type: 'array', uniqueItems: true, items: text } } };
const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  additionalProperties: false,
  properties: { properties: bag, ...properties },
  required,
});
const message = object({ text, markdown: text, id: text, arguments: { type: 'array', items: text } });
const multiformat = object({ text, markdown: text }, ['text']);
const index = { type: 'integer', minimum: -1 };

const location = object({
  id: index,
  physicalLocation: object({
    artifactLocation: object({ uri: { type: 'string', format: 'uri-reference' }, uriBaseId: text, index }),
    region: object({
      startLine: { type: 'integer', minimum: 1 },
      startColumn: { type: 'integer', minimum: 1 },
      endLine: { type: 'integer', minimum: 1 },
      endColumn: { type: 'integer', minimum: 1 },
    }),
  }),
  logicalLocations: {
    type: 'array',
    uniqueItems: true,
    items: object({ name: text, index, fullyQualifiedName: text, decoratedName: text, parentIndex: index, kind: text }),
  },
  message,
});

const result = object(
  {
    ruleId: text,
    ruleIndex: index,
    kind: { enum: ['notApplicable', 'pass', 'fail', 'review', 'open', 'informational'] },
    level: { enum: ['none', 'note', 'warning', 'error'] },
    message,
    locations: { type: 'array', items: location },
    partialFingerprints: { type: 'object', additionalProperties: text },
    suppressions: {
      type: 'array',
      uniqueItems: true,
      items: object(
        {
          kind: { enum: ['inSource', 'external'] },
          status: { enum: ['accepted', 'underReview', 'rejected'] },
          justification: text,
        },
        ['kind'],
      ),
    },
  },
  ['message'],
);

const rule = object(
  {
    id: text,
    name: text,
    shortDescription: multiformat,
    fullDescription: multiformat,
    help: multiformat,
    helpUri: { type: 'string', format: 'uri' },
  },
  ['id'],
);

export const SARIF_SHAPE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object(
    {
      $schema: { type: 'string', format: 'uri' },
      version: { enum: ['2.1.0'] },
      runs: {
        type: 'array',
        items: object(
          {
            tool: object(
              {
                driver: object(
                  { name: text, version: text, rules: { type: 'array', uniqueItems: true, items: rule } },
                  ['name'],
                ),
              },
              ['driver'],
            ),
            columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
            results: { type: 'array', items: result },
          },
          ['tool'],
        ),
      },
    },
    ['version', 'runs'],
  ),
};
