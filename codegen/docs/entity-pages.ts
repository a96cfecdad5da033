/** Pages of everything that is not a tool. */
import type { ErrorSpec, JobSpec, PromptSpec, ResourceSpec, ScopeSpec } from '../model/types.ts';
import { heading } from './page.ts';
import type { Block, Page, Text } from './page.ts';
import { firstSentence, linksTo, linkTo, prose, resourcePage, scopePage } from './prose.ts';
import type { Names } from './prose.ts';
import { schemaTable } from './schema-table.ts';
import { lifecycleBlocks, text } from './tool-pages.ts';
import type { Site } from './tool-pages.ts';

function table(about: string, head: readonly string[], rows: readonly (readonly Text[])[]): Block {
  return { kind: 'table', about, head, rows };
}

export function resourcePageOf(resource: ResourceSpec, { canonical, names }: Site): Page {
  const { uri, uriTemplate, typeName, cache, examples } = resource;
  const tables = { lookup: canonical.lookup, names };
  const shape = (end: string): ReturnType<typeof canonical.lookup> => canonical.shapes.get(`${typeName}${end}`)?.node;
  return {
    path: resourcePage(resource),
    group: uri === undefined ? 'Resource templates' : 'Resources',
    title: resource.title,
    summary: firstSentence(resource.description),
    blocks: [
      text({ code: uri ?? uriTemplate ?? resource.name }),
      { kind: 'text', text: prose(resource.description, names) },
      table(
        'Facts',
        ['Property', 'Value'],
        [
          [['Media type'], [resource.mimeType]],
          [['Scopes'], linksTo(resource.scopes, names)],
          [['May be kept'], [`${cache.ttlSeconds} seconds, ${cache.scope}`]],
          [['Errors'], resource.errors.length === 0 ? ['the implied ones'] : linksTo(resource.errors, names)],
        ],
      ),
      ...(uri === undefined ? [heading('Variables'), schemaTable(shape('Variables'), 'Variables', tables)] : []),
      ...(examples.length === 0
        ? []
        : [
            heading('Examples'),
            {
              kind: 'code' as const,
              text: examples.map(({ variables }) => expanded(uriTemplate ?? '', variables)).join('\n'),
            },
          ]),
      heading('Content'),
      resource.text === undefined
        ? schemaTable(shape('Payload'), `Content of ${resource.name}`, tables)
        : { kind: 'code', text: resource.text },
      ...lifecycleBlocks(resource, `resource ${resource.name}`, canonical.model.changes),
    ],
  };
}

function expanded(template: string, variables: { readonly [name: string]: string }): string {
  return template.replaceAll(/\{([^{}]*)\}/gu, (_, name: string) => encodeURIComponent(variables[name] ?? ''));
}

export function promptPage(prompt: PromptSpec, { canonical, names }: Site): Page {
  const { model } = canonical;
  const mentioned = prompt.mentions.map(({ kind, name }): Text => {
    const resource = kind === 'resource' ? model.resources.find((one) => one.name === name) : undefined;
    return [resource === undefined ? linkTo(name, names) : { page: resourcePage(resource), text: resource.title }];
  });
  return {
    path: `prompts/${prompt.name}`,
    group: 'Prompts',
    title: prompt.title,
    summary: firstSentence(prompt.description),
    blocks: [
      text({ code: prompt.name }),
      { kind: 'text', text: prose(prompt.description, names) },
      heading('Arguments'),
      prompt.arguments.length === 0
        ? text('None.')
        : table(
            'Arguments',
            ['Name', 'Needed', 'Meaning'],
            prompt.arguments.map((one) => [
              [{ code: one.name }],
              [one.required ? 'yes' : 'no'],
              [...prose(one.description, names), ` (at most ${one.maxLength} characters)`],
            ]),
          ),
      heading('Text'),
      ...prompt.messages.map(({ role, parts }): Block => ({
        kind: 'code',
        text: `${role}:\n${parts.map((part) => ('text' in part ? part.text : `{{${part.argument}}}`)).join('')}`,
      })),
      ...(mentioned.length === 0 ? [] : [heading('Uses'), { kind: 'list' as const, items: mentioned }]),
      ...lifecycleBlocks(prompt, `prompt ${prompt.name}`, model.changes),
    ],
  };
}

