import { didYouMean, nearest } from '../load/did-you-mean.ts';
import { isList } from '../grammar/value-kinds.ts';
import type { JobSpec, JsonPath } from '../model/types.ts';
import type { Finding, Rule } from './rule.ts';
import { deref } from './walk.ts';

function on(job: JobSpec, path: JsonPath, message: string, remedy?: string, at: 'key' | 'value' = 'value'): Finding {
  return {
    source: job.source,
    path,
    at,
    entity: `job ${job.name}`,
    message,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const statuses: Rule = {
  id: 'job-status',
  level: 'error',
  sentence: 'A job begins at work and can both succeed and fail.',
  *check({ jobs }) {
    for (const job of jobs) {
      const classes = job.statuses.map((status) => status.class);
      for (const needed of ['succeeded', 'failed'] as const) {
        if (!classes.includes(needed))
          yield on(job, ['statuses'], `No status is of class \`${needed}\`.`, 'Add one.', 'key');
      }
      const [first] = job.statuses;
      if (first !== undefined && (first.class === 'succeeded' || first.class === 'failed')) {
        yield on(
          job,
          ['statuses', first.name, 'class'],
          `The life of a job begins with \`${first.name}\`, which is final.`,
          'List statuses in order of life.',
        );
      }
    }
  },
};

const uris: Rule = {
  id: 'job-uri',
  level: 'error',
  sentence: 'Every kind of job can be read: the model of kinds lists it, and the names of kinds are unique.',
  *check(model) {
    const seen = new Map<string, string>();
    const kindModel = model.models.find(({ name }) => name === 'job_kind');
    const listed = kindModel === undefined ? undefined : deref(model, kindModel.schema)['enum'];
    for (const job of model.jobs) {
      for (const [index, name] of [job.name, ...job.aliases].entries()) {
        const other = seen.get(name);
        if (other !== undefined)
          yield on(
            job,
            index === 0 ? ['name'] : ['aliases'],
            `\`${name}\` is already a kind of \`${other}\`.`,
            'Rename one of them.',
          );
        seen.set(name, job.name);
        if (isList(listed) && !listed.includes(name))
          yield on(
            job,
            index === 0 ? ['name'] : ['aliases'],
            `The model \`job_kind\` does not list \`${name}\`.`,
            'Add it there.',
          );
      }
    }
    if (kindModel === undefined || !isList(listed)) return;
    for (const [index, name] of listed.entries()) {
      if (typeof name !== 'string' || seen.has(name)) continue;
      const near = nearest(name, seen.keys());
      const remedy = near === undefined ? 'Add a file under jobs/, or remove it.' : `Did you mean \`${near}\`?`;
      yield {
        source: kindModel.source,
        path: ['schema', 'enum', index],
        entity: 'model job_kind',
        message: `There is no job \`${name}\`.`,
        remedy,
      };
    }
  },
};

const resources: Rule = {
  id: 'job-resource',
  level: 'error',
  sentence: 'What a job makes is a resource of this contract.',
  *check(model) {
    const names = model.resources.map(({ name }) => name);
    for (const job of model.jobs) {
      if (job.resource === undefined || names.includes(job.resource)) continue;
      yield on(job, ['resource'], `There is no resource \`${job.resource}\`.`, didYouMean(job.resource, names));
    }
  },
};

const poll: Rule = {
  id: 'job-poll',
  level: 'error',
  sentence: 'Callers poll more often than a job is given up, and it is kept longer than it runs.',
  *check({ jobs }) {
    for (const job of jobs) {
      if (job.pollSeconds >= job.timeoutSeconds)
        yield on(
          job,
          ['poll_seconds'],
          'A caller would poll for the first time after the job was given up.',
          'Lower it.',
        );
      if (job.retentionDays * 86_400 < job.timeoutSeconds * job.attempts)
        yield on(job, ['retention_days'], 'The job would be forgotten while it may still run.', 'Raise it.');
    }
  },
};

const NEXT =
  /`[^`]+`|\b(?:approv\w{1,3}|answer\w{0,2}|ask(?:ed|s)?|call|choose\w{0,1}|confirm\w{0,2}|decid\w{1,2}|decision|give[ns]?|send|wait(?:s|ing) for)\b/iu;

const next: Rule = {
  id: 'job-next',
  level: 'warning',
  sentence: 'A status that waits says for what.',
  *check({ jobs }) {
    for (const job of jobs) {
      for (const { name, class: group, meaning } of job.statuses) {
        if (group !== 'waiting' || NEXT.test(meaning)) continue;
        yield on(
          job,
          ['statuses', name, 'meaning'],
          `\`${name}\` waits and does not say for what.`,
          'Say who does what.',
        );
      }
    }
  },
};

export const jobRules: readonly Rule[] = [statuses, uris, resources, poll, next];
