import type { JsonSchema } from '../../model/types.ts';
import { whole } from '../compare/promise.ts';
import type { ResourceSurface, Surface, ToolSurface } from './types.ts';

/** A contract as one listing of its server would tell it: what is never sent is left out. */
export function asListed(surface: Surface, like: Surface): Surface {
  const view = viewLike(surface, like);
  const input = view?.input ?? 'account';
  const pick = <T>(list: Readonly<Record<string, T>>, names: readonly string[] | undefined): Record<string, T> =>
    Object.fromEntries(Object.entries(list).filter(([name]) => names === undefined || names.includes(name)));
  const tools = Object.entries(pick(surface.tools, view?.tools)).map(
    ([name, tool]) => [name, listedTool(tool, input)] as const,
  );
  const shown = view === undefined ? undefined : [...view.resources, ...view.templates];
  const resources = Object.entries(pick(surface.resources, shown)).map(([name, one]) => {
    const { title, description, uri, mimeType, content, stability } = one;
    const address = uri === undefined ? { uriTemplate: listedTemplate(one) } : { uri };
    return [name, { title, description, ...address, mimeType, content, stability, variables: {}, query: {} }] as const;
  });
  const prompts = Object.entries(pick(surface.prompts, view?.prompts)).map(([name, one]) => {
    const { title, description, stability } = one;
    const list = one.arguments.map(({ name: argument, title: label, description: text, required }) => ({
      name: argument,
      title: label,
      description: text,
      required,
    }));
    return [name, { title, description, stability, arguments: list }] as const;
  });
  const { name, title, version, instructions } = surface.server;
  return {
    ...surface,
    origin: 'server',
    server: { name, title, version, instructions, revisions: like.server.revisions },
    definitions: {},
    tools: Object.fromEntries(tools),
    resources: Object.fromEntries(resources),
    prompts: Object.fromEntries(prompts),
    jobs: {},
    errors: {},
    scopes: {},
    endpoints: {},
    profiles: {},
    tombstones: [],
    views: [],
  };
}

/** The template with every query parameter a reader takes, the injected project included. */
function listedTemplate({ uriTemplate = '', context, query }: ResourceSurface): string {
  const names = [...new Set([...(context === 'project' ? ['project_id'] : []), ...Object.keys(query)])];
  return names.length === 0 ? uriTemplate : `${uriTemplate}{?${names.join(',')}}`;
}

/** The view of the contract that the other surface shows; the nearest one when it does not say. */
function viewLike({ views }: Surface, like: Surface): View | undefined {
  const [other] = like.views;
  const exact = views.find((one) => one.grant === other?.grant && one.revision === other.revision);
  const named = exact ?? views.find(({ grant }) => grant === other?.grant);
  if (named !== undefined) return named;
  const asks = Object.values(like.tools).some(({ input }) => asksForProject(input));
  const distance = (view: View): number => {
    const missing = view.tools.filter((name) => !Object.hasOwn(like.tools, name)).length;
    const further = Object.keys(like.tools).filter((name) => !view.tools.includes(name)).length;
    // An account is asked for the project in most tools, so this tells more than any one tool does.
    return missing + further + (view.input === (asks ? 'account' : 'project') ? 0 : view.tools.length);
  };
  return views.toSorted((a, b) => distance(a) - distance(b))[0];
}

type View = Surface['views'][number];

function asksForProject(input: JsonSchema): boolean {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  return typeof properties === 'object' && properties !== null && 'project_id' in properties;
}

function listedTool(tool: ToolSurface, view: string): ToolSurface {
  const { title, description, hints, stability, published } = tool;
  const input: JsonSchema = published.input[view] ?? Object.values(published.input)[0] ?? whole(tool.input, {});
  const output = published.output;
  return {
    title,
    description,
    aliases: [],
    hints,
    stability,
    input,
    ...(output === undefined ? {} : { output }),
    published: { input: { listed: input }, ...(output === undefined ? {} : { output }) },
  };
}
