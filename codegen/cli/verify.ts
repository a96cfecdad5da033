import { writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { loadedOf } from '../baseline/sources.ts';
import { surfaceOf as catalogueOf } from '../emit/surface/surface.ts';
import { DEFAULT_GRANT, type Pulled, type Target } from '../pull/pull.ts';
import { toldHash } from '../pull/told-hash.ts';
import { verify } from '../pull/verify.ts';
import { renderReport } from '../report/render.ts';
import { oneLine } from '../report/text.ts';
import { checkTree, hasErrors } from './compile-tree.ts';
import { BadInput, type ExitCode, type Io } from './io.ts';
import { printDiagnostics } from './report.ts';
import type { VerifyFlags } from './server-flags.ts';
import { pullTarget, targetOf } from './target-flags.ts';

export async function runVerify(flags: VerifyFlags, io: Io): Promise<ExitCode> {
  const schemas = resolve(io.cwd, flags.schemas ?? 'schemas');
  const { diagnostics, parts } = await checkTree(schemas);
  if (parts === undefined || hasErrors(diagnostics)) {
    printDiagnostics(diagnostics, schemas, io);
    throw new BadInput('The contracts have faults, so nothing can be held against them.');
  }
  const root = relative(io.cwd, schemas) || '.';
  const contract = loadedOf(parts.model, root);
  const target = targetOf(flags.url, flags);
  demandGrants(
    target,
    contract.surface.views.map(({ grant }) => grant),
  );
  const pulled = await pullTarget(target, flags, io);
  for (const note of pulled.notes) io.err(`Note: ${oneLine(note)}\n`);
  const { contractHash } = catalogueOf({ canonical: parts.canonical, projection: parts.projection });
  const report = await verify({
    contract,
    pulled,
    label: flags.url,
    today: (io.now?.() ?? new Date()).toISOString().slice(0, 10),
    failOn: flags.failOn,
    hash: { expected: typeof contractHash === 'string' ? contractHash : '', told: await hashOf(pulled, target) },
  });
  const format = flags.format === 'text' ? 'terminal' : flags.format;
  const text = renderReport(report, format, { color: io.color && flags.output === undefined, root });
  if (flags.output === undefined) io.out(text);
  else writeFileSync(resolve(io.cwd, flags.output), text);
  return report.failed ? 1 : 0;
}

async function hashOf(pulled: Pulled, target: Target): Promise<string | undefined> {
  return target.kind === 'http' ? toldHash(pulled, target.url) : undefined;
}

/** A credential is held against the grant it is named for, so the names must be those of the contract. */
function demandGrants(target: Target, known: readonly string[]): void {
  if (target.kind !== 'http') return;
  const names = [...new Set(known)];
  const strange = target.grants.map(({ name }) => name).filter((name) => !names.includes(name));
  if (strange.length === 0) return;
  const what = strange.includes(DEFAULT_GRANT)
    ? 'Say whose credential it is'
    : `No grant is called ${strange.join(', ')}`;
  throw new BadInput(`${what}: --grant 'name=Header: value', with one of ${names.join(', ')}.`);
}
