/** What a client wants of a tool as a whole, beside single keywords. */
import { isJsonArray, isJsonObject, member } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import type { JsonValue, ToolSpec } from '../model/types.ts';
import type { ProfileNeed } from '../model/profile-needs.ts';

/** One tool as it is listed. */
export interface Listed {
  readonly tool: ToolSpec;
  readonly input: JsonObject;
  readonly output: JsonObject;
}

interface Unmet {
  readonly pointer: string;
  readonly message: string;
}

type Check = (listed: Listed) => readonly Unmet[];

const CHECKS: Readonly<Record<ProfileNeed, Check>> = {
  object_input: ({ input }) =>
    input['type'] === 'object' ? [] : [{ pointer: '', message: 'The arguments are no object; the tool is refused.' }],
  object_output: ({ output }) =>
    output['type'] === 'object'
      ? []
      : [{ pointer: '', message: 'The result is no object; the whole list is refused.' }],
  title: ({ tool }) => (tool.title === '' ? [{ pointer: '', message: 'A listing wants a title.' }] : []),
  // A contract without its effects does not compile, and each is listed as a hint of its own.
  effect_hints: () => [],
  array_items: ({ input }) =>
    bodies(input).flatMap(([pointer, body]) =>
      body['type'] === 'array' && !isJsonObject(body['items'] ?? null)
        ? [{ pointer, message: 'A list without a schema of its items; the tool is refused.' }]
        : [],
    ),
  closed_objects: ({ input }) =>
    bodies(input).flatMap(([pointer, body]) =>
      body['type'] === 'object' && body['additionalProperties'] !== false
        ? [{ pointer, message: 'An open object; the tool is offered without the strict mode.' }]
        : [],
    ),
  all_required: ({ input }) =>
    bodies(input).flatMap(([pointer, body]) => {
      const properties = member(body, 'properties');
      const required = member(body, 'required');
      const needed = isJsonArray(required) ? required : [];
      const names = isJsonObject(properties) ? Object.keys(properties) : [];
      const left = names.filter((name) => !needed.includes(name)).length;
      const message = `The strict mode wants every member given; ${left} may be left out here, so it is not used.`;
      return left === 0 ? [] : [{ pointer, message }];
    }),
};

export function unmet(need: ProfileNeed, listed: Listed): readonly Unmet[] {
  return CHECKS[need](listed);
}

/** How deep a schema nests and how many members it names. */
export function sizeOf(schema: JsonObject): { readonly depth: number; readonly properties: number } {
  let [depth, properties] = [0, 0];
  for (const [pointer, body] of bodies(schema)) {
    const inner = member(body, 'properties');
    depth = Math.max(depth, pointer.split('/').filter((step) => step === 'properties' || step === 'items').length);
    properties += isJsonObject(inner) ? Object.keys(inner).length : 0;
  }
  return { depth, properties };
}

function bodies(schema: JsonObject, pointer = ''): (readonly [string, JsonObject])[] {
  const found: (readonly [string, JsonObject])[] = [[pointer, schema]];
  const visit = (value: JsonValue, at: string): void => {
    if (isJsonObject(value)) found.push(...bodies(value, at));
  };
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = SUBSCHEMAS.get(keyword);
    if (holds === undefined) continue;
    if (holds === 'one') visit(value, `${pointer}/${keyword}`);
    else if (isJsonArray(value)) value.forEach((one, index) => visit(one, `${pointer}/${keyword}/${index}`));
    else if (isJsonObject(value))
      for (const [name, one] of Object.entries(value)) visit(one, `${pointer}/${keyword}/${name}`);
  }
  return found;
}
