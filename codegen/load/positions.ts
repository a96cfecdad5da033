import type { JsonPath, JsonValue, Locate, SourcePosition } from '../model/types.ts';
import type { YamlNode } from './nodes.ts';

/** Turns offsets of one text into line and column, both from 1. */
export class LineIndex {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  position(file: string, offset: number): SourcePosition {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}

function stepInto(node: YamlNode, step: string | number): { value: YamlNode; keyStart: number } | undefined {
  if (node.kind === 'map') {
    const entry = node.entries.find(({ key }) => key === String(step));
    return entry && { value: entry.value, keyStart: entry.keyStart };
  }
  if (node.kind === 'list' && typeof step === 'number') {
    const item = node.items[step];
    return item && { value: item, keyStart: item.start };
  }
  return undefined;
}

/** Builds the position lookup of one document. The line table is made on first use: most documents have no fault. */
export function locator(file: string, text: string, root: YamlNode): Locate {
  let lines: LineIndex | undefined;
  return (path: JsonPath, at = 'value') => {
    lines ??= new LineIndex(text);
    let node = root;
    let offset = root.start;
    for (const step of path) {
      const next = stepInto(node, step);
      if (next === undefined) break;
      node = next.value;
      offset = at === 'key' ? next.keyStart : node.start;
    }
    return lines.position(file, offset);
  };
}

/** The plain JSON value of a document. */
export function toValue(node: YamlNode): JsonValue {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(toValue);
    case 'map': {
      const object: { [key: string]: JsonValue } = {};
      for (const { key, value } of node.entries) object[key] = toValue(value);
      return object;
    }
  }
}

export function pointer(path: JsonPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
