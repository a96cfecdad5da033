import { counted } from '../../kernel/counted.ts';
import { retry } from '../../kernel/retry.ts';
import { isWorthRepeating } from '../explain.ts';
import { formatBytes } from '../progress.ts';
import { receiveFile, requireFree } from '../receive-file.ts';
import { UsageFault } from '../usage-fault.ts';
import type { Session } from './session.ts';

export interface ExportOptions {
  readonly format?: 'jsonl' | 'csv' | 'parquet';
  readonly cell?: string;
  readonly output?: string;
}

/** Stores the rows of a version as a file that did not exist before. */
export async function exportDataset(session: Session, dataset: string, options: ExportOptions): Promise<void> {
  const { terminal, json, progress } = session;
  if (options.output === '-')
    throw new UsageFault('An export is checked as a whole before anybody reads it; name a file.');
  if (options.output !== undefined) await requireFree(options.output);
  const { client, projectId } = await session.connect();
  const { format, cell, output } = options;
  const answered = await retry(
    async () => {
      const answer = await client.export_dataset({
        parameters: {
          project_id: projectId,
          dataset,
          ...(format !== undefined && { format }),
          ...(cell !== undefined && { cell }),
        },
      });
      const file = await receiveFile(answer, { progress, ...(output !== undefined && { output }) });
      return { file, headers: answer.headers };
    },
    { attempts: 4, baseMs: 500, maxMs: 8_000, isRetryable: isWorthRepeating },
  );
  const { file, headers } = answered;
  const facts = {
    ...file,
    rows: Number(headers.get('x-overmind-rows')),
    version: headers.get('x-overmind-version'),
    cell: headers.get('x-overmind-cell'),
    fingerprint: headers.get('x-overmind-fingerprint'),
  };
  if (json) terminal.out(JSON.stringify(facts));
  else {
    terminal.out(
      `${facts.path}\n${counted(facts.rows, 'row')} of version ${String(facts.version)}, ${formatBytes(facts.bytes)}, SHA-256 ${facts.sha256}\nfingerprint ${String(facts.fingerprint)}`,
    );
  }
}
