import { canonicalText, isJsonArray, isJsonObject, objectOf } from '../../canonical/json.ts';
import { createProver, type Prover } from '../../contain/contains.ts';
import { SchemaFault } from '../../contain/stop.ts';
import type { JsonSchema, JsonValue, Stability } from '../../model/types.ts';
import { explain, type Cause, type Explanation } from '../explain.ts';
import { readNode } from '../node.ts';
import { findRule } from '../rules/index.ts';
import type { Verdict } from '../rules/rule.ts';
import type { Draft, Scene } from '../scene.ts';
import { homeOf, type Home } from './homes.ts';
import { noteSchemas } from './notes.ts';
import { callable, NAMED, promised, VALUES, whole } from './promise.ts';

/** A schema on both sides, and what it is for. */
export interface Body {
  readonly entity: string;
  /** Where it stands in the contract of the entity. */
  readonly path: string;
  readonly direction: 'in' | 'out';
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly stability: Stability;
}

/** Compares schemas by what they accept. One engine serves a whole comparison, for its memory. */
export class SchemaComparison {
  readonly #scene: Scene;
  readonly #prover: Prover;
  readonly #trusted: boolean;
  readonly #answers = new Map<string, Explanation>();
  #asked = 0;
  #undecided = 0;

  /** `checked`: every schema of both sides is known to be one. */
  constructor(scene: Scene, checked: boolean) {
    this.#scene = scene;
    // A contract says what its own server does with formats, defaults and members nobody declared.
    this.#trusted = scene.before.origin === 'contracts' && scene.after.origin === 'contracts';
    this.#prover = createProver({ formats: this.#trusted ? 'assert' : 'annotation', checked });
  }

  /** Bodies that differed, and how many of them could not be decided. */
  get counts(): { readonly asked: number; readonly undecided: number } {
    return { asked: this.#asked, undecided: this.#undecided };
  }

  compare(body: Body): void {
    const before = whole(body.before, this.#scene.before.definitions);
    const after = whole(body.after, this.#scene.after.definitions);
    if (canonicalText(before) === canonicalText(after)) return;
    const broken = this.#breaks(body, before, after);
    const { direction } = body;
    for (const note of noteSchemas(before, after, { direction, fillsDefaults: this.#trusted })) {
      const rule = `${direction}-${note.change}`;
      if (broken.has(note.path) || broken.has('') || findRule(rule)?.verdict === 'safe') continue;
      const { change: _, path: pointer, ...rest } = note;
      this.#report(body, { ...rest, rule }, pointer);
    }
  }

  /** Reports what breaks; answers the places where something did. */
  #breaks(body: Body, before: JsonSchema, after: JsonSchema): ReadonlySet<string> {
    if (semantics(before) === semantics(after)) return new Set();
    this.#asked += 1;
    try {
      return body.direction === 'in' ? this.#input(body, before, after) : this.#output(body, before, after);
    } catch (error) {
      if (!(error instanceof SchemaFault)) throw error;
      this.#unknown(body, { keyword: '$schema', path: '', reason: error.message });
      return new Set();
    }
  }

  #input(body: Body, before: JsonSchema, after: JsonSchema): ReadonlySet<string> {
    if (becameEmpty(before, after)) {
      const message = 'All arguments are gone.';
      this.#report(body, { rule: 'input-schema-became-empty', message, before: propertiesOf(before) }, '');
      return new Set(['']);
    }
    if (isObjectRoot(before) && !isObjectRoot(after)) {
      this.#report(body, { rule: 'input-root-not-object', message: 'The arguments are no object any more.' }, '');
      return new Set(['']);
    }
    const sent = this.#trusted ? { before: callable(before), after: callable(after) } : { before, after };
    const answer = this.#explain(sent.before, sent.after, 'in', this.#prover);
    if (answer.verdict === 'compatible') return new Set();
    if (answer.verdict === 'unknown') return this.#unknown(body, answer);
    return this.#causes(body, answer.causes, { before, after });
  }

  #output(body: Body, before: JsonSchema, after: JsonSchema): ReadonlySet<string> {
    if (isObjectRoot(before) && !isObjectRoot(after) && body.entity.startsWith('tool ')) {
      this.#report(body, { rule: 'output-root-changed', message: 'The result is no object any more.' }, '');
      return new Set(['']);
    }
    const prover = this.#trusted ? against(promised(withoutProse(before)), this.#prover) : this.#prover;
    const answer = this.#explain(before, after, 'out', prover);
    if (answer.verdict === 'compatible') return new Set();
    if (answer.verdict === 'unknown') return this.#unknown(body, answer);
    return this.#causes(body, answer.causes, { before, after });
  }

  /** Many bodies change in the same way and differ in prose alone; those are one question. */
  #explain(before: JsonSchema, after: JsonSchema, direction: 'in' | 'out', prover: Prover): Explanation {
    const [was, is] = [withoutProse(before), withoutProse(after)];
    const kind = prover === this.#prover ? direction : `${direction} of the promise`;
    const key = [kind, canonicalText(was), canonicalText(is)].join('\n');
    const answer = this.#answers.get(key) ?? explain(was, is, direction, prover);
    this.#answers.set(key, answer);
    return answer;
  }

  #unknown(body: Body, stop: { keyword: string; path: string; reason: string }): ReadonlySet<string> {
    this.#undecided += 1;
    const { keyword, path, reason } = stop;
    const message = `Whether this breaks could not be decided: \`${keyword}\` stopped the comparison (${reason}).`;
    const rule = `${body.direction}-schema-undecided`;
    this.#report(body, { rule, message, unknown: { keyword, path, reason } }, '');
    return new Set();
  }

