/** All files of the documentation: one page per entity as HTML and Markdown, style, script and index. */
import { costOf } from '../cost.ts';
import type { CanonicalModel } from '../canonical/index.ts';
import { isJsonObject } from '../canonical/json.ts';
import { surfaceOf } from '../emit/surface/surface.ts';
import { Jobs } from '../mock/jobs.ts';
import { Makers } from '../mock/makers.ts';
import { Tools } from '../mock/tools.ts';
import type { Projection } from '../project/index.ts';
import { searchScript, STYLE } from './assets.ts';
import { clientPage, clientsOf } from './client-pages.ts';
import { errorPage, jobPage, promptPage, resourcePageOf, scopePageOf } from './entity-pages.ts';
import { withHistory, withoutRepeats } from './history.ts';
import { heading, textsOf } from './page.ts';
import type { Block, Inline, Page } from './page.ts';
import { namesOf } from './prose.ts';
import type { Names } from './prose.ts';
import { readGuide } from './read-markdown.ts';
import { htmlPage } from './render-html.ts';
import { markdownPage } from './render-markdown.ts';
import { text, toolPage } from './tool-pages.ts';
import type { Site } from './tool-pages.ts';

export interface DocsInput {
  readonly canonical: CanonicalModel;
  readonly projection: Projection;
  /** Markdown of the guides by the name of their page, `guides/contracts` for instance. */
  readonly guides: ReadonlyMap<string, string>;
  /** Markdown of what changed, release by release; absent where nothing was released. */
  readonly changelog?: string;
}

/** Made-up answers carry times; a fixed one keeps the site the same until the contracts change. */
const EPOCH = new Date(0);

/** Text of every file by its path below the output folder. */
export function siteFiles(input: DocsInput): ReadonlyMap<string, string> {
  const { model } = input.canonical;
  const { contractHash } = surfaceOf(input);
  const hash = typeof contractHash === 'string' ? contractHash : '';
  const pages = withBacklinks(withHistory(pagesOf(input), input.changelog));
  const groups = [...new Set(pages.map(({ group }) => group))];
  const title = `${model.server.title} ${model.server.version}`;
  const footer = `${title}, contract hash ${hash}.`;
  const all = [indexPage(pages, { input, groups, hash }), ...pages];
  const files = new Map([
    ['style.css', STYLE],
    ['search.js', searchScript(pages.map((page) => ({ ...page, words: wordsOf(page) })))],
  ]);
  for (const page of all) {
    files.set(`${page.path}.html`, htmlPage(page, { site: title, groups, footer }));
    files.set(`${page.path}.md`, markdownPage(page, footer));
  }
  return files;
}

function pagesOf({ canonical, projection, guides, changelog }: DocsInput): readonly Page[] {
  const { model } = canonical;
  const names = namesOf(model);
  const costs = costOf(model, projection);
  const clients = clientsOf(model, projection);
  const site: Site = {
    canonical,
    names,
    costs: new Map(costs.tools.map((cost) => [cost.name, cost])),
    projection,
    clients,
    answer: answers(canonical),
  };
  return [
    ...model.tools.map((tool) => toolPage(tool, site)),
    ...model.resources.filter(({ uri }) => uri !== undefined).map((one) => resourcePageOf(one, site)),
    ...model.resources.filter(({ uri }) => uri === undefined).map((one) => resourcePageOf(one, site)),
    ...model.prompts.map((prompt) => promptPage(prompt, site)),
    ...model.jobs.map((job) => jobPage(job, site)),
    ...model.errors.map((error) => errorPage(error, site)),
    ...model.scopes.map((scope) => scopePageOf(scope, site)),
    ...clients.map((client) => clientPage(client, model)),
    ...(changelog === undefined ? [] : [changelogPage(changelog, names)]),
    ...guidePages(guides, names),
  ];
}

function changelogPage(markdown: string, names: Names): Page {
  const { blocks } = readGuide(withoutRepeats(markdown), { names, pageOf: () => undefined });
  const summary = 'What callers meet, release by release, and what is not released yet.';
  return { path: 'changelog', group: 'Releases', title: 'Changelog', summary, blocks };
}

