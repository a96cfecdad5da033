/** What would save most tokens, each figure counted by taking the thing away. */
import { isJsonArray, isJsonObject, member } from '../canonical/json.ts';
import type { CatalogueCost } from '../cost.ts';
import type { ContractModel, JsonValue } from '../model/types.ts';
import type { Projection } from '../project/index.ts';
import type { TokenCounter } from '../tokens/count.ts';

export interface Saving {
  readonly kind: 'output schemas' | 'argument' | 'description' | 'repeated text' | 'enum';
  readonly subject: string;
  /** Tokens that go when the whole of it goes. */
  readonly tokens: number;
  readonly advice: string;
}

export interface SavingsInput {
  readonly model: ContractModel;
  readonly projection: Projection;
  readonly cost: CatalogueCost;
  readonly count: TokenCounter;
}

/** Descriptions below this many tokens are as short as they get. */
const SHORT_DESCRIPTION = 30;
const LONG_ENUM = 8;
const LARGE_ARGUMENT = 40;

/** Ranked, the largest first. */
export function savingsOf(input: SavingsInput): Saving[] {
  return [...outputs(input.cost), ...descriptions(input), ...argumentsOf(input), ...repeated(input)].sort(
    (left, right) => right.tokens - left.tokens || (left.subject < right.subject ? -1 : 1),
  );
}

function outputs({ tools }: CatalogueCost): Saving[] {
  const tokens = tools.reduce((total, { segments }) => total + segments.output.tokens, 0);
  const largest = [...tools].sort((left, right) => right.segments.output.tokens - left.segments.output.tokens)[0];
  if (largest === undefined) return [];
  return [
    {
      kind: 'output schemas',
      subject: `${tools.length} tools, the largest is ${largest.name} with ${largest.segments.output.tokens}`,
      tokens,
      advice: 'PUBLISH_OUTPUT_SCHEMA=none for clients that do not read them',
    },
  ];
}

function descriptions({ cost }: SavingsInput): Saving[] {
  return cost.tools.flatMap(({ name, segments: { description } }) =>
    description.tokens <= SHORT_DESCRIPTION
      ? []
      : [
          {
            kind: 'description' as const,
            subject: name,
            tokens: description.tokens - SHORT_DESCRIPTION,
            advice: `${description.tokens} tokens; ${SHORT_DESCRIPTION} say goal, limit and next step`,
          },
        ],
  );
}

/** Large arguments and long enums of each tool. */
function argumentsOf({ model, projection, count }: SavingsInput): Saving[] {
  const found: Saving[] = [];
  for (const { name: tool } of model.tools) {
    const schema = projection.tools.get(tool)?.inputSchema.account;
    const properties = schema === undefined ? undefined : member(schema, 'properties');
    if (schema === undefined || !isJsonObject(properties)) continue;
    const whole = count(JSON.stringify(schema));
    const without = (name: string): number => {
      const { [name]: _gone, ...rest } = properties;
      return whole - count(JSON.stringify({ ...schema, properties: rest }));
    };
    for (const [name, argument] of Object.entries(properties)) {
      const tokens = without(name);
      if (tokens >= LARGE_ARGUMENT)
        found.push({
          kind: 'argument',
          subject: `${tool}.${name}`,
          tokens,
          advice: 'flatten it, or move it to a tool of its own',
        });
      const listed = isJsonObject(argument) ? member(argument, 'enum') : undefined;
      if (isJsonArray(listed) && listed.length >= LONG_ENUM)
        found.push({
          kind: 'enum',
          subject: `${tool}.${name}`,
          tokens: count(JSON.stringify(listed)),
          advice: `${listed.length} words; a text with a bound and two examples costs less`,
        });
    }
  }
  return found;
}

/** The same description of an argument in several tools. */
function repeated({ model, projection, count }: SavingsInput): Saving[] {
  const places = new Map<string, number>();
  for (const { name } of model.tools) {
    for (const text of descriptionsIn(projection.tools.get(name)?.inputSchema.account))
      places.set(text, (places.get(text) ?? 0) + 1);
  }
  return [...places].flatMap(([text, times]) =>
    times < 2
      ? []
      : [
          {
            kind: 'repeated text' as const,
            subject: JSON.stringify(text),
            tokens: (times - 1) * count(JSON.stringify(text)),
            advice: `stands ${times} times; say it once in the instructions`,
          },
        ],
  );
}

function* descriptionsIn(value: JsonValue | undefined): Generator<string> {
  if (isJsonArray(value)) for (const one of value) yield* descriptionsIn(one);
  else if (isJsonObject(value)) {
    for (const [key, one] of Object.entries(value)) {
      if (key === 'description' && typeof one === 'string') yield one;
      else yield* descriptionsIn(one);
    }
  }
}