  #causes(body: Body, causes: readonly Cause[], ends: { before: JsonSchema; after: JsonSchema }): ReadonlySet<string> {
    const input = body.direction === 'in';
    for (const { rule, path, before, after, witness } of causes) {
      this.#report(
        body,
        {
          rule: findRule(rule) === undefined ? `${body.direction}-schema-changed` : rule,
          message: sentence({ rule, path, before, after }),
          ...(before === undefined ? {} : { before }),
          ...(after === undefined ? {} : { after }),
          ...(rule.endsWith('property-renamed') && typeof after === 'string' ? { renamedTo: after } : {}),
          verdict: verdictOf(rule, path, ends.before),
          witness: { value: witness, acceptedBy: input ? 'old' : 'new', refusedBy: input ? 'new' : 'old' },
        },
        path,
      );
    }
    return new Set(causes.map(({ path }) => path));
  }

  #report(body: Body, draft: Omit<Draft, 'entity' | 'path'>, pointer: string): void {
    const start: Home = { entity: body.entity, path: body.path };
    const { before, after } = this.#scene;
    const home = homeOf(body.before, pointer, start, before.definitions) ??
      homeOf(body.after, pointer, start, after.definitions) ?? { ...start, path: `${body.path}${pointer}` };
    const shared = home.entity !== body.entity;
    this.#scene.report({
      direction: body.direction,
      stability: body.stability,
      ...draft,
      entity: home.entity,
      path: home.path,
      ...(shared ? { use: `${body.entity} ${body.path.slice(1)}` } : {}),
      shown: body.entity,
    });
  }

  /** What clients that hold the old listing cannot send yet, although the server would take it. */
  lag(body: Omit<Body, 'direction'>): void {
    if (semantics(body.before) === semantics(body.after)) return;
    const answer = this.#explain(body.before, body.after, 'out', this.#prover);
    if (answer.verdict !== 'breaking') return;
    for (const { rule, path, before, after, witness } of answer.causes) {
      const mirror = `in-${rule.slice('out-'.length)}`;
      if (findRule(mirror)?.verdict === 'breaking') continue;
      this.#scene.report({
        rule: findRule(mirror) === undefined ? 'in-schema-changed' : mirror,
        entity: body.entity,
        path: `${body.path}${path}`,
        direction: 'in',
        message: `${sentence({ rule, path, before, after })} Clients that check with the listing they hold refuse it until they list again.`,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
        verdict: 'notice',
        cacheLag: true,
        witness: { value: witness, acceptedBy: 'new', refusedBy: 'old' },
        stability: body.stability,
      });
    }
  }
}

