/** What one client sees of the published catalogue, and what it will not see. */
import { isJsonArray, isJsonObject, objectOf } from '../canonical/json.ts';
import type { JsonObject } from '../canonical/json.ts';
import { SUBSCHEMAS } from '../grammar/schema-body.ts';
import type { ContractModel, JsonValue, ProfileSpec } from '../model/types.ts';
import type { Projection } from './index.ts';
import type { Loss } from './loss.ts';

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
  const cut = (entity: string, keyword: string, text: string, most = Infinity): string => {
    if (text.length <= most) return text;
    losses.push({ entity, pointer: '', keyword, message: `${text.length - most} characters are cut after ${most}.` });
    return text.slice(0, most);
  };
  const lose = (entity: string, keyword: string, message: string): void =>
    void losses.push({ entity, pointer: '', keyword, message });
  const instructions = cut('server', 'instructions', model.server.instructions, limits['instructions']);
  const tools: ProfileTool[] = [];
  for (const tool of model.tools) {
    const entity = `tool ${tool.name}`;
    const published = projection.tools.get(tool.name);
    if (published === undefined) continue;
    const reason = unseen(tool.name, tools.length, model, profile);
    if (reason !== undefined) {
      lose(entity, 'name', reason);
      continue;
    }
    const description = cut(entity, 'description', tool.description, limits['tool_description']);
    const drop = new Dropping(`${entity} input`, new Set(profile.refuses), losses);
    const inputSchema = drop.schema(published.inputSchema.account, '');
    const size = JSON.stringify({ name: tool.name, description, inputSchema }).length;
    const most = limits['definition_characters'] ?? Infinity;
    if (size > most) lose(entity, 'definition', `The definition has ${size} characters; ${most} are taken.`);
    tools.push({ name: tool.name, description, inputSchema });
  }
  return { tools, instructions, losses };
}

function unseen(name: string, before: number, { server }: ContractModel, { limits }: ProfileSpec): string | undefined {
  const {
    tools = Infinity,
    tool_name: own = Infinity,
    prefixed_tool_name: whole = Infinity,
    host_prefix: prefix = 0,
  } = limits;
  if (before >= tools) return `Only ${tools} tools are taken.`;
  if (name.length > own) return `Names of at most ${own} characters are taken.`;
  const length = server.name.length + prefix + name.length;
  return length > whole ? `With its prefix the name has ${length} characters; ${whole} are taken.` : undefined;
}

class Dropping {
  readonly #entity: string;
  readonly #refused: ReadonlySet<string>;
  readonly #losses: Loss[];

  constructor(entity: string, refused: ReadonlySet<string>, losses: Loss[]) {
    this.#entity = entity;
    this.#refused = refused;
    this.#losses = losses;
  }

  schema(schema: JsonObject, pointer: string): JsonObject {
    const kept: [string, JsonValue][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (!this.#refused.has(keyword)) {
        kept.push([keyword, this.#inner(keyword, value, `${pointer}/${keyword}`)]);
        continue;
      }
      const message = 'The client does not take the keyword; the server still checks it.';
      this.#losses.push({ entity: this.#entity, pointer, keyword, message });
    }
    return objectOf(kept);
  }

  #inner(keyword: string, value: JsonValue, pointer: string): JsonValue {
    const holds = SUBSCHEMAS.get(keyword);
    if (holds === undefined) return value;
    if (holds === 'one') return isJsonObject(value) ? this.schema(value, pointer) : value;
    if (isJsonArray(value))
      return value.map((one, index) => (isJsonObject(one) ? this.schema(one, `${pointer}/${index}`) : one));
    if (!isJsonObject(value)) return value;
    return objectOf(
      Object.entries(value).map(([name, one]) => [
        name,
        isJsonObject(one) ? this.schema(one, `${pointer}/${name}`) : one,
      ]),
    );
  }
}
