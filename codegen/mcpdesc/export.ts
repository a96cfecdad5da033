import { canonical, type JsonObject } from '../contain/json.ts';
import { asListed } from '../diff/surface/listed.ts';
import type { PromptSurface, ResourceSurface, Surface, ToolSurface, ViewSurface } from '../diff/surface/types.ts';
import type { JsonSchema, JsonValue } from '../model/types.ts';
import { FLOOR, REVISIONS, SCHEMA, VERSION } from './format.ts';

export interface Exported {
  readonly document: JsonObject;
  /** What the format, or the chosen grant, leaves out. */
  readonly notes: readonly string[];
}

export interface ExportOptions {
  /** Whose listing is described; the widest one when absent. */
  readonly grant?: string;
  /** Address of the server, for a transport. */
  readonly url?: string;
}

/** A name that the surface does not have. */
export class UnknownGrant extends Error {
  constructor(name: string, known: readonly string[]) {
    super(`No grant is called ${name}; there are ${known.join(', ')}.`);
    this.name = 'UnknownGrant';
  }
}

/** Describes what one grant is shown as an MCP Description document. */
export function exportDescription(surface: Surface, { grant, url }: ExportOptions = {}): Exported {
  const views = viewsOf(surface, grant);
  const told = views.filter(({ revision }) => REVISIONS.includes(revision) && revision >= FLOOR);
  const older = views.filter((view) => !told.includes(view)).map(({ revision }) => revision);
  const shown = told.map((view) => ({ view, surface: listed(surface, view) }));
  const revisions = told.map(({ revision }) => revision);
  const { server } = surface;
  const document: JsonObject = {
    $schema: SCHEMA,
    mcpdesc: VERSION,
    info: {
      name: server.name || 'unnamed',
      ...(server.title === '' ? {} : { title: server.title }),
      version: server.version || '0',
    },
    protocolVersions: revisions,
    ...(server.instructions === '' ? {} : { instructions: server.instructions }),
    ...(url === undefined ? {} : { transports: [{ type: 'streamable-http', url }] }),
    ...capabilitiesOf(surface),
    ...list(
      'tools',
      scoped(shown, ({ surface: one, view }) =>
        entries(one.tools, view.tools).map(([name, tool]) => toolOf(name, tool, view)),
      ),
    ),
    ...list(
      'resources',
      scoped(shown, ({ surface: one, view }) =>
        entries(one.resources, view.resources).map(([name, it]) => resourceOf(name, it)),
      ),
    ),
    ...list(
      'resourceTemplates',
      scoped(shown, ({ surface: one, view }) =>
        entries(one.resources, view.templates).map(([name, it]) => resourceOf(name, it)),
      ),
    ),
    ...list(
      'prompts',
      scoped(shown, ({ surface: one, view }) =>
        entries(one.prompts, view.prompts).map(([name, it]) => promptOf(name, it)),
      ),
    ),
  };
  const notes = [
    ...(older.length === 0
      ? []
      : [
          `Revisions before ${FLOOR} are left out, because the format does not define them whole: ${older.join(', ')}.`,
        ]),
    ...(surface.origin === 'contracts'
      ? ['Errors, jobs, scopes, costs, endpoints and sunset dates have no place in the format and are left out.']
      : []),
    ...(Object.values(surface.tools).some(({ taskSupport }) => taskSupport !== undefined)
      ? ['Task support belongs to one revision in the format and is left out.']
      : []),
  ];
  return { document, notes };
}

/** One view per revision. */
function viewsOf(surface: Surface, grant: string | undefined): readonly ViewSurface[] {
  const names = [...new Set(surface.views.map((view) => view.grant))];
  if (grant !== undefined && !names.includes(grant)) throw new UnknownGrant(grant, names);
  const widest = surface.views.toSorted((a, b) => b.tools.length - a.tools.length)[0]?.grant;
  return surface.views
    .filter((view) => view.grant === (grant ?? widest))
    .toSorted((a, b) => (a.revision < b.revision ? -1 : 1));
}

