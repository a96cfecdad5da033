import { isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments, visit } from 'yaml';
import type { Document, Node, Pair, Scalar } from 'yaml';
import type { MapEntry, ReadFault, YamlNode } from './nodes.ts';

const MAX_DEPTH = 64;
/** Brackets inside quoted text count too, so the bound is far above the depth that is allowed. */
const MAX_BRACKETS = 1000;
const [OPEN_SQUARE, CLOSE_SQUARE, OPEN_CURLY, CLOSE_CURLY] = [0x5b, 0x5d, 0x7b, 0x7d];
const QUOTE_IT = 'Put it in quotes, or write true or false.';

export interface ReadResult {
  readonly node?: YamlNode;
  readonly faults: readonly ReadFault[];
}

class Faults {
  readonly list: ReadFault[] = [];

  add(rule: string, offset: number, message: string, remedy?: string): void {
    this.list.push({ rule, offset, message, ...(remedy === undefined ? {} : { remedy }) });
  }
}

function startOf(node: Node | null | undefined, fallback: number): number {
  return node?.range?.[0] ?? fallback;
}

function refuseIndirection(document: Document, faults: Faults): void {
  const rule = 'in-duplicate-key';
  visit(document, (_key, node) => {
    if (isAlias(node)) {
      faults.add(rule, startOf(node, 0), `The alias \`*${node.source}\` is not allowed.`, 'Write the value out.');
      return;
    }
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return;
    if (node.anchor !== undefined) {
      faults.add(rule, startOf(node, 0), `The anchor \`&${node.anchor}\` is not allowed.`, 'Write the value out.');
    }
    if (node.tag !== undefined) {
      faults.add('yaml-tag', startOf(node, 0), `The tag \`${node.tag}\` is not allowed.`, 'Remove the tag.');
    }
  });
}

function scalarNode(node: Scalar, start: number, faults: Faults): YamlNode {
  const { value } = node;
  const plain = node.type === 'PLAIN' ? (node.source ?? '') : undefined;
  if (plain !== undefined && /^(?:yes|no|on|off)$/iu.test(plain)) {
    faults.add(
      'in-duplicate-key',
      start,
      `\`${plain}\` without quotes means different things to different readers.`,
      QUOTE_IT,
    );
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    faults.add(
      'yaml-syntax',
      start,
      `\`${plain ?? ''}\` is not a number that JSON can hold.`,
      'Write a finite number.',
    );
    return { kind: 'scalar', start, value: 0 };
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'scalar', start, value, ...(plain === undefined ? {} : { plain }) };
  }
  return { kind: 'scalar', start, value: null, ...(plain === undefined ? {} : { plain }) };
}

function mapEntry(pair: Pair, fallback: number, depth: number, faults: Faults): MapEntry | undefined {
  const { key, value } = pair;
  if (!isScalar(key)) {
    faults.add('yaml-key', fallback, 'A key must be a single word.', 'Write the key as plain text.');
    return undefined;
  }
  const keyStart = startOf(key, fallback);
  const name = typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
  if (key.type === 'PLAIN' && /^(?:yes|no|on|off)$/iu.test(name)) {
    faults.add(
      'in-duplicate-key',
      keyStart,
      `The key \`${name}\` without quotes means different things to different readers.`,
      'Put it in quotes.',
    );
  }
  if (name === '<<') {
    faults.add('in-duplicate-key', keyStart, 'Merge keys are not allowed.', 'Write the members out.');
    return undefined;
  }
  if (name === '__proto__') {
    faults.add('yaml-key', keyStart, 'The key `__proto__` is not allowed.', 'Choose another name.');
    return undefined;
  }
  // The parser is typed for any value; parsed documents hold nodes or nothing.
  const node = isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : null;
  return { key: name, keyStart, value: convert(node, keyStart, depth + 1, faults) };
}

function convert(node: Node | null, fallback: number, depth: number, faults: Faults): YamlNode {
  const start = startOf(node, fallback);
  if (depth > MAX_DEPTH) {
    faults.add('yaml-depth', start, `Values are nested more than ${MAX_DEPTH} levels deep.`, 'Flatten the document.');
    return { kind: 'scalar', start, value: null };
  }
  if (isMap(node)) {
    const entries = node.items.map((pair) => (isPair(pair) ? mapEntry(pair, start, depth, faults) : undefined));
    return { kind: 'map', start, entries: entries.filter((entry) => entry !== undefined) };
  }
  if (isSeq(node)) {
    const items = node.items.map((item) =>
      convert(isScalar(item) || isMap(item) || isSeq(item) || isAlias(item) ? item : null, start, depth + 1, faults),
    );
    return { kind: 'list', start, items };
  }
  return isScalar(node) ? scalarNode(node, start, faults) : { kind: 'scalar', start, value: null };
}

/** Brackets and dashes that nest beyond any contract; the parser below would spend seconds on them. */
function nestsTooDeep(text: string): boolean {
  if (/^[ ]*(?:[-?] ){65}/mu.test(text)) return true;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN_SQUARE || code === OPEN_CURLY) depth += 1;
    else if (code === CLOSE_SQUARE || code === CLOSE_CURLY) depth -= 1;
    if (depth > MAX_BRACKETS) return true;
  }
  return false;
}

/** Reads one YAML document strictly. Never throws: what is wrong with the text is in the faults. */
export function readFullYaml(text: string): ReadResult {
  const faults = new Faults();
  if (nestsTooDeep(text)) {
    faults.add('yaml-depth', 0, `Values are nested more than ${MAX_DEPTH} levels deep.`, 'Flatten the document.');
    return { faults: faults.list };
  }
  try {
    const documents = parseAllDocuments(text, {
      uniqueKeys: true,
      strict: true,
      version: '1.2',
      merge: false,
      logLevel: 'silent',
    });
    const [first, second] = Array.isArray(documents) ? documents : [];
    if (first === undefined) {
      faults.add('yaml-syntax', 0, 'The file is empty.', 'Write one document into it.');
      return { faults: faults.list };
    }
    if (second !== undefined) {
      faults.add(
        'yaml-syntax',
        second.range[0],
        'A file holds exactly one document.',
        'Move the second one to its own file.',
      );
    }
    for (const error of first.errors) {
      const duplicate = error.code === 'DUPLICATE_KEY';
      const sentence = duplicate
        ? 'This key stands twice in the same map.'
        : `${(error.message.split(' at line ')[0] ?? '').replace(/[.:]$/u, '')}.`;
      faults.add(
        duplicate ? 'in-duplicate-key' : 'yaml-syntax',
        error.pos[0],
        sentence,
        duplicate ? 'Keep one of them.' : undefined,
      );
    }
    refuseIndirection(first, faults);
    const node = convert(first.contents, 0, 0, faults);
    return first.errors.some(({ code }) => code !== 'DUPLICATE_KEY')
      ? { faults: faults.list }
      : { node, faults: faults.list };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // Hostile nesting overflows the parser's recursion before our own depth check can see it.
    faults.add('yaml-depth', 0, `Values are nested more than ${MAX_DEPTH} levels deep.`, 'Flatten the document.');
    return { faults: faults.list };
  }
}
