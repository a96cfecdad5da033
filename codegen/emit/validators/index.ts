/** Validators for everything that crosses the border: arguments, answers, URI variables, REST bodies, job payloads. */
import { fillsDefaults } from '../../canonical/index.ts';
import type { CanonicalModel, Shape } from '../../canonical/index.ts';
import type { ShapeRole } from '../../canonical/shapes.ts';
import { fileName } from '../contracts/homes.ts';
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { render } from '../render.ts';
import type { Direction } from './compile.ts';

/** Folder and registry name of each validated role. */
const GROUPS: readonly { readonly role: ShapeRole; readonly folder: string; readonly group: string }[] = [
  { role: 'toolInput', folder: 'tool-input', group: 'toolInput' },
  { role: 'toolOutput', folder: 'tool-output', group: 'toolOutput' },
  { role: 'resourceVariables', folder: 'resource-variables', group: 'resourceVariables' },
  { role: 'resourcePayload', folder: 'resource-payload', group: 'resourcePayload' },
  { role: 'promptArguments', folder: 'prompt-arguments', group: 'promptArguments' },
  { role: 'jobPayload', folder: 'job-payload', group: 'jobPayload' },
  { role: 'jobProgress', folder: 'job-progress', group: 'jobProgress' },
  { role: 'jobDetails', folder: 'job-details', group: 'jobDetails' },
  { role: 'endpointParameters', folder: 'endpoint-parameters', group: 'endpointParameters' },
  { role: 'endpointRequest', folder: 'endpoint-request', group: 'endpointRequest' },
  { role: 'endpointResponse', folder: 'endpoint-response', group: 'endpointResponse' },
];

/** Compiles one shape; may answer from a cache. */
export type Compile = (shape: Shape, direction: Direction) => Promise<string>;

const RUNTIME = '../runtime.ts';

export async function emitValidators({ canonical }: EmitInput, compile?: Compile): Promise<Emitted> {
  const make = compile ?? (await freshCompile(canonical));
  const files = new Map<string, EmittedFile>();
  for (const { role, folder } of GROUPS) {
    for (const shape of shapesOf(canonical, role)) {
      const body = await make(shape, directionOf(role));
      files.set(`validators/${folder}/${fileName(shape.entity)}.ts`, { source: shape.source.file, body });
    }
  }
  const groups = GROUPS.map(({ role, folder, group }) => ({
    group,
    entries: shapesOf(canonical, role).map((shape) => ({
      entity: shape.entity,
      local: `${shape.typeName}Validator`,
      path: `./${folder}/${fileName(shape.entity)}.ts`,
    })),
  }));
  files.set('validators/index.ts', { source: '', body: render(import.meta.url, 'index', { groups }) });
  files.set('validators/runtime.ts', { source: '', body: render(import.meta.url, 'runtime', {}) });
  return files;
}

/** Loads the compiler only when something has to be compiled. */
export async function freshCompile(canonical: CanonicalModel): Promise<Compile> {
  const { compileValidator } = await import('./compile.ts');
  return (shape, direction) => Promise.resolve(compileValidator(shape.node, direction, canonical.lookup, RUNTIME));
}

function directionOf(role: ShapeRole): Direction {
  return fillsDefaults(role) ? 'inbound' : 'outbound';
}

function shapesOf(canonical: CanonicalModel, role: ShapeRole): Shape[] {
  return [...canonical.shapes.values()].filter((shape) => shape.role === role);
}
