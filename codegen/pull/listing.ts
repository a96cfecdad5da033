import { isObject, type JsonObject } from '../contain/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { Limits } from './limits.ts';
import { quote } from './message.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** What one grant is shown in one revision, as the server sent it. */
export interface Listing {
  readonly revision: string;
  readonly server: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string;
  readonly contractHash?: string;
  readonly tools: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
}

const METHOD_NOT_FOUND = -32601;

export async function readListing(session: Session, limits: Limits): Promise<Listing> {
  const { identity } = session;
  const has = (capability: string): boolean => isObject(identity.capabilities[capability]);
  const list = async (method: string, member: string, known: boolean): Promise<readonly JsonObject[]> =>
    known ? pages({ session, limits, method, member }) : [];
  return {
    ...identity,
    tools: await list('tools/list', 'tools', has('tools')),
    resources: await list('resources/list', 'resources', has('resources')),
    templates: await list('resources/templates/list', 'resourceTemplates', has('resources')),
    prompts: await list('prompts/list', 'prompts', has('prompts')),
  };
}

interface Walk {
  readonly session: Session;
  readonly limits: Limits;
  readonly method: string;
  readonly member: string;
}

/** Every page of one list. A cursor that comes back is a loop, and a list that never ends is cut. */
async function pages({ session, limits, method, member }: Walk): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const answer = await session.ask(method, cursor === undefined ? {} : { cursor });
    if ('fault' in answer) {
      // A server with resources need not have templates, and says so in this way.
      if (answer.fault.code === METHOD_NOT_FOUND && page === 1) return [];
      throw new Refusal('failed', `It refuses ${method}: ${quote(answer.fault.message)} (${answer.fault.code}).`);
    }
    items.push(...itemsOf(answer.result[member], method));
    if (items.length > limits.items)
      throw new Refusal('too_large', `${method} lists more than ${limits.items} entries.`);
    const { nextCursor } = answer.result;
    if (typeof nextCursor !== 'string') return items;
    if (seen.has(nextCursor))
      throw new Refusal('failed', `${method} pages in a circle: its cursor ${quote(nextCursor)} came twice.`);
    if (page >= limits.pages) throw new Refusal('too_large', `${method} has more than ${limits.pages} pages.`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

function itemsOf(value: JsonValue | undefined, method: string): JsonObject[] {
  if (!Array.isArray(value)) throw new Refusal('not_mcp', `Its answer to ${method} holds no list.`);
  return value.map((item: JsonValue) => {
    if (!isObject(item) || typeof item['name'] !== 'string') {
      throw new Refusal(
        'not_mcp',
        `Its answer to ${method} lists something without a name: ${quote(JSON.stringify(item))}`,
      );
    }
    return item;
  });
}
