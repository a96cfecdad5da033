import type { CatalogContract, PromptContract, ResourceContract, ToolContract } from './contract.ts';
import type { Extensions } from './extensions.ts';
import type { Lifecycle, NamedLifecycle } from './lifecycle.ts';
import type { Principal } from './ports.ts';
import { META_SERVER_INFO, RPC, RpcError, type Era } from './protocol.ts';

export type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** One list as one grant sees it. */
export interface Listing {
  /** The result, for an SDK to serialise; the modern SDK adds its own discriminator and identity. */
  readonly object: Readonly<Record<string, unknown>>;
  /** The whole result of the era as JSON and the bracket that closes the envelope, ready to be written. */
  readonly bytes: Buffer;
}

export interface ListingParts<A> {
  readonly contract: CatalogContract;
  readonly extensions: Extensions<A>;
  readonly lifecycle: Lifecycle;
  readonly publishOutputSchema: 'compact' | 'full' | 'none';
  readonly serverInfo: string;
}

/** How long a client of the 2026 revision may keep a list. */
const LIST_TTL_MS = 300_000;

interface Grant {
  readonly read: boolean;
  readonly write: boolean;
  readonly scope: 'account' | 'project';
}

/**
 * Lists are sorted, equal for equal grants, and made once per grant and era. A tool leaves the list at its sunset,
 * so what is retired is part of the key.
 */
export class Listings<A> {
  readonly #parts: ListingParts<A>;
  readonly #made = new Map<string, Listing>();
  readonly #sunsets: readonly NamedLifecycle[];

  constructor(parts: ListingParts<A>) {
    this.#parts = parts;
    const { tools, resources, prompts } = parts.contract;
    this.#sunsets = [...tools, ...resources, ...prompts].filter((entity) => entity.deprecated !== undefined);
  }

  /** Lists are whole, so no cursor is ever given out and every cursor is foreign. */
  list(method: ListMethod, principal: Principal<A>, era: Era, cursor: unknown): Listing {
    if (cursor !== undefined) {
      throw new RpcError(RPC.invalidParams, 'Unknown cursor. The list has one page; ask for it without a cursor.', {
        code: 'invalid_input',
        retryable: false,
        fields: { cursor: 'is not a cursor of this list' },
      });
    }
    const { read, write } = offeredTo(principal);
    const scope = principal.projectId === undefined ? 'account' : 'project';
    let key = `${method} ${era} ${read ? 'r' : ''}${write ? 'w' : ''} ${scope}`;
    if (this.#sunsets.length > 0)
      key += ` ${this.#sunsets.filter((entity) => this.#parts.lifecycle.isRetired(entity)).length}`;
    const before = this.#made.get(key);
    if (before !== undefined) return before;
    const listing = this.#make(method, { read, write, scope }, era);
    this.#made.set(key, listing);
    return listing;
  }

  #make(method: ListMethod, grant: Grant, era: Era): Listing {
    const items = this.#items(method, grant).toSorted((a, b) => compare(String(a['name']), String(b['name'])));
    const hints = era === 'modern' ? { ttlMs: LIST_TTL_MS, cacheScope: 'private' } : {};
    const object = { [memberOf(method)]: items, ...hints };
    const envelope =
      era === 'modern' ? `,"resultType":"complete","_meta":{"${META_SERVER_INFO}":${this.#parts.serverInfo}}}` : '}';
    return { object, bytes: Buffer.from(`${JSON.stringify(object).slice(0, -1)}${envelope}}`) };
  }

  #items(method: ListMethod, grant: Grant): Readonly<Record<string, unknown>>[] {
    const { contract, extensions, lifecycle } = this.#parts;
    const visible = <T extends NamedLifecycle & { permission: 'read' | 'write' }>(entities: readonly T[]): T[] =>
      entities.filter((entity) => grant[entity.permission] && !lifecycle.isRetired(entity));
    switch (method) {
      case 'tools/list': {
        const own = (extensions.tools ?? []).filter((tool) => grant[tool.permission]).map((tool) => tool.definition);
        return [...visible(contract.tools).map((tool) => this.#tool(tool, grant)), ...own];
      }
      case 'resources/list': {
        const own = (extensions.resources ?? [])
          .map((resource) => resource.definition)
          .filter((definition) => 'uri' in definition);
        return [
          ...visible(contract.resources)
            .filter((resource) => resource.uri !== undefined)
            .map(describeResource),
          ...(grant.read ? own : []),
        ];
      }
      case 'resources/templates/list': {
        const own = (extensions.resources ?? [])
          .map((resource) => resource.definition)
          .filter((definition) => 'uriTemplate' in definition);
        return [
          ...visible(contract.resources)
            .filter((resource) => resource.uriTemplate !== undefined)
            .map(describeResource),
          ...(grant.read ? own : []),
        ];
      }
      case 'prompts/list': {
        const own = (extensions.prompts ?? []).map((prompt) => prompt.definition);
        return [...visible(contract.prompts).map(describePrompt), ...(grant.read ? own : [])];
      }
    }
  }

  #tool(tool: ToolContract, grant: Grant): Record<string, unknown> {
    const published = this.#parts.publishOutputSchema;
    return {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.inputSchema[tool.context === 'account' ? 'project' : grant.scope],
      ...(published === 'none' ? {} : { outputSchema: tool.outputSchema[published] }),
      annotations: tool.annotations,
      ...metaOf(tool),
    };
  }
}

/** Clients call what they were shown, so who can be granted more is shown what asking for it would open. */
function offeredTo({ permissions, stepUp }: Principal<unknown>): Principal<unknown>['permissions'] {
  return stepUp === undefined ? permissions : { read: true, write: true };
}

function memberOf(method: ListMethod): string {
  switch (method) {
    case 'tools/list':
      return 'tools';
    case 'resources/list':
      return 'resources';
    case 'resources/templates/list':
      return 'resourceTemplates';
    case 'prompts/list':
      return 'prompts';
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function describeResource(resource: ResourceContract): Record<string, unknown> {
  return {
    name: resource.name,
    title: resource.title,
    description: resource.description,
    mimeType: resource.mimeType,
    ...(resource.uri === undefined ? { uriTemplate: publishedTemplate(resource) } : { uri: resource.uri }),
    ...metaOf(resource),
  };
}

/** The template with every query parameter a reader takes, the injected project included. */
function publishedTemplate(resource: ResourceContract): string {
  const [path = ''] = (resource.uriTemplate ?? '').split('{?');
  const names = [
    ...(resource.context === 'project' ? ['project_id'] : []),
    ...resource.query.map((parameter) => parameter.name),
  ];
  return names.length === 0 ? path : `${path}{?${[...new Set(names)].join(',')}}`;
}

function describePrompt(prompt: PromptContract): Record<string, unknown> {
  return {
    name: prompt.name,
    title: prompt.title,
    description: prompt.description,
    arguments: prompt.arguments.map(({ name, title, description, required }) => ({
      name,
      title,
      description,
      required,
    })),
    ...metaOf(prompt),
  };
}

function metaOf(entity: NamedLifecycle): Record<string, unknown> {
  return entity.deprecated === undefined ? {} : { _meta: { deprecated: entity.deprecated } };
}
