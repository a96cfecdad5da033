/** What each tool of a catalogue costs an agent that loads it: tokens and bytes by segment. */
import type { ContractModel } from './model/types.ts';
import type { Projection } from './project/index.ts';
import { createTokenCounter } from './tokens/count.ts';

export const SEGMENTS = ['name', 'description', 'input', 'output', 'annotations'] as const;
export type Segment = (typeof SEGMENTS)[number];

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

/** Costs of the listing an account credential sees, which is the larger one, with compact output schemas. */
export function costOf(model: ContractModel, projection: Projection): CatalogueCost {
  const countTokens = createTokenCounter();
  const measure = (text: string): Cost => ({ tokens: countTokens(text), bytes: Buffer.byteLength(text) });
  const tools = model.tools.map((tool): ToolCost => {
    const published = projection.tools.get(tool.name);
    const { readOnly, destructive, idempotent, openWorld } = tool.behaviour;
    const hints = {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    };
    const segments = {
      name: measure(tool.name),
      description: measure(tool.description),
      input: measure(JSON.stringify(published?.inputSchema.account ?? {})),
      output: measure(JSON.stringify(published?.outputSchema.compact ?? {})),
      annotations: measure(JSON.stringify({ title: tool.title, ...hints })),
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
    meanShownTokens: tools.length === 0 ? 0 : Math.round(shown.tokens / tools.length),
  };
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((total, { tokens, bytes }) => ({ tokens: total.tokens + tokens, bytes: total.bytes + bytes }), {
    tokens: 0,
    bytes: 0,
  });
}
