/** Takes out of a published schema what one client does not read. */
import { isJsonArray, isJsonObject, objectOf } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import type { JsonValue, ProfileSpec } from '../model/types.ts';
import type { Loss } from './loss.ts';

export class Dropping {
  readonly #entity: string;
  readonly #refused: ReadonlySet<string>;
  readonly #atRoot: ReadonlySet<string>;
  readonly #longest: number;
  readonly #losses: Loss[];

  constructor(entity: string, { refuses, refusesAtRoot, limits }: ProfileSpec, losses: Loss[]) {
    this.#entity = entity;
    this.#refused = new Set(refuses);
    this.#atRoot = new Set(refusesAtRoot);
    this.#longest = limits['argument_description'] ?? Infinity;
    this.#losses = losses;
  }

  schema(schema: JsonObject, pointer = ''): JsonObject {
    const kept: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      const atRoot = pointer === '' && this.#atRoot.has(keyword);
      if (atRoot || this.#refused.has(keyword)) {
        const where = atRoot ? 'at the root' : 'anywhere';
        const message = `The client does not take the keyword ${where}; the server still checks it.`;
        this.#losses.push({
          entity: this.#entity,
          pointer,
          keyword,
          message,
          of: atRoot ? `root ${keyword}` : keyword,
        });
        continue;
      }
      kept.push([keyword, this.#inner(keyword, value, `${pointer}/${keyword}`)]);
    }
    return objectOf(kept);
  }

  #inner(keyword: string, value: JsonValue, pointer: string): JsonValue {
    if (keyword === 'description' && typeof value === 'string') return this.#cut(value, pointer);
    const holds = SUBSCHEMAS.get(keyword);
    if (holds === undefined) return value;
    if (holds === 'one') return isJsonObject(value) ? this.schema(value, pointer) : value;
    if (isJsonArray(value))
      return value.map((one, index) => (isJsonObject(one) ? this.schema(one, `${pointer}/${index}`) : one));
    if (!isJsonObject(value)) return value;
    return objectOf(
      Object.entries(value).map(([name, one]) => [
        name,
        isJsonObject(one) ? this.schema(one, `${pointer}/${name}`) : one,
      ]),
    );
  }

  #cut(text: string, pointer: string): string {
    if (text.length <= this.#longest) return text;
    const message = `${text.length - this.#longest} characters are cut after ${this.#longest}.`;
    const of = 'argument_description';
    this.#losses.push({ entity: this.#entity, pointer, keyword: 'description', message, of });
    return text.slice(0, this.#longest);
  }
}
