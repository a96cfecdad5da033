import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import type { FormatMode } from './compiler.ts';
import { isObject, type JsonObject } from './json.ts';
import { sliceFor } from './slice.ts';
import { SchemaFault } from './stop.ts';

/** What every reference to the documents of the dialect holds. */
export const DIALECT = 'json-schema.org';

/** Compiles schemas with the validator the products run, each in an instance of its own. */
export class Validators {
  readonly #formats: FormatMode;
  #judge: Ajv2020 | undefined;
  /** By the text of the schema: many bodies have the same parts. */
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(formats: FormatMode) {
    this.#formats = formats;
  }

  get #meta(): Ajv2020 {
    this.#judge ??= make(this.#formats, true);
    return this.#judge;
  }

  /** The documents of the 2020-12 dialect, as the validator ships them. */
  metaSchemas(): JsonObject[] {
    const base = 'https://json-schema.org/draft/2020-12/';
    const names = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'];
    return [`${base}schema`, ...names.map((name) => `${base}meta/${name}`)].flatMap((uri) => {
      const schema = this.#meta.getSchema(uri)?.schema;
      // because the bundled meta-schemas are JSON documents
      const document = schema as JsonValue | undefined;
      return isObject(document) ? [document] : [];
    });
  }

  /** Refuses a document that is no 2020-12 schema. */
  demandSchema(schema: JsonSchema, name: string): void {
    if (typeof schema !== 'boolean' && !isObject(schema)) throw new SchemaFault(`${name} is not a JSON Schema.`);
    if (typeof schema === 'boolean' || this.#meta.validateSchema(schema) === true) return;
    const first = this.#meta.errors?.[0];
    throw new SchemaFault(
      `${name} is not a valid 2020-12 schema: ${first?.instancePath ?? ''} ${first?.message ?? ''}.`,
    );
  }

  /** Whether the old schema accepts the value and the new one refuses it, by two validators built apart. */
  disagree(oldSchema: JsonSchema, newSchema: JsonSchema, value: JsonValue): boolean {
    try {
      // The value makes a round trip first: a witness is something that can be sent.
      // because JSON.parse gives JSON
      const sent = JSON.parse(JSON.stringify(value)) as JsonValue;
      return this.#compile(oldSchema, sent)(sent) && !this.#compile(newSchema, sent)(sent);
    } catch {
      return false;
    }
  }

  #compile(schema: JsonSchema, value: JsonValue): ValidateFunction {
    const part = sliceFor(schema, value);
    const text = JSON.stringify(part);
    const known = this.#compiled.get(text);
    if (known !== undefined) return known;
    // Both schemas have passed the meta-schema already, and compiling that one is most of the cost.
    const validate = make(this.#formats, false, text.includes(DIALECT)).compile(part);
    this.#compiled.set(text, validate);
    return validate;
  }
}

/** The meta-schemas are a third of the cost of an instance, and few schemas refer to them. */
function make(formats: FormatMode, validateSchema: boolean, meta = true): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema,
    meta,
    ownProperties: true,
    unicodeRegExp: true,
    validateFormats: formats === 'assert',
    multipleOfPrecision: 9,
    // A validator runs once or twice, so tidying its code never pays.
    code: { optimize: false },
  });
  if (formats === 'assert') addFormats.default(ajv);
  return ajv;
}
