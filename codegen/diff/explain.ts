import type { Containment, Prover } from '../contain/contains.ts';
import { canonical, isObject, type JsonObject } from '../contain/json.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import { arrayDescents, arrayEdits } from './array-edits.ts';
import { record, type Descent, type Edit } from './edits.ts';
import { readNode } from './node.ts';
import { objectDescents, objectEdits } from './object-edits.ts';
import { unionDescents, unionEdits } from './union-edits.ts';
import { valueEdits } from './value-edits.ts';

/** One cause of a break: the smallest change that breaks on its own, at the deepest place. */
export interface Cause {
  /** The id of the rule, direction included: `in-maximum-lowered`. */
  readonly rule: string;
  /** Pointer into the old schema, references followed; into the new one for what was added. */
  readonly path: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  /** Accepted before and refused after (input), or the other way round (output). */
  readonly witness: JsonValue;
}

export type Explanation =
  | { readonly verdict: 'compatible' }
  | { readonly verdict: 'breaking'; readonly witness: JsonValue; readonly causes: readonly Cause[] }
  | (Containment & { readonly verdict: 'unknown' });

/**
 * Compares a schema before and after a change, for one direction, and names the causes of a break. A difference
 * in the text is only a suspect: each is put into the old schema alone and tried on the prover, so what is
 * reported breaks by itself, and what cannot break is silent.
 */
export function explain(before: JsonSchema, after: JsonSchema, direction: 'in' | 'out', prover: Prover): Explanation {
  const walk = new Walk(before, after, direction, prover);
  const whole = walk.whole();
  if (whole.verdict === 'proved') return { verdict: 'compatible' };
  if (whole.verdict === 'unknown') return whole;
  return { verdict: 'breaking', witness: whole.witness, causes: walk.causes(whole.witness) };
}

interface Place {
  readonly path: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The whole old schema with another node at this place. */
  readonly whole: (node: JsonObject) => JsonSchema;
  readonly trail: readonly string[];
}

class Walk {
  readonly #before: JsonSchema;
  readonly #after: JsonSchema;
  readonly #direction: 'in' | 'out';
  readonly #prover: Prover;
  /** The old schema with the new one among its definitions, so that a change may bring its references along. */
  readonly #root: JsonObject;
  readonly #seen = new Set<string>();

  constructor(before: JsonSchema, after: JsonSchema, direction: 'in' | 'out', prover: Prover) {
    this.#before = before;
    this.#after = after;
    this.#direction = direction;
    this.#prover = prover;
    const own = typeof before === 'object' ? before : {};
    const moved = moveReferences(after, `#/$defs/${MOVED}`);
    this.#root = { ...own, $defs: { ...record(own, '$defs'), [MOVED]: moved } };
  }

  /** Whether the new schema keeps the promise of the old one. */
  whole(): Containment {
    return this.#direction === 'in'
      ? this.#prover.contains(this.#before, this.#after)
      : this.#prover.contains(this.#after, this.#before);
  }

  /** The same of the old schema with one change made; what it finds is tried on the two real schemas later. */
  #ask(changed: JsonSchema): Containment {
    return this.#direction === 'in'
      ? this.#prover.suspects(this.#before, changed)
      : this.#prover.suspects(changed, this.#before);
  }

  causes(witness: JsonValue): Cause[] {
    const definitions = record(this.#root, '$defs');
    const root: Place = {
      path: '',
      before: this.#before,
      after: definitions[MOVED] ?? true,
      whole: (node) => ({ ...node, $defs: definitions }),
      trail: [`${canonical(this.#read(this.#before))} ${canonical(this.#read(definitions[MOVED] ?? true))}`],
    };
    const found = this.#at(root, witness);
    return found.length > 0 ? found : [this.#cause({ change: 'schema-changed', path: '' }, '', witness)];
  }

  #at(place: Place, witness: JsonValue): Cause[] {
    const nodes = { before: this.#read(place.before), after: this.#read(place.after) };
    const unions = { ...nodes, read: (schema: JsonValue) => this.#read(schema) };
    const descents = [...objectDescents(nodes), ...arrayDescents(nodes), ...unionDescents(unions)];
    const edits = [...valueEdits(nodes), ...objectEdits(nodes), ...arrayEdits(nodes), ...unionEdits(unions)];
    return [
      ...descents.flatMap((descent) => this.#into(place, descent, witness)),
      ...edits.flatMap((edit) => this.#try(place, edit, witness)),
    ];
  }

  #read(schema: JsonValue): JsonObject {
    return readNode(schema, this.#root);
  }

  #into(place: Place, descent: Descent, witness: JsonValue): Cause[] {
    const { before, after } = descent;
    const [was, is] = [canonical(this.#read(before)), canonical(this.#read(after))];
    const key = `${was} ${is}`;
    // A shared definition is one cause however often it is used; a recursive one would never end.
    const shared = isReference(before) && isReference(after);
    if (was === is || place.trail.includes(key) || (shared && this.#seen.has(key))) return [];
    this.#seen.add(key);
    const answer = this.#ask(place.whole(descent.place(after)));
    if (answer.verdict === 'proved') return [];
    const path = `${place.path}${descent.path}`;
    const inner: Place = {
      path,
      before,
      after,
      whole: (node) => place.whole(descent.place(node)),
      trail: [...place.trail, key],
    };
    const found = this.#at(inner, witness);
    if (found.length > 0 || answer.verdict === 'unknown') return found;
    return [this.#cause({ change: 'schema-changed', path: '' }, path, this.#witness(answer.witness, witness))];
  }

  #try(place: Place, edit: Edit, witness: JsonValue): Cause[] {
    const answer = this.#ask(place.whole(edit.result));
    if (answer.verdict !== 'refuted') return [];
    return [this.#cause(edit, place.path, this.#witness(answer.witness, witness))];
  }

  /** The witness of one cause where it tells the real schemas apart too; else the one that is known to. */
  #witness(own: JsonValue, known: JsonValue): JsonValue {
    const [accepts, refuses] = this.#direction === 'in' ? [this.#before, this.#after] : [this.#after, this.#before];
    return this.#prover.disagree(accepts, refuses, own) ? own : known;
  }

  #cause(edit: Omit<Edit, 'result'>, path: string, witness: JsonValue): Cause {
    return {
      rule: `${this.#direction}-${this.#direction === 'out' ? (edit.mirror ?? edit.change) : edit.change}`,
      path: `${path}${edit.path}`,
      ...(edit.before === undefined ? {} : { before: edit.before }),
      ...(edit.after === undefined ? {} : { after: edit.after }),
      witness,
    };
  }
}

function isReference(schema: JsonValue): boolean {
  return isObject(schema) && Object.hasOwn(schema, '$ref');
}

/** A name no definition has: it cannot be written as a type. */
const MOVED = 'after the change';

function moveReferences(schema: JsonValue, to: string): JsonValue {
  if (Array.isArray(schema)) return schema.map((item: JsonValue) => moveReferences(item, to));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      const local = keyword === '$ref' && typeof value === 'string' && value.startsWith('#');
      return [keyword, local ? `${encodeURI(to)}${value.slice(1)}` : moveReferences(value, to)];
    }),
  );
}
