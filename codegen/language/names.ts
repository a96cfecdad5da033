/** Every name a contract can mention, with where it is declared and what a reader should know about it. */
import type { Checked } from '../cli/compile-tree.ts';
import { costOf } from '../cost.ts';
import { listTools } from '../mock/listings.ts';
import type { SourcePosition } from '../model/types.ts';

export type NameKind = 'model' | 'tool' | 'resource' | 'prompt' | 'error' | 'scope' | 'job' | 'domain';

export interface Named {
  readonly kind: NameKind;
  readonly name: string;
  readonly title: string;
  readonly position: SourcePosition;
  /** Markdown; made when asked for, because a listing entry is counted in tokens. */
  readonly about: () => string;
}

type Parts = NonNullable<Checked['parts']>;

export function namesOf(parts: Parts): readonly Named[] {
  const { model } = parts;
  const lists = [
    model.models.map((one): Named => {
      const about = () => `**model ${one.name}**: ${one.title}\n\n${one.description}\n\n${json(one.schema)}`;
      return { kind: 'model', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.tools.map((one): Named => {
      const about = () => asListed(parts, one.name);
      return { kind: 'tool', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.resources.map((one): Named => {
      const address = one.uri ?? one.uriTemplate ?? '';
      const about = () => `**resource ${one.name}**: \`${address}\`\n\n${one.description}`;
      return { kind: 'resource', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.prompts.map((one): Named => {
      const about = () => `**prompt ${one.name}**: ${one.title}\n\n${one.description}`;
      return { kind: 'prompt', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.jobs.map((one): Named => {
      const statuses = one.statuses.map(({ name, class: kind, meaning }) => `- \`${name}\` (${kind}): ${meaning}`);
      const about = () => `**job ${one.name}**: ${one.description}\n\n${statuses.join('\n')}`;
      return { kind: 'job', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.errors.map((one): Named => {
      const about = () =>
        `**error ${one.code}** (HTTP ${one.http}${one.retryable ? ', retryable' : ''}): ${one.meaning}\n\n${one.recovery}`;
      return { kind: 'error', name: one.code, title: one.meaning, position: one.source.locate(['code']), about };
    }),
    model.scopes.map((one): Named => {
      const about = () => `**scope ${one.name}** (${one.permission}): ${one.meaning}`;
      return { kind: 'scope', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
    model.domains.map((one): Named => {
      const about = () => `**domain ${one.name}**: ${one.title}. ${one.description}`;
      return { kind: 'domain', name: one.name, title: one.title, position: one.source.locate(['name']), about };
    }),
  ];
  return lists.flat();
}

/** The entry of `tools/list` that a client puts before its model, and what it costs there. */
function asListed({ model, projection }: Parts, name: string): string {
  const tool = model.tools.find((one) => one.name === name);
  const published = projection.tools.get(name);
  if (tool === undefined || published === undefined) return `**tool ${name}**`;
  const single = { ...model, tools: [tool] };
  const [entry] = listTools(single, projection, { grant: 'account', outputSchema: 'none' });
  const { tokens } = costOf(single, projection).shown;
  return `**tool ${name}**: ${tool.title}\n\nAgents read, at ${tokens} tokens:\n\n${json(entry)}`;
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
