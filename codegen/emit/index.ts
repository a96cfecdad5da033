/** Runs every emitter over one model. */
import { emitCatalog } from './catalog/catalog.ts';
import { emitEntityTypes } from './contracts/entity-types.ts';
import type { Declare } from './contracts/entity-types.ts';
import { emitRegistries } from './contracts/registries.ts';
import type { EmitInput, EmitSource, EmittedFile } from './emitter.ts';
import { withBanner } from './banner.ts';
import { emitPages } from './console/pages.ts';
import { emitClient } from './rest/client.ts';
import { emitOpenApi } from './rest/openapi.ts';
import { emitOperations } from './rest/operations.ts';
import { emitSurfaces } from './rest/surfaces.ts';
import { emitSkills } from './skills/skills.ts';
import { emitSurface, surfaceOf } from './surface/surface.ts';
import { emitContractTests } from './tests/contract-tests.ts';
import { emitValidators } from './validators/index.ts';
import type { Compile } from './validators/index.ts';
import { compareText } from '../canonical/json.ts';

/** Slow steps that a cache may answer. */
export interface EmitSteps {
  readonly declare?: Declare;
  readonly compile?: Compile;
}

/** All generated files with their banners, in path order. */
export async function emitAll(source: EmitSource, steps: EmitSteps = {}): Promise<ReadonlyMap<string, string>> {
  const input: EmitInput = { ...source, surface: surfaceOf(source) };
  const parts = [
    await emitEntityTypes(input, steps.declare),
    emitRegistries(input),
    await emitValidators(input, steps.compile),
    emitCatalog(input),
    emitOperations(input),
    emitSurfaces(input),
    emitOpenApi(input),
    emitClient(input),
    emitPages(input),
    emitSurface(input),
    emitSkills(input),
    emitContractTests(input),
  ];
  const files = new Map<string, EmittedFile>();
  for (const part of parts) {
    for (const [path, file] of part) {
      if (files.has(path)) throw new Error(`two emitters write ${path}`);
      files.set(path, file);
    }
  }
  const paths = [...files].sort(([left], [right]) => compareText(left, right));
  return new Map(paths.map(([path, file]) => [path, withBanner(path, file)]));
}
