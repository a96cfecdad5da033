/** What one client sees of the published catalogue, and what it will not see. */
import type { JsonObject } from '../canonical/json.ts';
import type { ContractModel, ProfileSpec, ToolSpec } from '../model/types.ts';
import { Dropping } from './dropping.ts';
import type { Projection, PublishedTool } from './index.ts';
import type { Loss } from './loss.ts';
import { sizeOf, unmet } from './needs.ts';

export interface ProfileTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export interface ProfileView {
  readonly tools: readonly ProfileTool[];
  readonly instructions: string;
  readonly losses: readonly Loss[];
}

/**
 * Keywords are only taken away or widened, never added, so that the projected input accepts every value the published
 * one accepts; the server checks the authored schema anyway.
 */
export function projectForProfile(model: ContractModel, projection: Projection, profile: ProfileSpec): ProfileView {
  const losses: Loss[] = [];
  const { limits } = profile;
  const instructions = cut(model.server.instructions, limits['instructions'], (message) =>
    losses.push({ entity: 'server', pointer: '', keyword: 'instructions', message, of: 'instructions' }),
  );
  const tools: ProfileTool[] = [];
  for (const tool of model.tools) {
    const published = projection.tools.get(tool.name);
    if (published === undefined) continue;
    const reason = unseen(tool.name, tools.length, model, profile);
    if (reason === undefined) tools.push(project(tool, published, profile, losses));
    else losses.push({ entity: `tool ${tool.name}`, pointer: '', keyword: 'name', ...reason });
  }
  return { tools, instructions, losses };
}

function project(tool: ToolSpec, published: PublishedTool, profile: ProfileSpec, losses: Loss[]): ProfileTool {
  const { limits } = profile;
  const { name } = tool;
  const entity = `tool ${name}`;
  const lose = (of: string, keyword: string, message: string): void =>
    void losses.push({ entity, pointer: '', keyword, message, of });
  const description = cut(tool.description, limits['tool_description'], (message) =>
    lose('tool_description', 'description', message),
  );
  const inputSchema = new Dropping(`${entity} input`, profile, losses).schema(published.inputSchema.account);
  const size = JSON.stringify({ name, description, inputSchema }).length;
  const most = limits['definition_characters'] ?? Infinity;
  if (size > most) lose('definition_characters', 'definition', `It has ${size} characters; ${most} are taken.`);
  const { depth, properties } = sizeOf(inputSchema);
  const { schema_depth: deepest = Infinity, schema_properties: widest = Infinity } = limits;
  if (depth > deepest) lose('schema_depth', 'input', `It nests ${depth} levels; ${deepest} are taken.`);
  if (properties > widest) lose('schema_properties', 'input', `It has ${properties} members; ${widest} are taken.`);
  for (const need of profile.needs)
    for (const { pointer, message } of unmet(need, {
      tool,
      input: inputSchema,
      output: published.outputSchema.compact,
    }))
      losses.push({ entity, pointer, keyword: need, message, of: need });
  return { name, description, inputSchema };
}

function cut(text: string, most = Infinity, lose: (message: string) => void): string {
  if (text.length <= most) return text;
  lose(`${text.length - most} characters are cut after ${most}.`);
  return text.slice(0, most);
}

function unseen(
  name: string,
  before: number,
  { server }: ContractModel,
  { limits }: ProfileSpec,
): Pick<Loss, 'message' | 'of'> | undefined {
  const {
    tools = Infinity,
    tool_name: own = Infinity,
    prefixed_tool_name: whole = Infinity,
    host_prefix: prefix = 0,
  } = limits;
  if (before >= tools) return { of: 'tools', message: `Only ${tools} tools are taken.` };
  if (name.length > own) return { of: 'tool_name', message: `Names of at most ${own} characters are taken.` };
  const length = server.name.length + prefix + name.length;
  const message = `With its prefix the name has ${length} characters; ${whole} are taken.`;
  return length > whole ? { of: 'prefixed_tool_name', message } : undefined;
}
