import type { JsonSchema, JsonValue } from '../model/types.ts';
import { Compiler, type FormatMode } from './compiler.ts';
import { readDialect } from './dialect.ts';
import { Documents } from './documents.ts';
import type { Form } from './form.ts';
import { Forge } from './forge.ts';
import type { Lookup } from './holds.ts';
import { canonical } from './json.ts';
import { Languages } from './languages.ts';
import type { Outcome } from './outcome.ts';
import { FormSearch } from './search.ts';
import { Budget, DEFAULT_LIMITS, Undecided, type Limits, type Stop } from './stop.ts';
import { DIALECT, Validators } from './verify.ts';

export interface ContainmentOptions {
  /** `annotation` (default) ignores formats, as 2020-12 does; `assert` treats them as the validators do. */
  readonly formats?: FormatMode;
  readonly limits?: Partial<Limits>;
  /** The schemas have been held against the meta-schema already; to do it again takes longer than most proofs. */
  readonly checked?: boolean;
}

export type Containment =
  | { readonly verdict: 'proved' }
  | { readonly verdict: 'refuted'; readonly witness: JsonValue }
  | ({ readonly verdict: 'unknown' } & Stop);

/** Keywords that make many cases out of one, worst first. */
const MULTIPLIERS = [
  'oneOf',
  'anyOf',
  'if',
  'uniqueItems',
  'not',
  'patternProperties',
  'contains',
  'properties',
  'items',
];

/** Witnesses tried on the validators before a refutation is given up. */
const MAX_WITNESSES = 4;

/** Answers whether every value the old schema accepts is accepted by the new one. */
export interface Prover {
  contains(oldSchema: JsonSchema, newSchema: JsonSchema): Containment;
  /** The same for a schema made up on the way to an answer: its witness has not been tried on the validators. */
  suspects(oldSchema: JsonSchema, newSchema: JsonSchema): Containment;
  /** Whether the first schema accepts the value and the second refuses it, by two validators compiled apart. */
  disagree(accepts: JsonSchema, refuses: JsonSchema, value: JsonValue): boolean;
}

/**
 * A prover keeps automata and the meta-schemas between questions. Its answers depend on the two schemas and the
 * options alone.
 */
export function createProver(options: ContainmentOptions = {}): Prover {
  const formats = options.formats ?? 'annotation';
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const validators = new Validators(formats);
  const languages = new Languages(limits.states);
  let shared: Documents | undefined;
  /** Few schemas refer to the documents of the dialect, and reading those takes time. */
  const sharedFor = (texts: readonly string[]): Documents | undefined => {
    if (texts.every((text) => !text.includes(DIALECT))) return undefined;
    shared ??= Documents.shared(validators.metaSchemas());
    return shared;
  };
  const ask = (before: JsonSchema, after: JsonSchema, judges: Validators | undefined): Containment => {
    const [was, is] = [readDialect(before), readDialect(after)];
    if (was.stop !== undefined) return { verdict: 'unknown', ...was.stop };
    if (is.stop !== undefined) return { verdict: 'unknown', ...is.stop };
    const [oldSchema, newSchema] = [was.schema, is.schema];
    if (judges !== undefined && options.checked !== true) {
      judges.demandSchema(oldSchema, 'The old schema');
      judges.demandSchema(newSchema, 'The new schema');
    }
    const texts = [canonical(oldSchema), canonical(newSchema)];
    if (texts[0] === texts[1]) return { verdict: 'proved' };
    const setting = { formats, limits, languages, shared: sharedFor(texts) };
    return new Question(setting, oldSchema, newSchema).answer(judges);
  };
  return {
    contains: (before, after) => ask(before, after, validators),
    suspects: (before, after) => ask(before, after, undefined),
    disagree(accepts, refuses, value) {
      const [first, second] = [readDialect(accepts), readDialect(refuses)];
      if (first.stop !== undefined || second.stop !== undefined) return false;
      return validators.disagree(first.schema, second.schema, value);
    },
  };
}

/** One question with a prover of its own; see `createProver` for many. */
export function contains(oldSchema: JsonSchema, newSchema: JsonSchema, options: ContainmentOptions = {}): Containment {
  return createProver(options).contains(oldSchema, newSchema);
}

