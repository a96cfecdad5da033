import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Finding } from '../diff/finding.ts';

export interface Approval {
  readonly date: string;
  readonly reason: string;
  readonly owner: string;
  readonly migration?: string;
  readonly expires?: string;
  readonly link?: string;
}

/** The text of one approval file: what is approved stands beside it as a comment for the reviewer. */
export function approvalText(findings: readonly Finding[], approval: Approval): string {
  const { date, reason, owner, migration, expires, link } = approval;
  const head = stringify(
    {
      kind: 'change',
      date,
      reason,
      ...(migration === undefined ? {} : { migration }),
      owner,
      ...(expires === undefined ? {} : { expires }),
      ...(link === undefined ? {} : { link }),
    },
    { lineWidth: 110 },
  );
  const entries = findings.map(({ rule, entity, fingerprint, message }) => {
    const comment = `  # ${message.replaceAll(/\s+/gu, ' ').slice(0, 110)}`;
    return `${comment}\n  - { rule: ${rule}, entity: ${JSON.stringify(entity)}, fingerprint: ${JSON.stringify(fingerprint)} }`;
  });
  const modeline = '# yaml-language-server: $schema=../meta/change.schema.json';
  return `${modeline}\n${head}approves:\n${entries.join('\n')}\n`;
}

/** Writes the file under `changes/` and answers its path; never over one that exists. */
export function writeApproval(schemas: string, name: string, text: string): string {
  const folder = join(schemas, 'changes');
  mkdirSync(folder, { recursive: true });
  let path = join(folder, `${name}.yaml`);
  for (let next = 2; existsSync(path); next += 1) path = join(folder, `${name}-${next}.yaml`);
  writeFileSync(path, text, { flag: 'wx' });
  return path;
}
