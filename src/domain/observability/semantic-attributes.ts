import { clip } from '../../kernel/bounded.ts';
import type { CapabilityClaim } from '../capabilities/index.ts';
import { OPERATION_TYPES, PLACES, SPAN_TYPES, TEXT_MAX, type Role } from './semantic-keys.ts';
import type { JsonObject, JsonValue, SpanUsage, UnitMark } from './span.ts';

/** US dollars of one span. */
const MAX_COST = 1_000_000;

/** The usable values that some attributes give for each role. */
export class Meaning {
  readonly #texts = new Map<Role, string>();
  readonly #numbers = new Map<Role, number>();
  readonly #interrupted: boolean;

  constructor(attributes: JsonObject) {
    const places = new Map<Role, number>();
    for (const key of Object.keys(attributes)) {
      for (const { role, place } of PLACES.get(key) ?? []) {
        if (place < (places.get(role) ?? Infinity) && this.#take(role, attributes[key])) places.set(role, place);
      }
    }
    this.#interrupted = attributes['overmind.interrupted'] === true;
  }

  get usage(): SpanUsage {
    const inputTokens = this.#numbers.get('inputTokens');
    const outputTokens = this.#numbers.get('outputTokens');
    return {
      model: this.#texts.get('model'),
      inputTokens,
      outputTokens,
      totalTokens: this.#numbers.get('totalTokens') ?? sumOf(inputTokens, outputTokens),
      cost: this.#numbers.get('cost') ?? sumOf(this.#numbers.get('inputCost'), this.#numbers.get('outputCost')),
    };
  }

  get spanType(): string {
    const own = this.#texts.get('spanType');
    if (own !== undefined) return own;
    const kind = this.#texts.get('spanKind')?.toLowerCase();
    if (kind !== undefined && kind !== 'unknown') return SPAN_TYPES.get(kind) ?? kind;
    const operation = this.#texts.get('operationKind')?.toLowerCase();
    if (operation !== undefined) return OPERATION_TYPES.get(operation) ?? 'function';
    return this.#texts.has('model') ? 'llm_call' : 'span';
  }

  get operation(): string | undefined {
    return this.#texts.get('operation');
  }

  get session(): { readonly externalId: string; readonly name?: string } | undefined {
    const externalId = this.#texts.get('session');
    if (externalId === undefined) return undefined;
    const name = this.#texts.get('sessionName');
    return name === undefined ? { externalId } : { externalId, name };
  }

  get capability(): CapabilityClaim | undefined {
    const id = this.#texts.get('capabilityId');
    const name = this.#texts.get('capabilityName');
    const slug = this.#texts.get('capabilitySlug');
    if (id === undefined && name === undefined && slug === undefined) return undefined;
    return {
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(slug !== undefined && { slug }),
    };
  }

  /** A span is a unit when it names a behaviour or calls itself an entry point. */
  get unit(): UnitMark | undefined {
    const behaviourKey = this.#texts.get('behaviour') ?? '';
    if (behaviourKey === '' && this.spanType !== 'entry_point') return undefined;
    const terminalKind = this.#texts.get('terminalKind');
    return {
      behaviourKey,
      ...(terminalKind !== undefined && { terminalKind }),
      interrupted: this.#interrupted || terminalKind === 'interrupted',
    };
  }

  /** Keeps the value if it can be used for the role. */
  #take(role: Role, value: JsonValue | undefined): boolean {
    const max = TEXT_MAX[role];
    if (max !== undefined) {
      const text = textOf(value);
      if (text === '') return false;
      this.#texts.set(role, clip(text, max));
      return true;
    }
    const number = numberOf(value);
    if (number === undefined || !isPlausible(role, number)) return false;
    this.#numbers.set(role, role.endsWith('Tokens') ? Math.trunc(number) : number);
    return true;
  }
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

/** Non-negative finite numbers; some exporters send figures as strings. */
function numberOf(value: JsonValue | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** A figure no contract field could carry is a fault of the sender, and would spoil every sum it enters. */
function isPlausible(role: Role, number: number): boolean {
  return role.endsWith('Tokens') ? number <= MAX_TOKENS : number <= MAX_COST;
}

/** A billion: millions of such spans still sum to a safe integer. */
const MAX_TOKENS = 1_000_000_000;

function sumOf(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
}
