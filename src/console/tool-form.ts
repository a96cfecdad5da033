import { AppError } from '../kernel/errors.ts';
import { parseJson } from '../kernel/json.ts';
import type { Form } from './form.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface ToolField {
  readonly name: string;
  /** Name of the form's field, which must not meet the names the Console itself uses. */
  readonly field: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly kind: 'text' | 'number' | 'choice' | 'json';
  readonly step?: 'any' | '1';
  readonly choices: readonly { readonly value: string; readonly isChosen: boolean }[];
  readonly value: string;
}

const PREFIX = 'arg.';

/** Fields of a form for the arguments of a tool, filled with what was sent last. */
export function fieldsOf(schema: Schema, form: Form): readonly ToolField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(objectOf(schema['properties'])).map(([name, property]) => {
    const shape = objectOf(property);
    const kind = kindOf(shape);
    const value = form.text(PREFIX + name);
    const { description } = shape;
    const values: readonly string[] =
      shape['type'] === 'boolean' ? ['true', 'false'] : Array.isArray(shape['enum']) ? shape['enum'].map(String) : [];
    return {
      name,
      field: PREFIX + name,
      description: typeof description === 'string' ? description : '',
      isRequired: required.includes(name),
      kind,
      ...(kind === 'number' && { step: shape['type'] === 'integer' ? '1' : 'any' }),
      choices: values.map((one) => ({ value: one, isChosen: one === value })),
      value,
    };
  });
}

/** What the form says, as the tool's schema types it. Fields left empty are arguments not given. */
export function argumentsOf(schema: Schema, form: Form): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
    const text = form.text(PREFIX + name);
    if (text.trim() !== '') args[name] = valueOf(name, objectOf(property), text);
  }
  return args;
}

function valueOf(name: string, shape: Schema, text: string): unknown {
  switch (shape['type']) {
    case 'boolean':
      return text === 'true';
    case 'integer':
    case 'number': {
      const number = Number(text);
      if (Number.isFinite(number)) return number;
      throw new AppError('invalid_input', `${name} must be a number.`, { fields: { [name]: 'must be a number' } });
    }
    case 'array':
    case 'object':
      return jsonOf(name, text);
    default:
      return text;
  }
}

function jsonOf(name: string, text: string): unknown {
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (cause) {
    throw new AppError('invalid_input', `${name} must be JSON, for example ["a"] or {"a": 1}.`, {
      fields: { [name]: 'must be JSON' },
      cause,
    });
  }
}

function kindOf(shape: Schema): ToolField['kind'] {
  if (Array.isArray(shape['enum']) || shape['type'] === 'boolean') return 'choice';
  if (shape['type'] === 'integer' || shape['type'] === 'number') return 'number';
  return shape['type'] === 'array' || shape['type'] === 'object' ? 'json' : 'text';
}

function objectOf(value: unknown): Schema {
  // because schemas are JSON objects by contract, and anything else counts as one without members
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
