import { createInterface } from 'node:readline/promises';
import type { DatasetDetail } from '../../../generated/contracts/models/dataset_detail.ts';
import type { DatasetMutation } from '../../../generated/contracts/models/dataset_mutation.ts';
import { newId } from '../../kernel/ids.ts';
import type { Connection } from '../connection.ts';
import { Refused, UsageFault } from '../usage-fault.ts';
import { waitForJob } from '../wait-for-job.ts';
import type { Session } from './session.ts';
import { describeDataset } from './show.ts';

/** Says something to the agent that prepares the dataset; a language model is paid for, so a person is asked first. */
export async function messageAgent(
  session: Session,
  { dataset, message }: { readonly dataset: string; readonly message: string },
  { yes }: { readonly yes?: true },
): Promise<void> {
  if (yes !== true) await agree('The message goes to a language model, which costs tokens. Send it?');
  const connection = await session.connect();
  const made = await connection.tools.call('message_dataset_agent', { dataset, message });
  const { recent_chat: chat } = await follow(session, connection, made);
  const answer = chat.findLast(({ role }) => role === 'agent');
  if (answer?.status === 'error') throw new Refused(answer.error ?? 'The agent gave no answer.');
}

/** Approves or denies a proposed version. */
export async function decideProposal(
  session: Session,
  { dataset, proposal }: { readonly dataset: string; readonly proposal: string },
  decision: 'approve' | 'deny',
): Promise<void> {
  const connection = await session.connect();
  const args = { dataset, proposal_cell: proposal, decision, request_key: newId() };
  await follow(session, connection, await connection.tools.call('run_dataset', args));
}

/** Makes a version by one SELECT over the last one. */
export async function addStep(
  session: Session,
  step: { readonly dataset: string; readonly title: string; readonly sql: string },
): Promise<void> {
  const connection = await session.connect();
  await follow(session, connection, await connection.tools.call('add_dataset_step', { ...step }));
}

async function follow(session: Session, { tools }: Connection, made: DatasetMutation): Promise<DatasetDetail> {
  const { terminal, json, progress } = session;
  const job = await waitForJob(tools, made.job.id, progress);
  const detail = await tools.call('inspect_dataset', { dataset: made.dataset.id });
  terminal.out(json ? JSON.stringify(detail) : describeDataset(detail, terminal.style));
  if (detail.state === 'error') throw new Refused(detail.error ?? job.job_error ?? job.summary);
  return detail;
}

async function agree(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageFault(`${question} Nobody is there to ask; say so with --yes.`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new Refused('Nothing was sent.');
}
