/** What each tool of a catalogue costs an agent that loads it: tokens and bytes by segment. */
import type { ContractModel, JsonValue, ToolSpec } from './model/types.ts';
import type { Projection } from './project/index.ts';
import { createTokenCounter, type TokenCounter } from './tokens/count.ts';

export const SEGMENTS = ['name', 'description', 'input', 'output', 'annotations'] as const;
export type Segment = (typeof SEGMENTS)[number];

/** Whose listing: an account credential names the project in each call, a project key does not. */
export type View = 'account' | 'project';

export interface Cost {
  readonly tokens: number;
  readonly bytes: number;
}

export interface ToolCost {
  readonly name: string;
  readonly segments: Readonly<Record<Segment, Cost>>;
  /** Name, description and input: what every client puts before the model. */
  readonly shown: Cost;
  /** With output and annotations too. */
  readonly whole: Cost;
}

export interface CatalogueCost {
  readonly tools: readonly ToolCost[];
  readonly instructions: Cost;
  readonly shown: Cost;
  readonly whole: Cost;
  readonly meanShownTokens: number;
}

/** The cost now, and what the tools of the last release cost then. */
export interface Figures {
  readonly catalogue: CatalogueCost;
  readonly baseline?: Baseline;
}

export interface Baseline {
  readonly version: string;
  /** Tokens of name, description and input by tool. */
  readonly shown: ReadonlyMap<string, number>;
}

export interface CostOptions {
  /** The account listing when absent, which is the larger one. */
  readonly view?: View;
  readonly count?: TokenCounter;
}

/** Costs of one listing, with compact output schemas. */
export function costOf(model: ContractModel, projection: Projection, options: CostOptions = {}): CatalogueCost {
  const measure = measureWith(options.count ?? createTokenCounter());
  const tools = model.tools.map((tool): ToolCost => {
    const published = projection.tools.get(tool.name);
    const segments = {
      ...shownSegments(tool.name, tool.description, published?.inputSchema[options.view ?? 'account'] ?? {}, measure),
      output: measure(JSON.stringify(published?.outputSchema.compact ?? {})),
      annotations: measure(JSON.stringify(annotationsOf(tool))),
    };
    const shown = sum([segments.name, segments.description, segments.input]);
    return { name: tool.name, segments, shown, whole: sum([shown, segments.output, segments.annotations]) };
  });
  const shown = sum(tools.map((tool) => tool.shown));
  return {
    tools,
    instructions: measure(model.server.instructions),
    shown,
    whole: sum(tools.map((tool) => tool.whole)),
    meanShownTokens: meanOf(shown, tools.length),
  };
}

/** Cost of what every client shows of one tool. */
export function shownCost(name: string, description: string, input: JsonValue, count: TokenCounter): Cost {
  return sum(Object.values(shownSegments(name, description, input, measureWith(count))));
}

export function meanOf({ tokens }: Cost, tools: number): number {
  return tools === 0 ? 0 : Math.round(tokens / tools);
}

type Measure = (text: string) => Cost;

function measureWith(count: TokenCounter): Measure {
  return (text) => ({ tokens: count(text), bytes: Buffer.byteLength(text) });
}

function shownSegments(name: string, description: string, input: JsonValue, measure: Measure) {
  return {
    name: measure(name),
    description: measure(description),
    input: measure(JSON.stringify(input)),
  };
}

function annotationsOf({ title, behaviour }: ToolSpec) {
  const { readOnly, destructive, idempotent, openWorld } = behaviour;
  return {
    title,
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
}

export function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((total, { tokens, bytes }) => ({ tokens: total.tokens + tokens, bytes: total.bytes + bytes }), {
    tokens: 0,
    bytes: 0,
  });
}
