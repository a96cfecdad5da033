/**
 * The work that every server of the benchmark does: one tool with a realistic input and a page of rows as output,
 * one tool with almost nothing, and as many bystanders as the catalogue is long.
 */
type Schema = Readonly<Record<string, unknown>>;

export interface BenchTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly: boolean;
  readonly input: Schema;
  readonly output: Schema;
}

const text = (description: string, maxLength: number, more: Schema = {}): Schema => ({
  type: 'string',
  maxLength,
  description,
  ...more,
});
const whole = (description: string, minimum: number, maximum: number, more: Schema = {}): Schema => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  ...more,
});
const closed = (
  required: readonly string[],
  properties: Readonly<Record<string, Schema>>,
  more: Schema = {},
): Schema => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
  ...more,
});

const LIFE = {
  type: 'string',
  enum: ['draft', 'live', 'paused', 'ended'],
  description: 'Where the record stands in its life.',
};

const record = closed(['id', 'code', 'label', 'life', 'weight', 'keeper', 'changed_at'], {
  id: text('Record id.', 40),
  code: text('Short unique code.', 80),
  label: text('Label shown to people.', 200),
  life: LIFE,
  weight: whole('Weight in its list.', 0, 1000),
  keeper: text('Who looks after it.', 120),
  changed_at: text('Last change.', 40),
});

export const readRecords: BenchTool = {
  name: 'read_records',
  title: 'Read records',
  description:
    'Read one collection with its first records, narrowed by life, words, keeper, tag and weight. Changes nothing.',
  readOnly: true,
  input: closed(['collection', 'life', 'limit', 'where'], {
    collection: text('Collection to read.', 64, { minLength: 1 }),
    life: {
      type: 'string',
      enum: ['draft', 'live', 'paused', 'ended', 'any'],
      description: 'Only records in this state.',
    },
    words: text('Words in code or label.', 200),
    limit: whole('Records wanted.', 1, 100),
    cursor: text('Cursor of the page before.', 256, { minLength: 1 }),
    where: closed(
      ['keeper'],
      {
        keeper: text('Who looks after it.', 120),
        tag: text('Tag it carries.', 40),
        weight_min: whole('Smallest weight.', 0, 1000),
      },
      { description: 'Further conditions.' },
    ),
  }),
  output: closed(
    [
      'id',
      'collection',
      'code',
      'label',
      'about',
      'life',
      'made_at',
      'changed_at',
      'revision',
      'count',
      'more',
      'records',
    ],
    {
      id: text('Collection id.', 40),
      collection: text('Collection name.', 64),
      code: text('Short unique code.', 80),
      label: text('Label shown to people.', 200),
      about: text('What the collection is for.', 4000),
      life: text('State asked for.', 20),
      made_at: text('When it was made.', 40),
      changed_at: text('Last change.', 40),
      revision: whole('Revision.', 0, 1_000_000),
      count: whole('Records in all.', 0, 1_000_000),
      more: { type: 'boolean', description: 'Whether records follow.' },
      next_cursor: text('Cursor of the next page.', 256),
      records: { type: 'array', maxItems: 100, items: record, description: 'Records in order.' },
    },
  ),
};

export const countRecords: BenchTool = {
  name: 'inspect_records',
  title: 'Inspect records',
  description: 'Count the records of one collection without reading them. The answer is a single number.',
  readOnly: true,
  input: closed(['collection'], { collection: text('Collection to count.', 64, { minLength: 1 }) }),
  output: closed(['count'], { count: whole('Records in all.', 0, 1_000_000) }),
};

const NOUNS = [
  'campaign',
  'segment',
  'report',
  'board',
  'alert',
  'release',
  'survey',
  'source',
  'schedule',
  'template',
];
const bystander = (index: number): BenchTool => {
  const noun = NOUNS[index % NOUNS.length] ?? 'record';
  const verb = ['list', 'get', 'search', 'inspect'][Math.floor(index / NOUNS.length) % 4] ?? 'list';
  const serial = index >= 40 ? `_${String(Math.floor(index / 40))}` : '';
  return {
    name: `${verb}_${noun}s${serial}`,
    title: `${verb[0]?.toUpperCase() ?? ''}${verb.slice(1)} ${noun}s`,
    description: `${verb[0]?.toUpperCase() ?? ''}${verb.slice(1)} what is known of a ${noun} in one collection. Names are unique there; a page holds at most a hundred rows.`,
    readOnly: true,
    input: closed(['collection'], {
      collection: text('Collection it belongs to.', 64, { minLength: 1 }),
      words: text(`Words in the ${noun}.`, 200),
      life: LIFE,
      limit: whole('Rows wanted.', 1, 100),
      cursor: text('Cursor of the page before.', 256, { minLength: 1 }),
      tags: { type: 'array', maxItems: 20, items: text('Tag.', 40), description: 'Tags it carries.' },
      change: closed(
        [],
        { label: text('New label.', 200), about: text('New text.', 4000), weight: whole('New weight.', 0, 1000) },
        { description: 'Fields to set.' },
      ),
    }),
    output: closed(['rows', 'more'], {
      rows: { type: 'array', maxItems: 100, items: record, description: 'Rows.' },
      more: { type: 'boolean', description: 'Whether rows follow.' },
    }),
  };
};

/** `size` tools; the two that are called come first. */
export const catalogue = (size: number): readonly BenchTool[] =>
  size === 1
    ? [readRecords]
    : [readRecords, countRecords, ...Array.from({ length: size - 2 }, (_, index) => bystander(index))];

export interface ReadRecords {
  readonly collection: string;
  readonly life: string;
  readonly where: { readonly keeper: string };
}

const stored = Array.from({ length: 20 }, (_, index) => ({
  id: `rec_${(900_000 + index * 6151).toString(36)}`,
  code: `spring-offer-${String(index)}`,
  label: `Spring offer, form ${String(index)} "early"`,
  life: ['draft', 'live', 'paused'][index % 3] ?? 'draft',
  weight: index % 10,
  changed_at: new Date(1_764_000_000_000 + index * 86_400_000).toISOString(),
}));

/** What a handler does once its query came back: twenty rows mapped to the output shape, fresh objects each time. */
export const answerReadRecords = (args: ReadRecords) => ({
  id: 'col_main01',
  collection: args.collection,
  code: 'spring-offer',
  label: 'Spring offer',
  about: 'Compares the short form with the long one.\nKept by the growth team; ask before pausing it.',
  life: args.life,
  made_at: '2026-01-12T09:30:00.000Z',
  changed_at: '2026-11-02T16:05:11.000Z',
  revision: 7,
  count: 137,
  more: true,
  next_cursor: 'eyJjIjoiMjAyNi0xMS0wMlQxNjowNToxMS4wMDBaIn0',
  records: stored.map(({ id, code, label, life, weight, changed_at }) => ({
    id,
    code,
    label,
    life,
    weight,
    keeper: args.where.keeper,
    changed_at,
  })),
});

export const answerCountRecords = () => ({ count: 137 });

export const CALL = {
  collection: 'spring',
  life: 'live',
  limit: 20,
  where: { keeper: 'mara@example.com', weight_min: 2 },
};
export const REFUSED = { collection: 'spring', life: 'sleeping', limit: 2000, where: {} };
