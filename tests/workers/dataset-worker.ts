import { connect } from '../../src/db/connect.ts';
import type { DatabaseAddress } from '../../src/db/connect.ts';
import { OpenAiChatModel } from '../../src/providers/models/openai-chat-model.ts';
import { assemble, datasetsWorker } from '../domain/datasets/datasets-world.ts';

// A worker process for the test that kills it: takes dataset jobs with a short lease and says when one begins.
// because the parent process writes it
const { address, folder, leaseMs, modelUrl } = JSON.parse(process.argv[2] ?? '') as {
  address: DatabaseAddress;
  folder: string;
  leaseMs: number;
  modelUrl?: string;
};
const db = connect(address, { applicationName: 'dataset worker', poolMax: 6 });
const parts = await assemble({
  db,
  address,
  folder,
  ...(modelUrl !== undefined && {
    provider: { model: new OpenAiChatModel({ url: modelUrl, model: 'some-model', timeoutMs: 10_000 }) },
  }),
});
datasetsWorker(parts, db, { concurrency: 1, leaseMs, sweepMs: leaseMs / 4 }, () => process.send?.('begun')).start();