export function jobPage(job: JobSpec, { canonical, names }: Site): Page {
  const tables = { lookup: canonical.lookup, names };
  const shape = (end: string): ReturnType<typeof canonical.lookup> =>
    canonical.shapes.get(`${job.typeName}${end}`)?.node;
  const resource = canonical.model.resources.find(({ name }) => name === job.resource);
  const starters = canonical.model.tools.filter((tool) => tool.job === job.name).map(({ name }) => name);
  return {
    path: `jobs/${job.name}`,
    group: 'Jobs',
    title: job.title,
    summary: firstSentence(job.description),
    blocks: [
      text({ code: job.name }),
      { kind: 'text', text: prose(job.description, names) },
      table(
        'Facts',
        ['Property', 'Value'],
        [
          [['Started by'], starters.length === 0 ? ['the server'] : linksTo(starters, names)],
          [
            ['Makes'],
            resource === undefined ? ['nothing to read'] : [{ page: resourcePage(resource), text: resource.title }],
          ],
          [['Ask again after'], [`${job.pollSeconds} seconds`]],
          [['Attempts'], [String(job.attempts)]],
          [['Given up after'], [`${job.timeoutSeconds} seconds`]],
          [['Kept for'], [`${job.retentionDays} days`]],
        ],
      ),
      heading('Statuses'),
      table(
        'Statuses',
        ['Status', 'Class', 'Meaning'],
        job.statuses.map((one) => [[{ code: one.name }], [one.class], prose(one.meaning, names)]),
      ),
      heading('Progress'),
      schemaTable(shape('Progress'), 'Progress', tables),
      heading('Details'),
      schemaTable(shape('Details'), 'Details', tables),
    ],
  };
}

export function errorPage(error: ErrorSpec, { canonical, names }: Site): Page {
  const users = canonical.model.tools.filter(({ declaredErrors }) => declaredErrors.includes(error.code));
  return {
    path: `errors/${error.code}`,
    group: 'Errors',
    title: error.code,
    summary: firstSentence(error.meaning),
    blocks: [
      { kind: 'text', text: prose(error.meaning, names) },
      table(
        'Facts',
        ['Property', 'Value'],
        [
          [['When'], prose(error.when, names)],
          [['What to do'], prose(error.recovery, names)],
          [['Worth a retry'], [error.retryable ? 'yes' : 'no']],
          [['Class'], [error.class]],
          [['HTTP status'], [String(error.http)]],
        ],
      ),
      heading('Answered by'),
      error.implied
        ? text('Every tool may answer it.')
        : { kind: 'list', items: users.map(({ name }) => [linkTo(name, names)]) },
    ],
  };
}

export function scopePageOf(scope: ScopeSpec, { canonical, names }: Site): Page {
  const grants = (scopes: readonly string[]): boolean => scopes.includes(scope.name);
  return {
    path: scopePage(scope.name),
    group: 'Scopes',
    title: scope.title,
    summary: firstSentence(scope.meaning),
    blocks: [
      text({ code: scope.name }, ` grants ${scope.permission}.`),
      { kind: 'text', text: prose(scope.meaning, names) },
      heading('Tools'),
      toolList(
        canonical.model.tools.filter(({ behaviour }) => grants(behaviour.scopes)),
        names,
      ),
    ],
  };
}

function toolList(tools: readonly { readonly name: string; readonly description: string }[], names: Names): Block {
  if (tools.length === 0) return text('None.');
  return {
    kind: 'list',
    items: tools.map(({ name, description }) => [linkTo(name, names), ` ${firstSentence(description)}`]),
  };
}
