/** What the tools of the last release cost, counted from its snapshot. */
import { isJsonObject, member } from '../canonical/json.ts';
import { readRelease, releasedVersions } from '../baseline/releases.ts';
import { SnapshotFault } from '../baseline/snapshot.ts';
import { shownCost, type Baseline } from '../cost.ts';
import type { Surface } from '../diff/surface/types.ts';
import type { JsonValue } from '../model/types.ts';
import type { TokenCounter } from '../tokens/count.ts';

/** Undefined before the first release; a snapshot that cannot be read is the gate's to report. */
export function lastBaseline(schemas: string, count: TokenCounter): Baseline | undefined {
  const [version] = releasedVersions(schemas);
  if (version === undefined) return undefined;
  try {
    return baselineOf(readRelease(schemas, version).surface, version, count);
  } catch (error) {
    if (error instanceof SnapshotFault) return undefined;
    throw error;
  }
}

export function baselineOf({ tools }: Surface, version: string, count: TokenCounter): Baseline {
  const shown = new Map<string, number>();
  for (const [name, tool] of Object.entries(tools)) {
    // because a surface is JSON, of which a few members are looked at
    const value = tool as unknown as JsonValue;
    const input = publishedInput(value);
    const description = isJsonObject(value) ? member(value, 'description') : undefined;
    if (input !== undefined && typeof description === 'string')
      shown.set(name, shownCost(name, description, input, count).tokens);
  }
  return { version, shown };
}

function publishedInput(tool: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = tool;
  for (const step of ['published', 'input', 'account']) value = isJsonObject(value) ? member(value, step) : undefined;
  return value;
}
