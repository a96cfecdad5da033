import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import type { FormatMode } from './compiler.ts';
import { isObject, type JsonObject } from './json.ts';
import { SchemaFault } from './stop.ts';

/** Compiles schemas with the validator the products run, each in an instance of its own. */
export class Validators {
  readonly #formats: FormatMode;
  readonly #meta: Ajv2020;
  /** By schema object: one question asks the same two ends many times. */
  readonly #compiled = new WeakMap<object, ValidateFunction>();

  constructor(formats: FormatMode) {
    this.#formats = formats;
    this.#meta = make(formats, true);
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
      const sent: unknown = JSON.parse(JSON.stringify(value));
      return this.#compile(oldSchema)(sent) && !this.#compile(newSchema)(sent);
    } catch {
      return false;
    }
  }

  #compile(schema: JsonSchema): ValidateFunction {
    const known = typeof schema === 'object' ? this.#compiled.get(schema) : undefined;
    if (known !== undefined) return known;
    // Both schemas have passed the meta-schema already, and compiling that one is most of the cost.
    const validate = make(this.#formats, false, JSON.stringify(schema).includes('json-schema.org')).compile(schema);
    if (typeof schema === 'object') this.#compiled.set(schema, validate);
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
  });
  if (formats === 'assert') addFormats.default(ajv);
  return ajv;
}