interface Setting {
  readonly formats: FormatMode;
  readonly limits: Limits;
  readonly languages: Languages;
  readonly shared: Documents | undefined;
}

class Question {
  readonly #oldSchema: JsonSchema;
  readonly #newSchema: JsonSchema;
  readonly #forge = new Forge();
  readonly #setting: Setting;
  readonly #sides: readonly Compiler[];
  readonly #identities = new Map<object, number>();

  constructor(setting: Setting, oldSchema: JsonSchema, newSchema: JsonSchema) {
    this.#setting = setting;
    this.#oldSchema = oldSchema;
    this.#newSchema = newSchema;
    this.#sides = [this.#compiler(oldSchema, 'old'), this.#compiler(newSchema, 'new')];
  }

  answer(validators: Validators | undefined): Containment {
    const excluded: JsonValue[] = [];
    try {
      const gap = this.#gap();
      const search = this.#search();
      for (;;) {
        const outcome = this.#seek(search, gap, excluded);
        if (outcome.kind === 'empty') return excluded.length === 0 ? { verdict: 'proved' } : unverified(excluded);
        if (outcome.kind === 'open') return this.#unknown(outcome.stop);
        const { value } = outcome;
        if (validators?.disagree(this.#oldSchema, this.#newSchema, value) !== false) {
          return { verdict: 'refuted', witness: value };
        }
        excluded.push(value);
        if (excluded.length >= MAX_WITNESSES) return unverified(excluded);
      }
    } catch (error) {
      if (error instanceof Undecided) return this.#unknown(error.stop);
      // The call stack ran out: nesting beyond what any bound on steps can count.
      if (error instanceof RangeError) return this.#unknown({ keyword: '$ref', path: '', reason: 'budget' });
      throw error;
    }
  }

  /** Says where the keyword stands; work that ran out is put down to whatever multiplies it. */
  #unknown(stop: Stop): Containment {
    const lookup = this.#lookup();
    const suspects = [stop.keyword, ...(stop.reason === 'budget' ? MULTIPLIERS : [])];
    const keyword = stop.path === '' ? suspects.find((suspect) => lookup.siteOf(suspect) !== '') : undefined;
    if (keyword === undefined) return { verdict: 'unknown', ...stop };
    return { verdict: 'unknown', keyword, path: lookup.siteOf(keyword), reason: stop.reason };
  }

  /** What the old schema accepts and the new one does not. */
  #gap(): Form {
    const [before, after] = this.#sides.map((side) => side.root());
    return this.#forge.and([before ?? this.#forge.no, this.#forge.not(after ?? this.#forge.no)]);
  }

  #seek(search: FormSearch, gap: Form, excluded: readonly JsonValue[]): Outcome {
    return search.solve(this.#forge.and([gap, this.#forge.values(excluded, false)]));
  }

  #search(): FormSearch {
    const { limits, languages } = this.#setting;
    return new FormSearch({ forge: this.#forge, budget: new Budget(limits), languages, lookup: this.#lookup() });
  }

  #lookup(): Lookup {
    const first = <T>(find: (side: Compiler) => T | undefined): T | undefined =>
      this.#sides.map(find).find((found) => found !== undefined);
    return {
      unfold: (target) => {
        const body = first((side) => side.unfold(target));
        if (body === undefined) {
          throw new Undecided({ keyword: '$ref', path: '', reason: 'the schema refers to itself in place' });
        }
        return body;
      },
      siteOf: (key) => first((side) => side.sightings.get(key)) ?? '',
    };
  }

  #compiler(schema: JsonSchema, side: string): Compiler {
    const documents = new Documents(schema, `https://schema.invalid/${side}`, this.#setting.shared);
    return new Compiler(this.#forge, documents, {
      formats: this.#setting.formats,
      side,
      identities: this.#identities,
    });
  }
}

function unverified(values: readonly JsonValue[]): Containment {
  const example = canonical(values[0] ?? null).slice(0, 200);
  return {
    verdict: 'unknown',
    keyword: '$schema',
    path: '',
    reason: `the compiled validators do not agree that ${example} is accepted before and refused after`,
  };
}
