import { isObject, ownEntry, pointerStep, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import { DEFAULT_GRANT } from '../pull/pull.ts';
import { surfaceOf, type Taken } from '../pull/to-surface.ts';
import { DescriptionFault, MEMBERS, REVISIONS, VERSION } from './format.ts';

/**
 * Reads an MCP Description as the surface of a server: one view for each revision it declares, with what the
 * document scopes to that revision. Everything it says beside the surface (security, tags, examples) is left out.
 */
export function importDescription(document: JsonValue): Taken {
  const root = object(document, '', MEMBERS.document);
  const version = root['mcpdesc'];
  if (version !== VERSION) {
    throw new DescriptionFault('/mcpdesc', `is ${JSON.stringify(version ?? null)}; only ${VERSION} is read.`);
  }
  const info = object(root['info'], '/info', MEMBERS.info);
  text(info, 'name', '/info');
  text(info, 'version', '/info');
  const revisions = scopeOf(root, '', undefined);
  if (revisions === undefined) throw new DescriptionFault('', 'lacks protocolVersions.');
  const { instructions } = root;
  const lists = {
    tools: items(root, 'tools', (one, at) => toolOf(one, at, root)),
    resources: items(root, 'resources', (one, at) =>
      entity(one, at, { members: MEMBERS.resource, needs: ['uri', 'name'] }),
    ),
    templates: items(root, 'resourceTemplates', (one, at) =>
      entity(one, at, { members: MEMBERS.resourceTemplate, needs: ['uriTemplate', 'name'] }),
    ),
    prompts: items(root, 'prompts', promptOf),
    capabilities: items(root, 'capabilities', (one, at) => object(one, at)),
  };
  const listings = revisions.map((revision) => {
    const shown = (list: readonly Scoped[]): JsonObject[] =>
      list.filter(({ scope }) => scope === undefined || scope.includes(revision)).map(({ value }) => value);
    const { protocolVersions: _, ...capabilities } = shown(lists.capabilities)[0] ?? {};
    return {
      grant: DEFAULT_GRANT,
      listing: {
        revision,
        server: info,
        capabilities,
        instructions: typeof instructions === 'string' ? instructions : '',
        tools: once(shown(lists.tools), `tool in ${revision}`, 'name'),
        resources: once(shown(lists.resources), `resource in ${revision}`, 'uri'),
        templates: once(shown(lists.templates), `resource template in ${revision}`, 'uriTemplate'),
        prompts: once(shown(lists.prompts), `prompt in ${revision}`, 'name'),
      },
    };
  });
  return surfaceOf(listings);
}

interface Scoped {
  readonly value: JsonObject;
  readonly scope: readonly string[] | undefined;
}

function items(root: JsonObject, member: string, read: (one: JsonValue, at: string) => JsonObject): Scoped[] {
  const list = ownEntry(root, member);
  if (list === undefined) return [];
  const pointer = pointerStep('', member);
  if (!Array.isArray(list) || list.length === 0) throw new DescriptionFault(pointer, 'must be a list with members.');
  const whole = scopeOf(root, '', undefined);
  return list.map((one: JsonValue, index) => {
    const at = pointerStep(pointer, index);
    const value = read(one, at);
    return { value, scope: scopeOf(value, at, whole) };
  });
}

function toolOf(one: JsonValue, at: string, root: JsonObject): JsonObject {
  const tool = entity(one, at, { members: MEMBERS.tool, needs: ['name'] });
  const inputSchema = schemaAt(tool, 'inputSchema', { at, root });
  if (inputSchema === undefined) throw new DescriptionFault(at, 'lacks inputSchema.');
  if (inputSchema['type'] !== 'object') throw new DescriptionFault(`${at}/inputSchema`, 'must have the type object.');
  const outputSchema = schemaAt(tool, 'outputSchema', { at, root });
  return { ...tool, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
}

function promptOf(one: JsonValue, at: string): JsonObject {
  const prompt = entity(one, at, { members: MEMBERS.prompt, needs: ['name'] });
  const list = prompt['arguments'];
  if (list === undefined) return prompt;
  if (!Array.isArray(list) || list.length === 0) {
    throw new DescriptionFault(`${at}/arguments`, 'must be a list with members.');
  }
  for (const [index, argument] of list.entries()) {
    entity(argument, `${at}/arguments/${index}`, { members: MEMBERS.argument, needs: ['name'] });
  }
  return prompt;
}

function entity(
  one: JsonValue,
  at: string,
  { members, needs }: { readonly members: readonly string[]; readonly needs: readonly string[] },
): JsonObject {
  const value = object(one, at, members);
  for (const member of needs) text(value, member, at);
  return value;
}

function object(value: JsonValue | undefined, at: string, members?: readonly string[]): JsonObject {
  if (!isObject(value)) throw new DescriptionFault(at, 'must be an object.');
  const strange = members && Object.keys(value).find((key) => !members.includes(key) && !key.startsWith('x-'));
  if (strange !== undefined) throw new DescriptionFault(pointerStep(at, strange), 'is not known to the format.');
  return value;
}

function text(value: JsonObject, member: string, at: string): void {
  const found = ownEntry(value, member);
  if (typeof found !== 'string' || found === '') throw new DescriptionFault(at, `needs a text in ${member}.`);
}

/** Revisions an object is limited to, which must be among those of the document. */
function scopeOf(value: JsonObject, at: string, whole: readonly string[] | undefined): readonly string[] | undefined {
  const scope = ownEntry(value, 'protocolVersions');
  if (scope === undefined) return undefined;
  const pointer = `${at}/protocolVersions`;
  if (!Array.isArray(scope) || scope.length === 0) throw new DescriptionFault(pointer, 'must be a list with members.');
  return scope.map((one: JsonValue) => {
    if (typeof one !== 'string' || !REVISIONS.includes(one)) {
      throw new DescriptionFault(pointer, `holds ${JSON.stringify(one)}, which is no revision of the format.`);
    }
    if (whole !== undefined && !whole.includes(one)) {
      throw new DescriptionFault(pointer, `holds ${one}, which the document does not declare.`);
    }
    return one;
  });
}

interface Around {
  readonly at: string;
  readonly root: JsonObject;
}

/** A schema in place or under `components.schemas`; components may point at components, never in a circle. */
function schemaAt(owner: JsonObject, member: string, { at, root }: Around): JsonObject | undefined {
  let value = ownEntry(owner, member);
  const pointer = pointerStep(at, member);
  for (let step = 0; isObject(value) && ownEntry(value, '$componentRef') !== undefined; step += 1) {
    const reference = value['$componentRef'];
    const name =
      typeof reference === 'string' ? /^#\/components\/schemas\/([\w.-]+)$/u.exec(reference)?.[1] : undefined;
    if (name === undefined || step > 50) throw new DescriptionFault(pointer, 'refers to no schema component.');
    const schemas = isObject(root['components']) ? root['components']['schemas'] : undefined;
    value = isObject(schemas) ? ownEntry(schemas, name) : undefined;
    if (value === undefined) throw new DescriptionFault(pointer, `refers to ${name}, which is no schema component.`);
  }
  if (value === undefined) return undefined;
  return object(value, pointer);
}

function once(list: readonly JsonObject[], what: string, member: string): readonly JsonObject[] {
  const seen = new Set<JsonValue | undefined>();
  for (const one of list) {
    const name = one[member];
    if (seen.has(name)) throw new DescriptionFault('', `declares the ${what} ${JSON.stringify(name)} twice.`);
    seen.add(name);
  }
  return list;
}