/** A prover that holds results against the open promise instead of the closed schema a server checks itself by. */
function against(promise: JsonSchema, prover: Prover): Prover {
  return {
    contains: (changed) => prover.contains(changed, promise),
    suspects: (changed) => prover.suspects(changed, promise),
    disagree: (accepts, _, value) => prover.disagree(accepts, promise, value),
  };
}

/**
 * A proved break is breaking, whatever its rule says of cases in general. Two are milder by custom: an argument that is
 * new to an object that took anything, and an optional member that no result holds any more.
 */
function verdictOf(rule: string, path: string, before: JsonSchema): Verdict {
  if (rule === 'in-property-added-optional') return 'risky';
  if (rule === 'out-property-removed' && !wasRequired(path, before)) return 'risky';
  return 'breaking';
}

function wasRequired(path: string, schema: JsonSchema): boolean {
  const steps = path.slice(1).split('/');
  const name = (steps.pop() ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
  steps.pop();
  let node: JsonValue | undefined = schema;
  for (const step of ['', ...steps]) {
    if (step !== '') node = isJsonArray(node) ? node[Number(step)] : isJsonObject(node) ? node[step] : undefined;
    const reference: JsonValue | undefined = isJsonObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string' || !isJsonObject(schema)) continue;
    const shapes: JsonValue | undefined = schema['$defs'];
    node = isJsonObject(shapes) ? shapes[reference.replace(/^#\/\$defs\//u, '')] : undefined;
  }
  const required = isJsonObject(node) ? node['required'] : undefined;
  // A place that cannot be found again is taken for the worse case.
  return node === undefined || (isJsonArray(required) && required.includes(name));
}

const PROSE = new Set([
  'title',
  'description',
  'examples',
  '$comment',
  'default',
  'unit',
  'id_kind',
  'sensitive',
  'open',
  'x-mcp-header',
]);

/** The schema without what no validator looks at. */
function withoutProse(schema: JsonSchema): JsonSchema {
  const strip = (value: JsonValue, named: boolean): JsonValue => {
    if (isJsonArray(value)) return value.map((one) => strip(one, false));
    if (!isJsonObject(value)) return value;
    return objectOf(
      Object.entries(value)
        .filter(([key]) => named || !PROSE.has(key))
        .map(([key, inner]) => [key, VALUES.has(key) && !named ? inner : strip(inner, !named && NAMED.has(key))]),
    );
  };
  // because a schema stays a schema
  return strip(schema, false) as JsonSchema;
}

function semantics(schema: JsonSchema): string {
  return canonicalText(withoutProse(schema));
}

function propertiesOf(schema: JsonSchema): string[] {
  const properties = typeof schema === 'object' ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

function becameEmpty(before: JsonSchema, after: JsonSchema): boolean {
  return propertiesOf(before).length > 1 && propertiesOf(after).length === 0 && isBare(after);
}

function isBare(schema: JsonSchema): boolean {
  return (
    typeof schema === 'boolean' ||
    !['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'].some((key) => key in schema)
  );
}

/** Whatever way it is written; a schema that names no type is held to be one. */
function isObjectRoot(schema: JsonSchema): boolean {
  const type = readNode(schema, schema)['type'];
  if (isJsonArray(type)) return type.every((one) => one === 'object');
  return type === undefined ? schema !== false : type === 'object';
}

interface Told {
  readonly rule: string;
  readonly path: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

function sentence({ rule, path, before, after }: Told): string {
  const change = rule.replace(/^(?:in|out)-/u, '').replaceAll('-', ' ');
  const place = path.split('/').findLast((_, at, all) => all[at - 1] === 'properties') ?? '';
  const where = place === '' ? 'The schema' : `\`${place.replaceAll('~1', '/').replaceAll('~0', '~')}\``;
  const ends = [brief(before), brief(after)];
  const values = ends.every((end) => end === '')
    ? ''
    : ` (${ends[0] === '' ? 'nothing' : ends[0]} → ${ends[1] === '' ? 'nothing' : ends[1]})`;
  return `${where}: ${change}${values}.`;
}

function brief(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
