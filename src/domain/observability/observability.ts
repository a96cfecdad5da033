import type { Db } from '../../db/database.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId, type IdMaker } from '../../kernel/ids.ts';
import type { PageCursors } from '../../kernel/page-cursor.ts';
import { CapabilityService } from '../capabilities/index.ts';
import { HealthService } from './health-service.ts';
import { IngestService } from './ingest-service.ts';
import { SessionService } from './session-service.ts';
import { SpanWeeks } from './span-weeks.ts';
import { TaskExecutionService } from './task-execution-service.ts';
import { TraceFeed } from './trace-feed.ts';
import { TraceService } from './trace-service.ts';
import { UpkeepService } from './upkeep-service.ts';

export interface ObservabilityParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly cursors: PageCursors;
  readonly newId?: IdMaker;
}

/** Everything that is known from traces, one service per question. */
export interface Observability {
  readonly capabilities: CapabilityService;
  readonly ingest: IngestService;
  readonly traces: TraceService;
  readonly feed: TraceFeed;
  readonly sessions: SessionService;
  readonly upkeep: UpkeepService;
  readonly health: HealthService;
  readonly taskExecutions: TaskExecutionService;
}

export function createObservability({ db, clock, cursors, newId: ids = newId }: ObservabilityParts): Observability {
  const capabilities = new CapabilityService({ db, newId: ids });
  return {
    capabilities,
    ingest: new IngestService({ db, clock, newId: ids, capabilities, weeks: new SpanWeeks() }),
    traces: new TraceService({ db, clock, cursors, capabilities }),
    feed: new TraceFeed({ db, cursors }),
    sessions: new SessionService({ db, cursors }),
    upkeep: new UpkeepService({ db, clock }),
    health: new HealthService({ db, clock, capabilities }),
    taskExecutions: new TaskExecutionService({ db, cursors, capabilities }),
  };
}
