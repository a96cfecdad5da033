import { AppError } from '../../kernel/errors.ts';

/** One argument of a function that a model may call: a text, or one of a few words. */
export interface ArgumentRule {
  readonly description: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
  readonly oneOf?: readonly string[];
}

export type ArgumentRules = Readonly<Record<string, ArgumentRule>>;

/** What arguments that keep the rules are. */
export type Arguments<R extends ArgumentRules> = {
  readonly [K in keyof R as R[K] extends { readonly isOptional: true } ? never : K]: WordOf<R[K]>;
} & {
  readonly [K in keyof R as R[K] extends { readonly isOptional: true } ? K : never]?: WordOf<R[K]>;
};

type WordOf<R> = R extends { readonly oneOf: readonly (infer W)[] } ? W : string;

/** The rules as the JSON Schema that the model is shown. */
export function schemaOf(rules: ArgumentRules): Readonly<Record<string, unknown>> {
  const entries = Object.entries(rules);
  return {
    type: 'object',
    additionalProperties: false,
    required: entries.filter(([, rule]) => rule.isOptional !== true).map(([name]) => name),
    properties: Object.fromEntries(
      entries.map(([name, { description, maxLength, oneOf }]) => [
        name,
        {
          type: 'string',
          description,
          ...(maxLength !== undefined && { minLength: 1, maxLength }),
          ...(oneOf !== undefined && { enum: oneOf }),
        },
      ]),
    ),
  };
}

/** Holds what a model wrote against the rules it was shown; `invalid_input` says to it what to write instead. */
export function readArguments<R extends ArgumentRules>(rules: R, text: string): Arguments<R> {
  const given = parse(text);
  const known = Object.keys(rules);
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) {
      throw wrong(
        `There is no argument ${JSON.stringify(name.slice(0, 64))}; the arguments are ${known.join(', ') || 'none'}.`,
      );
    }
  }
  for (const [name, rule] of Object.entries(rules)) check(name, rule, given[name]);
  // because every argument has just been held against its rule, and null stands for absent
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Arguments<R>;
}

function check(name: string, rule: ArgumentRule, value: unknown): void {
  const { isOptional = false, maxLength, oneOf } = rule;
  if (value === undefined || value === null) {
    if (isOptional) return;
    throw wrong(`The argument ${name} is missing.`);
  }
  if (typeof value !== 'string') throw wrong(`The argument ${name} must be a text.`);
  if (oneOf !== undefined && !oneOf.includes(value))
    throw wrong(`The argument ${name} must be one of ${oneOf.join(', ')}.`);
  if (value.trim() === '') throw wrong(`The argument ${name} is empty.`);
  if (maxLength !== undefined && value.length > maxLength) {
    throw wrong(`The argument ${name} is longer than ${maxLength} characters.`);
  }
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch {
    throw wrong('The arguments are not valid JSON; write one JSON object.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong('The arguments must be one JSON object.');
  }
  // because an object that is no array is a record of unknown values
  return value as Readonly<Record<string, unknown>>;
}

function wrong(message: string): AppError {
  return new AppError('invalid_input', message);
}
