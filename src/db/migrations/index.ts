import { migration as identityAndProjects } from './0001-identity-and-projects.ts';
import { migration as jobs } from './0002-jobs.ts';
import { migration as capabilitiesAndObservability } from './0003-capabilities-and-observability.ts';
import { migration as datasets } from './0004-datasets.ts';
import { migration as oauth } from './0005-oauth.ts';
import { migration as signIn } from './0006-sign-in.ts';
import { migration as spanPartitions } from './0007-span-partitions.ts';
import { migration as attempts } from './0008-attempts.ts';
import { migration as uploads } from './0009-uploads.ts';
import { migration as bareSpans } from './0010-bare-spans.ts';
import { migration as traffic } from './0011-traffic.ts';
import { migration as behaviours } from './0012-behaviours.ts';
import { migration as modelCalls } from './0013-model-calls.ts';
import { migration as datasetTurns } from './0014-dataset-turns.ts';
import { migration as arrivals } from './0015-arrivals.ts';
import { migration as modelsOfSpans } from './0016-models-of-spans.ts';
import { migration as spanLabels } from './0017-span-labels.ts';
import type { Migration } from './migration.ts';

/** The whole schema in order. A list, not a folder scan: sources and compiled code then run the same steps. */
export const migrations: readonly Migration[] = [
  identityAndProjects,
  jobs,
  capabilitiesAndObservability,
  datasets,
  oauth,
  signIn,
  spanPartitions,
  attempts,
  uploads,
  bareSpans,
  traffic,
  behaviours,
  modelCalls,
  datasetTurns,
  arrivals,
  modelsOfSpans,
  spanLabels,
];
