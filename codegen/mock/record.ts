import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalText, sortMembers } from '../canonical/json.ts';
import type { JsonValue } from '../model/types.ts';
import type { MockOptions } from './mock.ts';

/** Writes every call with its answer as a file; the same call is the same file. */
export function recordInto(folder: string): NonNullable<MockOptions['record']> {
  mkdirSync(folder, { recursive: true });
  return ({ input, outcome, era }) => {
    const digest = createHash('sha256').update(canonicalText(input)).digest('hex').slice(0, 12);
    const place = join(folder, outcome.tool);
    mkdirSync(place, { recursive: true });
    const answer: { readonly [name: string]: JsonValue } =
      'error' in outcome ? { error: { ...outcome.error } } : { output: outcome.output };
    const name = 'error' in outcome ? `${digest}.${outcome.error.code}.json` : `${digest}.json`;
    const fixture = { tool: outcome.tool, era, input: sortMembers(input), ...answer };
    writeFileSync(join(place, name), `${JSON.stringify(fixture, null, 2)}\n`);
  };
}
