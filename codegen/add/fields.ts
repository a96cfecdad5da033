/** Arguments, members and variables as `add` takes them: `name=type`, with bounds that a person then corrects. */
import type { JsonValue } from '../model/types.ts';

interface FieldType {
  /** Members of the schema besides the description, as flow YAML. */
  readonly schema: string;
  readonly sample: JsonValue;
}

const TYPES: Readonly<Record<string, FieldType>> = {
  string: { schema: 'type: string, minLength: 1, maxLength: 200', sample: 'text' },
  text: { schema: 'type: string, minLength: 1, maxLength: 20000', sample: 'A longer text.' },
  integer: { schema: 'type: integer, minimum: 0, maximum: 1000', sample: 1 },
  number: { schema: 'type: number, minimum: 0, maximum: 1000', sample: 0.5 },
  boolean: { schema: 'type: boolean', sample: true },
  uuid: { schema: 'type: string, format: uuid, id_kind: uuid', sample: '01912d5a-0000-7000-8000-000000000001' },
  datetime: { schema: 'type: string, format: date-time, maxLength: 40', sample: '2026-01-31T09:00:00Z' },
};

export const FIELD_TYPES: readonly string[] = Object.keys(TYPES);

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The whole schema as flow YAML. */
  readonly schema: string;
  readonly sample: JsonValue;
  readonly required: boolean;
}

/** A spelling that is no field. Its message is for the person who wrote it. */
export class BadField extends Error {}

const SPELLING = /^([a-z][a-z0-9_]{0,62})(\?)?(?:=([a-z]+))?$/u;

/** Reads `name`, `name=type` and `name?=type`, where the question mark makes it optional; `of` says whose it is. */
export function readField(spelling: string, of: string): Field {
  const [, name, optional, type = 'string'] = SPELLING.exec(spelling) ?? [];
  if (name === undefined) {
    throw new BadField(
      `\`${spelling}\` is no field. Write name=type in lower snake case; name?=type makes it optional.`,
    );
  }
  const known = TYPES[type];
  if (known === undefined) throw new BadField(`\`${type}\` is no type here. Types are ${FIELD_TYPES.join(', ')}.`);
  const words = name.replaceAll('_', ' ');
  const title = words.slice(0, 1).toUpperCase() + words.slice(1);
  const description = `${title} ${of}.`;
  return {
    name,
    title,
    description,
    schema: `{ ${known.schema}, description: ${description} }`,
    sample: known.sample,
    required: optional === undefined,
  };
}

/** A variable of an address; what it names is the reader's to find. */
export function variable(name: string): Field {
  const words = name.replaceAll('_', ' ');
  return {
    ...readField(name, ''),
    schema: `{ type: string, minLength: 1, maxLength: 255, id_kind: reference, description: Id of the ${words}. }`,
    sample: 'first',
  };
}
