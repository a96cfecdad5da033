import type { IncomingMessage } from 'node:http';
import { declaresTooMuch, readBody, tooLarge } from '../http/body.ts';
import { Refusal } from '../http/refusal.ts';

/** Fields of a posted form. */
export interface Form {
  /** Empty when the field is absent. */
  text(name: string): string;
  isChecked(name: string): boolean;
  all(name: string): readonly string[];
  readonly names: readonly string[];
}

/** Larger than any form of the Console, a query of a dataset included. */
const MAX_BYTES = 64 * 1024;
const MAX_FIELDS = 200;
const TIMEOUT_MS = 10_000;

export const EMPTY_FORM: Form = formOf(new URLSearchParams());

/** Reads a form the way a browser sends it without files. Throws `Refusal` on everything else. */
export async function readForm(request: IncomingMessage): Promise<Form> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new Refusal(415, 'invalid_request', 'Forms are sent as application/x-www-form-urlencoded.');
  }
  if (declaresTooMuch(request, MAX_BYTES)) throw tooLarge(MAX_BYTES);
  const body = await readBody(request, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  const fields = new URLSearchParams(body.toString('utf8'));
  if (fields.size > MAX_FIELDS) throw new Refusal(413, 'invalid_request', `A form has at most ${MAX_FIELDS} fields.`);
  for (const value of fields.values()) {
    if (value.includes('\0')) throw new Refusal(400, 'invalid_request', 'A field contains the character U+0000.');
  }
  return formOf(fields);
}

function formOf(fields: URLSearchParams): Form {
  return {
    text: (name) => fields.get(name) ?? '',
    isChecked: (name) => fields.has(name),
    all: (name) => fields.getAll(name),
    names: [...new Set(fields.keys())],
  };
}
