/** Values for every shape of a contract, checked before they are given out. */
import type { CanonicalModel } from '../canonical/index.ts';
import type { Node } from '../canonical/node.ts';
import { sample } from '../emit/tests/sample.ts';
import type { ContractModel, JsonValue, ResourceSpec } from '../model/types.ts';
import type { ValueFault } from '../grammar/check-value.ts';
import { describeFault, faultsOf } from '../rules/values.ts';
import { makeText } from './make-text.ts';
import { makeValue } from './make-value.ts';
import { Random } from './random.ts';

const TRIES = 24;

export class Makers {
  readonly #canonical: CanonicalModel;
  readonly #seed: string;

  constructor(canonical: CanonicalModel, seed: string) {
    this.#canonical = canonical;
    this.#seed = seed;
  }

  get model(): ContractModel {
    return this.#canonical.model;
  }

  random(about: string): Random {
    return new Random(`${this.#seed} ${about}`);
  }

  /** The shape of a body, with references followed. */
  node(typeName: string): Node | undefined {
    return this.follow(this.#canonical.shapes.get(typeName)?.node);
  }

  follow(node: Node | undefined): Node | undefined {
    return node?.kind === 'ref' ? this.follow(this.#canonical.lookup(node.name)) : node;
  }

  /** What is wrong with a value of a shape, by the place in it. */
  faults(typeName: string, value: JsonValue): Readonly<Record<string, string>> {
    const shape = this.#canonical.shapes.get(typeName);
    if (shape === undefined) return {};
    return Object.fromEntries(
      faultsOf(this.model, shape.schema, value).map((fault) => [placeOf(fault), describeFault(fault)]),
    );
  }

  /**
   * A value of the shape, the same for the same `about`; `shape` may set members of its own. Undefined when none of
   * the tries validates: such a shape needs an example.
   */
  make(
    typeName: string,
    about: string,
    finish: (value: JsonValue, random: Random) => JsonValue = (value) => value,
  ): JsonValue | undefined {
    const node = this.#canonical.shapes.get(typeName)?.node;
    if (node === undefined) return undefined;
    const valid = (value: JsonValue | undefined): value is JsonValue =>
      value !== undefined && Object.keys(this.faults(typeName, value)).length === 0;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const random = this.random(`${typeName} ${about} ${attempt}`);
      const made = this.makeNode(node, random);
      const value = made === undefined ? undefined : finish(made, random);
      if (valid(value)) return value;
    }
    return (['most', 'least'] as const).map((full) => sample(node, full, this.#canonical.lookup)).find(valid);
  }

  makeNode(node: Node, random: Random, name = ''): JsonValue | undefined {
    const { lookup } = this.#canonical;
    return makeValue(node, { lookup, random, address: (one) => this.address(one) }, name);
  }

  /** An address that `resources/read` answers. */
  address(random: Random): string | undefined {
    const resource = random.pick(this.model.resources);
    return resource === undefined ? undefined : this.addressOf(resource, random);
  }

  addressOf(resource: ResourceSpec, random: Random): string {
    if (resource.uri !== undefined) return resource.uri;
    const [example] = resource.examples;
    return (resource.uriTemplate ?? '').replaceAll(/\{([^{}]*)\}/gu, (_, name: string) => {
      const shown = example?.variables[name];
      return encodeURIComponent(shown ?? this.#variable(resource, name, random));
    });
  }

  #variable(resource: ResourceSpec, name: string, random: Random): string {
    const node = this.node(`${resource.typeName}Variables`);
    const child = node?.kind === 'object' ? node.properties.find((one) => one.name === name)?.node : undefined;
    const value = child === undefined ? undefined : this.makeNode(child, random, name);
    if (typeof value === 'string') return value;
    return makeText({ kind: 'scalar', type: 'string', notes: {}, limits: {} }, random) ?? 'a';
  }
}

/** As the runtime names it: a member that is missing stands under its own name. */
function placeOf({ path, missing }: ValueFault): string {
  return [...path, ...(missing === undefined ? [] : [missing])].join('.') || 'arguments';
}
