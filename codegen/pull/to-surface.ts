import { canonical, isObject, type JsonObject } from '../contain/json.ts';
import {
  SURFACE_FORMAT,
  type ResourceSurface,
  type ServerSurface,
  type Surface,
  type ToolSurface,
  type ViewSurface,
} from '../diff/surface/types.ts';
import type { JsonSchema } from '../model/types.ts';
import type { Listing } from './listing.ts';
import { inputOf, promptOf, resourceOf, text, toolOf } from './read-entity.ts';

/** What one kind of credential was shown. */
export interface GrantListing {
  readonly grant: string;
  readonly listing: Listing;
}

export interface Taken {
  readonly surface: Surface;
  /** What a reader should know: entities that are not the same for everybody. */
  readonly notes: readonly string[];
}

/**
 * The surface of a server, from what each grant was shown in each revision. An entity that several views show in
 * different words is taken from the first of them, and a note says so; input schemas are kept for every view.
 */
export function surfaceOf(listings: readonly GrantListing[]): Taken {
  const notes: string[] = [];
  const tools = collect({
    listings,
    kind: 'tool',
    items: ({ tools }) => tools,
    key: nameOf,
    make: (one) => toolOf(one),
    notes,
  });
  const keyOf = resourceKeys(listings);
  const resources = collect<ResourceSurface>({
    listings,
    kind: 'resource',
    items: ({ resources, templates }) => [...resources, ...templates],
    key: keyOf,
    make: resourceOf,
    notes,
  });
  const prompts = collect({
    listings,
    kind: 'prompt',
    items: ({ prompts }) => prompts,
    key: nameOf,
    make: promptOf,
    notes,
  });
  const shown = inputsOf(listings);
  const views = listings.map(({ grant, listing }, at): ViewSurface => {
    return {
      grant,
      revision: listing.revision,
      input: shown.keys[at] ?? grant,
      tools: names(listing.tools, nameOf),
      resources: names(listing.resources, keyOf),
      templates: names(listing.templates, keyOf),
      prompts: names(listing.prompts, nameOf),
    };
  });
  const published = (name: string, tool: Omit<ToolSurface, 'published'>): ToolSurface => ({
    ...tool,
    published: { input: shown.inputs.get(name) ?? {}, ...(tool.output === undefined ? {} : { output: tool.output }) },
  });
  const surface: Surface = {
    format: SURFACE_FORMAT,
    origin: 'server',
    server: serverOf(listings),
    definitions: {},
    tools: Object.fromEntries([...tools].map(([name, tool]) => [name, published(name, tool)])),
    resources: Object.fromEntries(resources),
    prompts: Object.fromEntries(prompts),
    jobs: {},
    errors: {},
    scopes: {},
    endpoints: {},
    profiles: {},
    tombstones: [],
    views,
  };
  return { surface, notes };
}

function nameOf(one: JsonObject): string {
  return text(one['name']);
}

function names(items: readonly JsonObject[], key: (one: JsonObject) => string): string[] {
  return sorted(items.map(key));
}

function sorted(list: readonly string[]): string[] {
  return [...new Set(list)].sort();
}

interface Collecting<T> {
  readonly listings: readonly GrantListing[];
  readonly kind: string;
  readonly items: (listing: Listing) => readonly JsonObject[];
  readonly key: (one: JsonObject) => string;
  readonly make: (one: JsonObject) => T;
  readonly notes: string[];
}

/** Every entity once, sorted by name. */
function collect<T>({ listings, kind, items, key, make, notes }: Collecting<T>): [string, T][] {
  const first = new Map<string, { readonly words: string; readonly entity: T }>();
  const told = new Set<string>();
  for (const { grant, listing } of listings) {
    for (const one of items(listing)) {
      const name = key(one);
      const { inputSchema: _, ...rest } = one;
      const words = canonical(rest);
      const before = first.get(name);
      if (before === undefined) first.set(name, { words, entity: make(one) });
      else if (before.words !== words && !told.has(name)) {
        told.add(name);
        notes.push(
          `${kind} ${name} is told differently to ${grant} in ${listing.revision}; the first telling is kept.`,
        );
      }
    }
  }
  return [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { entity }]) => [name, entity]);
}

/** Names of resources need not be unique; where one is not, its address tells it apart. */
function resourceKeys(listings: readonly GrantListing[]): (one: JsonObject) => string {
  const addresses = new Map<string, Set<string>>();
  for (const { listing } of listings) {
    for (const one of [...listing.resources, ...listing.templates]) {
      const name = text(one['name']);
      addresses.set(name, (addresses.get(name) ?? new Set<string>()).add(address(one)));
    }
  }
  return (one) => {
    const name = text(one['name']);
    return (addresses.get(name)?.size ?? 0) > 1 ? `${name} ${address(one)}` : name;
  };
}

function address(one: JsonObject): string {
  return text(one['uri']) || text(one['uriTemplate']);
}

interface Inputs {
  /** Per listing, the key of its input schemas. */
  readonly keys: readonly string[];
  /** By tool, the schema of each key. */
  readonly inputs: ReadonlyMap<string, Readonly<Record<string, JsonSchema>>>;
}

/** Views that show equal schemas share a key, so that a snapshot holds each schema once. */
function inputsOf(listings: readonly GrantListing[]): Inputs {
  const groups: { readonly key: string; readonly schemas: Map<string, string> }[] = [];
  const inputs = new Map<string, Record<string, JsonSchema>>();
  const keys = listings.map(({ grant, listing }) => {
    const schemas = new Map(listing.tools.map((tool) => [text(tool['name']), canonical(inputOf(tool))]));
    let group = groups.find((one) =>
      [...schemas].every(([name, schema]) => (one.schemas.get(name) ?? schema) === schema),
    );
    if (group === undefined) {
      const taken = groups.some(({ key }) => key === grant);
      group = { key: taken ? `${grant} · ${listing.revision}` : grant, schemas: new Map() };
      groups.push(group);
    }
    for (const tool of listing.tools) {
      const name = text(tool['name']);
      group.schemas.set(name, canonical(inputOf(tool)));
      inputs.set(name, { ...inputs.get(name), [group.key]: inputOf(tool) });
    }
    return group.key;
  });
  return { keys, inputs };
}

function serverOf(listings: readonly GrantListing[]): ServerSurface {
  const [first] = listings;
  const server = first?.listing.server ?? {};
  const capabilities = listings.flatMap(({ listing }) => paths(listing.capabilities));
  const extensions = listings.flatMap(({ listing }) => {
    const { extensions } = listing.capabilities;
    return isObject(extensions) ? Object.keys(extensions) : [];
  });
  return {
    name: text(server['name']),
    title: text(server['title']),
    version: text(server['version']),
    instructions: first?.listing.instructions ?? '',
    revisions: sorted(listings.map(({ listing }) => listing.revision)),
    capabilities: sorted(capabilities),
    ...(extensions.length === 0 ? {} : { extensions: sorted(extensions) }),
  };
}

/** `{resources: {subscribe: true}}` as `resources` and `resources.subscribe`. */
function paths(capabilities: JsonObject): string[] {
  const plain = Object.entries(capabilities).filter(([name]) => name !== 'extensions');
  return plain.flatMap(([name, value]) => [
    name,
    ...(isObject(value)
      ? Object.entries(value).flatMap(([inner, on]) => (on === false ? [] : [`${name}.${inner}`]))
      : []),
  ]);
}
