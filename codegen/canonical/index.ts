/** The canonical form of a whole contract model. */
import { bundleDefs } from '../model/bundle.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { ContractModel, JsonPath, JsonSchema, Source } from '../model/types.ts';
import { canonicalise } from './canonicalise.ts';
import { refuseLostDefaults } from './defaults.ts';
import type { CanonicalFault, Lookup, Node } from './node.ts';
import { shapeSources } from './shapes.ts';
import type { ShapeRole, ShapeSource } from './shapes.ts';
import { refuseInexactTypes } from './type-limits.ts';

export interface Shape extends ShapeSource {
  readonly node: Node;
}

export interface CanonicalModel {
  readonly model: ContractModel;
  /** Every shape by type name, in name order. */
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly lookup: Lookup;
  readonly diagnostics: readonly Diagnostic[];
}

const FILLED: ReadonlySet<ShapeRole> = new Set([
  'toolInput',
  'endpointParameters',
  'endpointRequest',
  'resourceVariables',
  'promptArguments',
]);

/** Roles whose values come from outside, so that defaults are filled in before a handler sees them. */
export function fillsDefaults(role: ShapeRole): boolean {
  return FILLED.has(role);
}

export function canonicalModel(model: ContractModel): CanonicalModel {
  const diagnostics: Diagnostic[] = [];
  const defs = bundleDefs(model);
  const shapes = new Map<string, Shape>();
  const checks: (() => void)[] = [];
  const lookup: Lookup = (name) => shapes.get(name)?.node;
  const resolve = (ref: string): JsonSchema | undefined => {
    const name = ref.startsWith('#/$defs/') ? ref.slice('#/$defs/'.length) : '';
    return Object.hasOwn(defs, name) ? defs[name] : undefined;
  };
  for (const source of shapeSources(model)) {
    const rival = shapes.get(source.typeName);
    if (rival !== undefined) diagnostics.push(collision(source, rival));
    const fault = (one: CanonicalFault): void => void diagnostics.push(toDiagnostic(one, source.source));
    const node = canonicalise(source.schema, source.path, {
      resolve,
      lookup,
      fault,
      later: (check) => checks.push(check),
    });
    shapes.set(source.typeName, { ...source, node });
    checks.push(() => {
      refuseInexactTypes(node, source.path, lookup, fault);
      if (fillsDefaults(source.role)) refuseLostDefaults(node, source.path, lookup, fault);
    });
  }
  for (const check of checks) check();
  return { model, shapes, lookup, diagnostics };
}

function toDiagnostic({ path, message, remedy }: CanonicalFault, source: Source): Diagnostic {
  return {
    rule: 'schema-is-exact',
    level: 'error',
    message,
    remedy,
    position: source.locate(path),
    pointer: pointerOf(path),
  };
}

function collision(one: ShapeSource, two: ShapeSource): Diagnostic {
  return {
    rule: 'names-are-unique',
    level: 'error',
    message: `\`${one.entity}\` and \`${two.entity}\` (${two.source.file}) both become the type \`${one.typeName}\`.`,
    remedy: 'Rename one of them.',
    position: one.source.locate(one.path),
    pointer: pointerOf(one.path),
  };
}

export function pointerOf(path: JsonPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