function listed(surface: Surface, view: ViewSurface): Surface {
  return surface.origin === 'server' ? surface : asListed(surface, { ...surface, views: [view] });
}

interface Shown {
  readonly view: ViewSurface;
  readonly surface: Surface;
}

function entries<T>(all: Readonly<Record<string, T>>, names: readonly string[]): [string, T][] {
  return Object.entries(all).filter(([name]) => names.includes(name));
}

/** Declarations that every revision shares once without a scope, the others with the revisions that have them. */
function scoped(shown: readonly Shown[], read: (one: Shown) => readonly JsonObject[]): JsonObject[] {
  const found = new Map<string, { readonly value: JsonObject; readonly revisions: string[] }>();
  for (const one of shown) {
    for (const value of read(one)) {
      const key = canonical(value);
      const before = found.get(key);
      if (before === undefined) found.set(key, { value, revisions: [one.view.revision] });
      else before.revisions.push(one.view.revision);
    }
  }
  return [...found.values()].map(({ value, revisions }) =>
    revisions.length === shown.length ? value : { ...value, protocolVersions: revisions },
  );
}

function list(member: string, values: readonly JsonObject[]): JsonObject {
  return values.length === 0 ? {} : { [member]: values };
}

function words({
  title,
  description,
  deprecated,
}: {
  readonly title: string;
  readonly description: string;
  readonly deprecated?: object;
}): JsonObject {
  return {
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated: true }),
  };
}

function toolOf(name: string, tool: ToolSurface, view: ViewSurface): JsonObject {
  const input: JsonSchema = tool.published.input[view.input] ?? Object.values(tool.published.input)[0] ?? tool.input;
  const hints = Object.entries(tool.hints);
  return {
    name,
    ...words(tool),
    inputSchema: { type: 'object', ...plain(input) },
    ...(tool.output === undefined ? {} : { outputSchema: plain(tool.output) }),
    ...(hints.length === 0 ? {} : { annotations: Object.fromEntries(hints) }),
  };
}

function resourceOf(name: string, one: ResourceSurface): JsonObject {
  const annotations: JsonObject = {
    ...(one.audience === undefined
      ? {}
      : { audience: one.audience.filter((who) => who === 'user' || who === 'assistant') }),
    ...(one.priority === undefined ? {} : { priority: Math.min(1, Math.max(0, one.priority)) }),
  };
  return {
    ...(one.uri === undefined ? { uriTemplate: one.uriTemplate ?? '' } : { uri: one.uri }),
    name,
    ...words(one),
    ...(one.mimeType === '' ? {} : { mimeType: one.mimeType }),
    ...(one.uri === undefined || one.size === undefined ? {} : { size: one.size }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function promptOf(name: string, prompt: PromptSurface): JsonObject {
  const given = prompt.arguments.map(({ name: argument, title, description, required }) => ({
    name: argument,
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { description }),
    required,
  }));
  return { name, ...words(prompt), ...(given.length === 0 ? {} : { arguments: given }) };
}

const PLAIN = ['tools', 'resources', 'prompts'];
const EMPTY = ['completions', 'logging'];

/** Dotted paths back into the nested object; what differs by revision there is not told by the surface. */
function capabilitiesOf({ server }: Surface): JsonObject {
  const found: Record<string, Record<string, JsonValue>> = {};
  for (const path of server.capabilities ?? []) {
    const [name = '', inner] = path.split('.');
    if (![...PLAIN, ...EMPTY].includes(name)) continue;
    const flags = (found[name] ??= {});
    const known = name === 'resources' ? ['listChanged', 'subscribe'] : ['listChanged'];
    if (inner !== undefined && PLAIN.includes(name) && known.includes(inner)) flags[inner] = true;
  }
  return Object.keys(found).length === 0 ? {} : { capabilities: [found] };
}

function plain(schema: JsonSchema): JsonObject {
  return typeof schema === 'boolean' ? (schema ? {} : { not: {} }) : schema;
}
