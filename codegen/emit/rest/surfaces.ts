/** Addresses that a part of the server answers by itself, with how each stands to agents. */
import type { EndpointSpec, PageSpec } from '../../model/types.ts';
import { compareText } from '../../canonical/json.ts';
import { plain } from '../catalog/contract-objects.ts';
import type { EmitInput, Emitted } from '../emitter.ts';
import { render } from '../render.ts';

type Spec = EndpointSpec | PageSpec;

/** What the router or the Console serves. */
export function routed<T extends Spec>(specs: readonly T[]): readonly T[] {
  return specs.filter(({ surface }) => surface === undefined);
}

export function emitSurfaces({ canonical: { model } }: EmitInput): Emitted {
  const specs = [...model.endpoints, ...model.pages].filter(({ surface }) => surface !== undefined);
  if (specs.length === 0) return new Map();
  const names = [...new Set(specs.map(({ surface = '' }) => surface))].sort(compareText);
  const surfaces = names.map((name) => ({
    name,
    entries: specs
      .filter(({ surface }) => surface === name)
      .sort((left, right) => compareText(left.name, right.name))
      .map((spec) => ({ name: spec.name, value: plain(entryOf(spec)) })),
  }));
  return new Map([['rest/surfaces.ts', { source: '', body: render(import.meta.url, 'surfaces', { surfaces }) }]]);
}

function entryOf(spec: Spec): object {
  const { kind, title, path, mcpImpact } = spec;
  return { kind, title, path, method: 'method' in spec ? spec.method : 'GET', mcpImpact };
}
