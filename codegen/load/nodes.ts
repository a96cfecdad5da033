/**
 * What a YAML document is to the compiler: maps, lists and scalars with the offset each one starts at.
 * Both readers produce these nodes, so nothing behind them knows which of the two has read a file.
 */
export type YamlNode = MapNode | ListNode | ScalarNode;

export interface MapEntry {
  readonly key: string;
  readonly keyStart: number;
  readonly value: YamlNode;
}

export interface MapNode {
  readonly kind: 'map';
  readonly start: number;
  readonly entries: readonly MapEntry[];
}

export interface ListNode {
  readonly kind: 'list';
  readonly start: number;
  readonly items: readonly YamlNode[];
}

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly start: number;
  readonly value: string | number | boolean | null;
  /** The characters as written, for plain scalars only; quoted and block text has none. */
  readonly plain?: string;
}

/** A fault found while reading, at an offset of the text. */
export interface ReadFault {
  readonly rule: string;
  readonly offset: number;
  readonly message: string;
  readonly remedy?: string;
}
