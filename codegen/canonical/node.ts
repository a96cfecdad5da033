/**
 * The canonical form of a schema: what is left once composition is resolved, types are single and objects say
 * whether they are closed. The type emitter, the validator emitter and the projections all read this form and
 * nothing else, so they cannot disagree about what a contract means.
 */
import type { JsonPath, JsonValue } from '../model/types.ts';

export type ScalarType = 'string' | 'number' | 'integer' | 'boolean' | 'null';

/** What a schema says about its value without restricting it. */
export interface Notes {
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly default?: JsonValue;
  readonly unit?: string;
  /** Name of the request header that mirrors the argument. */
  readonly header?: string;
  /** The enum will grow, so readers must expect other values. */
  readonly extensible?: boolean;
}

/** Keywords that restrict values without changing their type. Validators enforce them, types only tell them. */
export interface Limits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

interface NodeBase {
  readonly notes: Notes;
  readonly limits: Limits;
}

export interface AnyNode extends NodeBase {
  readonly kind: 'any';
}

/** Accepts nothing: a property that must be absent. */
export interface NeverNode extends NodeBase {
  readonly kind: 'never';
}

/** A named schema of the bundle. */
export interface RefNode extends NodeBase {
  readonly kind: 'ref';
  readonly name: string;
}

export interface LiteralNode extends NodeBase {
  readonly kind: 'literal';
  readonly values: readonly JsonValue[];
}

export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly type: ScalarType;
}

export interface Property {
  readonly name: string;
  readonly node: Node;
  readonly required: boolean;
}

export interface ObjectNode extends NodeBase {
  readonly kind: 'object';
  readonly properties: readonly Property[];
  readonly patterns: readonly { readonly pattern: string; readonly node: Node }[];
  /** What further members may hold: nothing, anything, or values of one shape. */
  readonly rest: 'closed' | 'open' | Node;
  readonly propertyNames?: Node;
}

export interface ArrayNode extends NodeBase {
  readonly kind: 'array';
  readonly items: Node;
  readonly contains?: { readonly node: Node; readonly minContains?: number; readonly maxContains?: number };
}

export interface TupleNode extends NodeBase {
  readonly kind: 'tuple';
  readonly items: readonly Node[];
  readonly rest: 'closed' | Node;
}

export interface UnionNode extends NodeBase {
  readonly kind: 'union';
  readonly members: readonly Node[];
}

export type Node =
  AnyNode | NeverNode | RefNode | LiteralNode | ScalarNode | ObjectNode | ArrayNode | TupleNode | UnionNode;

/** Something that types and validators could not both express exactly. */
export interface CanonicalFault {
  readonly path: JsonPath;
  readonly message: string;
  readonly remedy: string;
}

/** Finds the canonical form of a named schema, or undefined when the name is unknown. */
export type Lookup = (name: string) => Node | undefined;

export const NO_LIMITS: Limits = {};

/** The union of a node's alternatives without nesting. */
export function membersOf(node: Node): readonly Node[] {
  return node.kind === 'union' ? node.members : [node];
}

export function isNull(node: Node): boolean {
  return (
    (node.kind === 'scalar' && node.type === 'null') ||
    (node.kind === 'literal' && node.values.length === 1 && node.values[0] === null)
  );
}
