import { allowSpill, guard, identifier, lock, openDatabase, openTable } from './engine-database.ts';
import type { EngineDatabase } from './engine-database.ts';
import { inFiles } from './file-faults.ts';
import { exportTable } from './export-tasks.ts';
import { openFiles } from './file-tasks.ts';
import { measureTable } from './measure-tasks.ts';
import { setPace } from './process-priority.ts';
import type { EngineLimits, EngineReply, EngineRequest, EngineTask } from './protocol.ts';
import { readAnswer } from './read-tasks.ts';
import { StatementFault } from './statement-guard.ts';
import { openRows, writeTable } from './write-tasks.ts';

/** The engine process: started by EngineProcess, speaks over its IPC channel, lives no longer than its parent. */

const WATCH_MS = 50;

let limits: EngineLimits = { memoryMb: 256, residentMb: 768 };
let spare: Promise<EngineDatabase> | undefined;
/** CPU time of this process when its present task began, in microseconds. */
let begunAt: number | undefined;

// The parent is gone, also when it was killed: nobody would read an answer, and a native query would run on.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message) => {
  // because only EngineProcess holds the other end of this channel
  void receive(message as EngineRequest);
});

async function receive(request: EngineRequest): Promise<void> {
  if (request.kind === 'start') {
    limits = request.limits;
    setInterval(watch, WATCH_MS).unref();
    await send({ kind: 'ready' });
    prepareNext();
  }
  if (request.kind === 'task') await answer(request.task);
}

async function answer(task: EngineTask): Promise<void> {
  let database: EngineDatabase | undefined;
  let reply: EngineReply;
  begunAt = cpuTime();
  try {
    database = await (spare ?? openDatabase(limits));
    spare = undefined;
    reply = { kind: 'done', answer: await perform(task, database) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    reply = { kind: error instanceof StatementFault ? 'refused' : 'broken', message };
  }
  begunAt = undefined;
  await send(reply);
  database?.close();
  prepareNext();
}

/** Opening takes 20 ms, so it is done between tasks; a failure shows when the next task awaits it. */
function prepareNext(): void {
  spare = openDatabase(limits);
  spare.catch(() => undefined);
}

async function perform(task: EngineTask, { connection }: EngineDatabase): Promise<string> {
  switch (task.kind) {
    case 'query': {
      if (task.spillFolder !== undefined) await allowSpill(connection, task.spillFolder);
      await openTable(connection, task.file);
      await lock(connection, [task.file]);
      return ofAuthor(async () => {
        await guard(connection, task.sql);
        return readAnswer(connection, task.sql, task);
      });
    }
    case 'check': {
      await openTable(connection, task.file);
      await lock(connection, [task.file]);
      return ofAuthor(async () => {
        await guard(connection, task.sql);
        (await connection.prepare(task.sql)).destroySync();
        return 'null';
      });
    }
    case 'measure': {
      await allowSpill(connection, task.spillFolder);
      await openTable(connection, task.file);
      await lock(connection, [task.file]);
      return measureTable(connection, task.identity);
    }
    case 'write_rows': {
      await allowSpill(connection, task.spillFolder);
      await openRows(connection, task.jsonLines, task.columns);
      await lock(connection, [task.jsonLines, task.target]);
      return writeTable(connection, task.target, task.identity);
    }
    case 'write_files': {
      await allowSpill(connection, task.spillFolder);
      return ofAuthor(async () => {
        await openFiles(connection, task.files, task.identity);
        await lock(connection, [...task.files.map(({ path }) => path), task.target]);
        return inFiles(connection, task.files, () => writeTable(connection, task.target, task.identity));
      });
    }
    case 'export': {
      await allowSpill(connection, task.spillFolder);
      await openTable(connection, task.file);
      await lock(connection, [task.file, task.target]);
      return exportTable(connection, task);
    }
    case 'write_select': {
      await allowSpill(connection, task.spillFolder);
      await openTable(connection, task.file);
      await lock(connection, [task.file, task.target]);
      return ofAuthor(async () => {
        const made: string[] = [];
        for (const [name, sql] of Object.entries(task.tables)) {
          await guard(connection, sql, made);
          await connection.run(`CREATE TEMP TABLE ${identifier(name)} AS ${sql}`);
          made.push(name);
        }
        await guard(connection, task.sql, made);
        await connection.run(`CREATE VIEW rows AS SELECT * FROM (\n${task.sql.replace(/[\s;]+$/, '')}\n)`);
        return writeTable(connection, task.target, task.identity);
      });
    }
  }
}

/** What fails in here fails because of the statement. */
async function ofAuthor(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    throw new StatementFault(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function watch(): void {
  if (process.memoryUsage.rss() > limits.residentMb * 1024 * 1024) {
    void send({ kind: 'exhausted' }).finally(() => process.kill(process.pid, 'SIGKILL'));
  }
  const { yieldAfterMs = Number.POSITIVE_INFINITY } = limits;
  if (begunAt === undefined || cpuTime() - begunAt < yieldAfterMs * 1_000) return;
  begunAt = undefined;
  setPace(process.pid, 'patient');
  void send({ kind: 'slowed' });
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function send(reply: EngineReply): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined) return resolve();
    process.send(reply, undefined, undefined, () => resolve());
  });
}
