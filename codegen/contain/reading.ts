import type { JsonValue } from '../model/types.ts';
import type { Place } from './documents.ts';
import type { Form } from './form.ts';
import type { Forge } from './forge.ts';
import type { JsonObject } from './json.ts';

/** A subschema together with the resources evaluation has passed through, outermost first. */
export interface Site {
  readonly place: Place;
  readonly scope: readonly string[];
}

/** What the readers of single keywords ask of the compiler around them. */
export interface SchemaReader {
  readonly forge: Forge;
  form(site: Site): Form;
  sub(site: Site, schema: JsonValue, ...steps: readonly (string | number)[]): Site;
  /** The schemas `$ref` and `$dynamicRef` of this schema lead to; one that cannot be followed is left out. */
  references(site: Site, schema: JsonObject): Site[];
  /** Guards the walks that look through references in place, which a schema can make endless. */
  once<T>(site: Site, work: () => T): T;
  /** Remembers where a keyword was met first, for the sentence that explains UNKNOWN. */
  see(key: string, site: Site, keyword: string): void;
}
