import { clip } from '../kernel/bounded.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { findUnsafe, neutralise } from '../kernel/json.ts';
import type { ToolContract, ValidationFault, Validator, WireSchema } from './contract.ts';
import { isObject } from './protocol.ts';

const MOST_FIELDS = 20;
const LONGEST_FIELD_MESSAGE = 300;
const LONGEST_NAME = 120;

/** What is wrong, by dotted place of the argument. */
export type FieldFaults = ReadonlyMap<string, string>;

/**
 * Checks arguments against the contract and fills defaults in place. An optional argument that is null, or blank
 * where text could not be meant, counts as left out when the schema has no room for it: several clients send every
 * field of a form.
 */
export function checkArguments(
  tool: ToolContract,
  validate: Validator,
  args: Record<string, unknown>,
): FieldFaults | undefined {
  if (validate(args)) return undefined;
  const faults = validate.errors ?? [];
  if (!dropEmptyOptionals(tool, args, faults)) return fieldFaults(faults, args, tool);
  if (validate(args)) return undefined;
  return fieldFaults(validate.errors ?? [], args, tool);
}

function dropEmptyOptionals(
  tool: ToolContract,
  args: Record<string, unknown>,
  faults: readonly ValidationFault[],
): boolean {
  let dropped = false;
  for (const fault of faults) {
    const name = fault.instancePath.slice(1);
    if (name === '' || name.includes('/') || !Object.hasOwn(args, name)) continue;
    const value = args[name];
    const isBlank = typeof value === 'string' && value.trim() === '';
    if (value !== null && !isBlank) continue;
    const { properties, required } = shape(tool.inputSchema.project);
    if (required.includes(name) || (isBlank && isFreeText(properties[name]))) continue;
    delete args[name];
    dropped = true;
  }
  return dropped;
}

function shape(schema: WireSchema): { properties: Record<string, unknown>; required: readonly unknown[] } {
  return {
    properties: isObject(schema['properties']) ? schema['properties'] : {},
    required: Array.isArray(schema['required']) ? schema['required'] : [],
  };
}

/** A string in the caller's own words: blank is a mistake worth telling, not an absence. */
function isFreeText(schema: unknown): boolean {
  return (
    isObject(schema) &&
    schema['type'] === 'string' &&
    !('enum' in schema) &&
    !('format' in schema) &&
    !('pattern' in schema)
  );
}

function fieldFaults(
  faults: readonly ValidationFault[],
  args: Record<string, unknown>,
  tool: ToolContract,
): FieldFaults {
  const fields = new Map<string, string>();
  for (const fault of faults) {
    const place = placeOf(fault);
    if (fields.has(place)) continue;
    if (fields.size >= MOST_FIELDS) break;
    fields.set(place, clip(neutralise(explain(fault, args, tool)), LONGEST_FIELD_MESSAGE));
  }
  return fields;
}

/** Values that JSON carries but nothing behind it can keep. */
export function checkUnsafe(args: Record<string, unknown>): FieldFaults | undefined {
  const unsafe = findUnsafe(args, MOST_FIELDS);
  if (unsafe.length === 0) return undefined;
  return new Map(unsafe.map(({ path, message }) => [name(path), message]));
}

/** The sentence for a caller whose arguments are refused. */
export function invalidInputMessage(faults: FieldFaults): string {
  const names = [...faults.keys()].map((field) => `\`${field}\``).join(', ');
  return `The arguments do not fit the contract: ${names}. Correct them as the fields say and call again.`;
}

function placeOf(fault: ValidationFault): string {
  const { instancePath, params } = fault;
  const extra = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  const holder = instancePath.slice(1);
  const path = holder.includes('/') || holder.includes('~') ? holder.split('/').map(unescapePointer).join('.') : holder;
  if (typeof extra !== 'string') return name(path);
  return name(path === '' ? extra : `${path}.${extra}`);
}

/** A place may be spelt by the caller; it is shown, but never at length and never with unseen characters. */
function name(place: string): string {
  return clip(neutralise(place === '' ? 'arguments' : place), LONGEST_NAME);
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function explain(fault: ValidationFault, args: Record<string, unknown>, tool: ToolContract): string {
  const { params } = fault;
  switch (fault.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return explainUnknown(
        String(params['additionalProperty'] ?? params['unevaluatedProperty']),
        fault.instancePath === '',
        tool,
      );
    case 'type':
      return explainType(params['type'], valueAt(args, fault.instancePath));
    case 'enum':
      return `must be one of ${listValues(params['allowedValues'])}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'format':
      return `must be a valid ${String(params['format'])}${formatHint(params['format'])}`;
    case 'pattern':
      return `must match ${String(params['pattern'])}`;
    default:
      return fault.message ?? `breaks the rule ${fault.keyword}`;
  }
}

function explainUnknown(unknown: string, atRoot: boolean, tool: ToolContract): string {
  const close = atRoot ? didYouMean(unknown, tool.argumentNames) : undefined;
  if (close !== undefined) return `is not an argument of this tool; did you mean \`${close}\`?`;
  return atRoot && tool.argumentNames.length > 0
    ? `is not an argument of this tool; it takes ${tool.argumentNames.map((known) => `\`${known}\``).join(', ')}`
    : 'is not known here';
}

function explainType(expected: unknown, value: unknown): string {
  const wanted = Array.isArray(expected) ? expected.join(' or ') : String(expected);
  const article = /^[aeiou]/.test(wanted) ? 'an' : 'a';
  if (typeof value === 'string' && (wanted === 'object' || wanted === 'array') && /^\s*[[{]/.test(value)) {
    return `must be ${article} ${wanted}, not a string with JSON in it; send the ${wanted} itself`;
  }
  return `must be ${article} ${wanted}`;
}

function formatHint(format: unknown): string {
  switch (format) {
    case 'date-time':
      return ' with offset, for example 2026-02-07T00:00:00Z';
    case 'date':
      return ', for example 2026-02-07';
    case 'uuid':
      return ', for example 01890a5d-ac96-774b-bcce-b302099a8057';
    default:
      return '';
  }
}

/** Texts of enums, kept as long as the contract that holds them. */
const ENUM_TEXTS = new WeakMap<object, string>();

function listValues(values: unknown): string {
  if (!Array.isArray(values)) return 'the listed values';
  const before = ENUM_TEXTS.get(values);
  if (before !== undefined) return before;
  const text = values.map((value) => JSON.stringify(value)).join(', ');
  ENUM_TEXTS.set(values, text);
  return text;
}

function valueAt(root: unknown, pointer: string): unknown {
  let node = root;
  for (const step of pointer === '' ? [] : pointer.slice(1).split('/').map(unescapePointer)) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    // because the step was just seen to be an own property
    node = (node as Record<string, unknown>)[step];
  }
  return node;
}
