/** The members of a shape as rows: name, type, whether it is needed, bounds and meaning. */
import type { Lookup, Node } from '../canonical/node.ts';
import { isNull } from '../canonical/node.ts';
import type { Block, Text } from './page.ts';
import { prose } from './prose.ts';
import type { Names } from './prose.ts';

export interface Tables {
  readonly lookup: Lookup;
  readonly names: Names;
}

const DEEPEST = 4;

export function schemaTable(node: Node | undefined, about: string, tables: Tables): Block {
  const rows = node === undefined ? [] : rowsOf(node, '', { tables, seen: [], depth: 0 });
  if (rows.length === 0) return { kind: 'text', text: ['Nothing.'] };
  return { kind: 'table', about, head: ['Name', 'Type', 'Needed', 'Meaning'], rows };
}

interface Place {
  readonly tables: Tables;
  /** Names of the shapes above, so that a recursive one ends. */
  readonly seen: readonly string[];
  readonly depth: number;
}

function rowsOf(node: Node, prefix: string, place: Place): (readonly Text[])[] {
  const { tables, seen, depth } = place;
  if (depth > DEEPEST) return [];
  const deeper = { ...place, depth: depth + 1 };
  switch (node.kind) {
    case 'ref': {
      const target = tables.lookup(node.name);
      if (target === undefined || seen.includes(node.name)) return [];
      return rowsOf(target, prefix, { ...place, seen: [...seen, node.name] });
    }
    case 'array':
      return rowsOf(node.items, `${prefix}[]`, deeper);
    case 'union':
      return node.members.flatMap((member) => rowsOf(member, prefix, deeper));
    case 'object':
      return node.properties.flatMap(({ name, node: child, required }) => {
        const path = prefix === '' ? name : `${prefix}.${name}`;
        return [rowOf(path, child, required, tables), ...rowsOf(child, path, deeper)];
      });
    case 'any':
    case 'never':
    case 'literal':
    case 'scalar':
    case 'tuple':
      return [];
  }
}

function rowOf(path: string, node: Node, required: boolean, { lookup, names }: Tables): readonly Text[] {
  const { description, default: preset } = node.notes;
  const said = description ?? (node.kind === 'ref' ? lookup(node.name)?.notes.description : undefined) ?? '';
  const needed = required ? 'yes' : preset === undefined ? 'no' : `no, ${JSON.stringify(preset)} when absent`;
  const bounds = boundsOf(node);
  return [
    [{ code: path }],
    [typeOf(node, lookup)],
    [needed],
    [...prose(said, names), ...(bounds === '' ? [] : [`${said === '' ? '' : ' '}${bounds}`])],
  ];
}

function typeOf(node: Node, lookup: Lookup, depth = 0): string {
  if (depth > DEEPEST) return 'value';
  switch (node.kind) {
    case 'any':
      return 'anything';
    case 'never':
      return 'nothing';
    case 'literal':
      return node.values.map((value) => JSON.stringify(value)).join(' or ');
    case 'scalar':
      return node.limits.format === undefined ? node.type : `${node.type} (${node.limits.format})`;
    case 'ref': {
      const target = lookup(node.name);
      return target === undefined ? 'value' : typeOf(target, lookup, depth + 1);
    }
    case 'object':
      return 'object';
    case 'array':
      return `list of ${typeOf(node.items, lookup, depth + 1)}`;
    case 'tuple':
      return 'list';
    case 'union': {
      const shown = node.members.filter((member) => !isNull(member));
      const words = [...new Set(shown.map((member) => typeOf(member, lookup, depth + 1)))];
      return [...words, ...(shown.length < node.members.length ? ['null'] : [])].join(' or ');
    }
  }
}

type Bound = string | number | boolean;

const WORDS: Readonly<Record<string, (value: Bound) => string>> = {
  minLength: (value) => (value === 1 ? 'not empty' : `at least ${String(value)} characters`),
  maxLength: (value) => `at most ${String(value)} characters`,
  pattern: (value) => `matches ${String(value)}`,
  minimum: (value) => `at least ${String(value)}`,
  maximum: (value) => `at most ${String(value)}`,
  exclusiveMinimum: (value) => `above ${String(value)}`,
  exclusiveMaximum: (value) => `below ${String(value)}`,
  multipleOf: (value) => `a multiple of ${String(value)}`,
  minItems: (value) => (value === 1 ? 'not empty' : `at least ${String(value)} items`),
  maxItems: (value) => `at most ${String(value)} items`,
  maxProperties: (value) => `at most ${String(value)} members`,
};

function boundsOf(node: Node): string {
  const limits = Object.entries(node.limits).flatMap(([name, value]: [string, Bound]) => {
    const word = WORDS[name];
    return word === undefined ? [] : [word(value)];
  });
  const all = [...(node.notes.unit === undefined ? [] : [`in ${node.notes.unit}`]), ...limits];
  return all.length === 0 ? '' : `(${all.join(', ')})`;
}
