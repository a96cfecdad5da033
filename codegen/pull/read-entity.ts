/** One listed entity, as the surface has it. What a server gets wrong is left out rather than guessed. */
import { isObject, type JsonObject } from '../contain/json.ts';
import type {
  Hints,
  PromptArgumentSurface,
  PromptSurface,
  ResourceSurface,
  ToolSurface,
} from '../diff/surface/types.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import { modernSchema } from './dialect.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
const TASKS = ['forbidden', 'optional', 'required'] as const;

/** Callers of a server were promised everything it lists, so all of it counts as stable. */
const stability = 'stable';

export function inputOf(tool: JsonObject): JsonSchema {
  return isObject(tool['inputSchema']) ? modernSchema(tool['inputSchema']) : { type: 'object' };
}

export function toolOf(tool: JsonObject): Omit<ToolSurface, 'published'> {
  const annotations = isObject(tool['annotations']) ? tool['annotations'] : {};
  const execution = isObject(tool['execution']) ? tool['execution'] : {};
  const taskSupport = TASKS.find((one) => one === execution['taskSupport']);
  return {
    title: text(tool['title']) || text(annotations['title']),
    description: text(tool['description']),
    stability,
    aliases: [],
    hints: hintsOf(annotations),
    input: inputOf(tool),
    ...(isObject(tool['outputSchema']) ? { output: modernSchema(tool['outputSchema']) } : {}),
    ...(taskSupport === undefined ? {} : { taskSupport }),
  };
}

function hintsOf(annotations: JsonObject): Hints {
  return Object.fromEntries(
    HINTS.flatMap((hint) => (typeof annotations[hint] === 'boolean' ? [[hint, annotations[hint]]] : [])),
  );
}

export function resourceOf(one: JsonObject): ResourceSurface {
  const uriTemplate = one['uriTemplate'];
  const annotations = isObject(one['annotations']) ? one['annotations'] : {};
  const { audience, priority } = annotations;
  return {
    title: text(one['title']),
    description: text(one['description']),
    stability,
    ...(typeof uriTemplate === 'string' ? { uriTemplate } : { uri: text(one['uri']) }),
    mimeType: text(one['mimeType']),
    content: 'text',
    variables: {},
    query: {},
    ...(Array.isArray(audience) ? { audience: strings(audience) } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
    ...(typeof one['size'] === 'number' ? { size: one['size'] } : {}),
  };
}

export function promptOf(one: JsonObject): PromptSurface {
  const list = one['arguments'];
  return {
    title: text(one['title']),
    description: text(one['description']),
    stability,
    arguments: Array.isArray(list) ? list.filter(isObject).map(argumentOf) : [],
  };
}

function argumentOf(one: JsonObject): PromptArgumentSurface {
  return {
    name: text(one['name']),
    title: text(one['title']),
    description: text(one['description']),
    required: one['required'] === true,
  };
}

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function strings(value: readonly JsonValue[]): string[] {
  return value.filter((one) => typeof one === 'string');
}
