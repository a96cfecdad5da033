import type { Validator } from '../../generated/validators/runtime.ts';
import { parseBody } from '../http/body.ts';
import { AppError } from '../kernel/errors.ts';
import { findUnsafe } from '../kernel/json.ts';

export interface EndpointValidators {
  readonly parameters: Readonly<Record<string, Validator>>;
  readonly request: Readonly<Record<string, Validator>>;
  readonly response: Readonly<Record<string, Validator>>;
}

const MOST_FIELDS = 20;

/** A JSON body as the contract has it, defaults filled in. */
export function jsonBody(validate: Validator, bytes: Buffer): unknown {
  const { value } = parseBody(bytes);
  if (findUnsafe(value).length > 0) {
    throw new AppError('invalid_input', 'The body holds text or numbers that cannot be stored as they are.');
  }
  check(validate, value, 'The body');
  return value;
}

/** Throws `invalid_input` that names each place and rule, and no value. */
export function check(validate: Validator, value: unknown, what: string): void {
  if (validate(value)) return;
  const faults = (validate.errors ?? []).slice(0, MOST_FIELDS);
  const fields = Object.fromEntries(faults.map((fault) => [placeOf(fault), fault.message ?? fault.keyword]));
  const told = Object.entries(fields).map(([place, message]) => `${place} ${message}`);
  throw new AppError('invalid_input', `${what} does not fit the contract: ${told.join('; ')}.`, { fields });
}

function placeOf({ instancePath, params }: NonNullable<Validator['errors']>[number]): string {
  const { missingProperty, additionalProperty } = params;
  const own = [missingProperty, additionalProperty].find((name) => typeof name === 'string') ?? '';
  const place = [...instancePath.split('/').slice(1), ...(own === '' ? [] : [own])].join('.');
  return place === '' ? 'body' : place;
}