function answers(canonical: CanonicalModel): Site['answer'] {
  const makers = new Makers(canonical, 'docs');
  const jobs = new Jobs(makers, { now: () => EPOCH, seconds: 6 });
  const tools = new Tools({ makers, jobs, rows: 2, grant: 'project', publishesOutput: true });
  return ({ name }, input) => {
    if (!isJsonObject(input)) return undefined;
    const outcome = tools.call({ name, arguments: input, era: 'modern', wanted: undefined });
    return 'output' in outcome ? outcome.output : undefined;
  };
}

function guidePages(guides: ReadonlyMap<string, string>, names: Names): Page[] {
  return [...guides].map(([path, markdown]) => {
    const pageOf = (href: string): string | undefined => {
      const folder = /([^/]+)\/(?:SKILL\.md)?$/u.exec(href)?.[1];
      const page = folder === undefined ? undefined : `guides/${folder}`;
      return page !== undefined && guides.has(page) ? page : undefined;
    };
    const { title, summary, blocks } = readGuide(markdown, { names, pageOf });
    return { path, group: 'Guides', title: title === '' ? path.replace('guides/', '') : title, summary, blocks };
  });
}

/** Every page ends with the pages that lead to it. */
function withBacklinks(pages: readonly Page[]): readonly Page[] {
  const from = new Map<string, Map<string, Page>>();
  for (const page of pages)
    for (const target of targetsOf(page)) {
      if (target === page.path) continue;
      const sources = from.get(target) ?? new Map<string, Page>();
      from.set(target, sources.set(page.path, page));
    }
  return pages.map((page) => {
    const sources = [...(from.get(page.path)?.values() ?? [])];
    if (sources.length === 0) return page;
    const items = sources.map(({ path, title, group }): Inline[] => [{ page: path, text: title }, ` (${group})`]);
    return { ...page, blocks: [...page.blocks, heading('Mentioned by'), { kind: 'list', items }] };
  });
}

function targetsOf({ blocks }: Page): readonly string[] {
  return blocks
    .flatMap(textsOf)
    .flat()
    .flatMap((part) => (typeof part === 'object' && 'page' in part ? [part.page] : []));
}

function wordsOf({ blocks }: Page): string {
  const words = blocks
    .flatMap(textsOf)
    .flat()
    .map((part) =>
      typeof part === 'string'
        ? part
        : 'code' in part && typeof part.code === 'string'
          ? part.code
          : 'text' in part
            ? part.text
            : '',
    )
    .join(' ')
    .toLowerCase()
    .match(/[\p{L}\p{N}_:-]{3,}/gu);
  return [...new Set(words ?? [])].join(' ');
}

interface Around {
  readonly input: DocsInput;
  readonly groups: readonly string[];
  readonly hash: string;
}

function indexPage(pages: readonly Page[], { input, groups, hash }: Around): Page {
  const { model } = input.canonical;
  const costs = costOf(model, input.projection);
  const shown = new Map(costs.tools.map(({ name, shown: cost }) => [`tools/${name}`, cost.tokens]));
  const blocks: Block[] = [
    text(model.server.description),
    text(
      'Contract hash ',
      { code: hash },
      `. All tools together cost ${costs.shown.tokens} tokens before a model has read a word.`,
    ),
  ];
  for (const group of groups) {
    const members = pages.filter((page) => page.group === group);
    const tools = group === 'Tools';
    blocks.push(heading(group), {
      kind: 'table',
      about: group,
      head: ['Name', ...(tools ? ['Tokens'] : []), 'What it is'],
      rows: members.map(({ path, title, summary }) => [
        [{ page: path, text: title }],
        ...(tools ? [[String(shown.get(path) ?? 0)]] : []),
        [summary],
      ]),
    });
  }
  return {
    path: 'index',
    group: 'Documentation',
    title: model.server.title,
    summary: model.server.description,
    blocks,
  };
}
