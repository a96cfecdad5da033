import { join } from 'node:path';
import { checkTree } from '../../../codegen/cli/compile-tree.ts';
import type { Checked } from '../../../codegen/cli/compile-tree.ts';
import { Mock } from '../../../codegen/mock/mock.ts';
import type { MockOptions } from '../../../codegen/mock/mock.ts';
import { serve } from '../../../codegen/mock/serve.ts';
import type { Serving } from '../../../codegen/mock/serve.ts';
import { REPOSITORY } from '../support-back/workshop.ts';

export type Parts = NonNullable<Checked['parts']>;

/** The contracts of this repository. */
export async function realParts(): Promise<Parts> {
  const { parts } = await checkTree(join(REPOSITORY, 'schemas'));
  if (parts === undefined) throw new Error('the contracts do not compile');
  return parts;
}

const OPTIONS: MockOptions = {
  seed: 'test',
  rows: 45,
  jobSeconds: 6,
  grant: 'project',
  outputSchema: 'full',
  now: () => new Date('2026-05-01T00:00:00Z'),
};

export function mockOf({ canonical, projection }: Parts, options: Partial<MockOptions> = {}): Mock {
  return new Mock(canonical, projection, { ...OPTIONS, ...options });
}

export function serveMock(parts: Parts, options: Partial<MockOptions> = {}): Promise<Serving> {
  return serve(mockOf(parts, options), { host: '127.0.0.1', port: 0, latencyMs: 0 });
}
