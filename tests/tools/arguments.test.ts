import assert from 'node:assert/strict';
import { catalog } from '../../generated/catalog/index.ts';
import type { ToolName } from '../../generated/contracts/index.ts';
import { given, type World } from '../support/given.ts';

interface Argument {
  /** As errors name it. */
  readonly path: string;
  readonly isInstant: boolean;
  /** Arguments that hold only this one. */
  with(value: string): object;
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every argument that is a text, inside of objects and lists too. */
function* textsOf(schema: Schema, path: string, wrap: (value: unknown) => object): Generator<Argument> {
  const { properties } = schema;
  if (!isSchema(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isSchema(property)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    const inside = (value: unknown): object => wrap({ [name]: value });
    const { items } = property;
    if (isText(property)) yield { path: at, isInstant: property['format'] === 'date-time', with: inside };
    else if (isSchema(items) && isText(items))
      yield { path: `${at}.0`, isInstant: false, with: (value) => inside([value]) };
    else yield* textsOf(property, at, inside);
  }
}

function isText({ type }: Schema): boolean {
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

const ARGUMENTS = catalog.tools.flatMap(({ name, inputSchema }) =>
  [...textsOf(inputSchema.project, '', (value) => Object(value))].map((argument) => ({
    // because the catalog and the types are made from one contract
    name: name as ToolName,
    argument,
  })),
);

describe('arguments of every tool', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await given.project();
  });

  it('that are texts are refused by name when the store could not hold them', async () => {
    assert.ok(ARGUMENTS.length > 40);
    for (const { name, argument } of ARGUMENTS)
      for (const text of ['a\u0000b', '\ud83d']) {
        const error = await world.refusal(name, argument.with(text));
        assert.equal(error.code, 'invalid_input', `${name} ${argument.path}`);
        assert.deepEqual(Object.keys(error.fields), [argument.path], name);
      }
  });

  it('that are instants are refused by name when they leave their zone open, with one that would do', async () => {
    const instants = ARGUMENTS.filter(({ argument }) => argument.isInstant);
    assert.ok(instants.length >= 8);
    for (const { name, argument } of instants)
      for (const text of ['2026-02-07T00:00:00', '2026-02-07', 'yesterday']) {
        const { code, fields } = await world.refusal(name, argument.with(text));
        assert.equal(code, 'invalid_input', `${name} ${argument.path}`);
        assert.match(String(fields[argument.path]), /Z\b/, `${name} ${argument.path}`);
      }
  });
});
