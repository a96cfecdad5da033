import type { JsonValue } from '../model/types.ts';
import type { JsonType } from './json.ts';
import type { Rational } from './rational.ts';

interface Node {
  /** Equal structure, equal id, within one forge. */
  readonly id: number;
}

export interface TrueForm extends Node {
  readonly kind: 'true';
}
export interface FalseForm extends Node {
  readonly kind: 'false';
}
export interface AndForm extends Node {
  readonly kind: 'and';
  readonly parts: readonly Form[];
}
export interface OrForm extends Node {
  readonly kind: 'or';
  readonly parts: readonly Form[];
}
/** A recursive schema, unfolded only where a search reaches it. */
export interface RefForm extends Node {
  readonly kind: 'ref';
  readonly target: string;
  readonly positive: boolean;
}
export interface TypeForm extends Node {
  readonly kind: 'type';
  readonly mask: number;
}
/** The value is one of these, or (negative) none of these. */
export interface ValuesForm extends Node {
  readonly kind: 'values';
  readonly values: readonly JsonValue[];
  /** The canonical texts of the values. */
  readonly keys: ReadonlySet<string>;
  readonly positive: boolean;
}
export interface RangeForm extends Node {
  readonly kind: 'range';
  readonly side: 'min' | 'max';
  readonly bound: Rational;
  readonly open: boolean;
}
export interface MultipleForm extends Node {
  readonly kind: 'multiple';
  readonly of: Rational;
  readonly positive: boolean;
}
/** Length in code points, items or properties, both ends included. */
export interface SizeForm extends Node {
  readonly kind: 'size';
  readonly of: 'string' | 'array' | 'object';
  readonly min: number;
  readonly max: number;
}
export interface PatternForm extends Node {
  readonly kind: 'pattern';
  readonly source: string;
  readonly positive: boolean;
}
export interface FormatForm extends Node {
  readonly kind: 'format';
  readonly name: string;
  readonly positive: boolean;
}
/** Between min and max items at positions from ≤ i < to satisfy the form. */
export interface CountForm extends Node {
  readonly kind: 'count';
  readonly from: number;
  readonly to: number;
  readonly form: Form;
  readonly min: number;
  readonly max: number;
}
export interface UniqueForm extends Node {
  readonly kind: 'unique';
  readonly positive: boolean;
}
/** Some property has a name in `names` and a value in `form`; negative: none has. */
export interface SomeForm extends Node {
  readonly kind: 'some';
  readonly names: Form;
  readonly form: Form;
  readonly positive: boolean;
}
/** A claim the engine cannot read. It is never true nor false. */
export interface OpaqueForm extends Node {
  readonly kind: 'opaque';
  readonly keyword: string;
  readonly path: string;
  readonly reason: string;
  /** Tells apart any two claims that are not the same claim. */
  readonly identity: string;
  readonly positive: boolean;
}

export type Atom =
  | ValuesForm
  | RangeForm
  | MultipleForm
  | SizeForm
  | PatternForm
  | FormatForm
  | CountForm
  | UniqueForm
  | SomeForm
  | OpaqueForm;

/**
 * What a schema claims about one value. Every atom except the negative value list and opaque claims is
 * strong: it holds only for values of its own type, so "if a number, then at least 5" is
 * `type(not number) or range(min 5)`.
 */
export type Form = TrueForm | FalseForm | AndForm | OrForm | RefForm | TypeForm | Atom;

/** The type an atom implies; undefined where it says nothing about the type. */
export function atomType(form: Atom): JsonType | undefined {
  switch (form.kind) {
    case 'range':
    case 'multiple':
      return 'number';
    case 'pattern':
    case 'format':
      return 'string';
    case 'size':
      return form.of;
    case 'count':
    case 'unique':
      return 'array';
    case 'some':
      return 'object';
    case 'values':
    case 'opaque':
      return undefined;
  }
}

export function conjuncts(form: Form): readonly Form[] {
  if (form.kind === 'and') return form.parts;
  return form.kind === 'true' ? [] : [form];
}
