import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';
import { siteFiles } from '../../../codegen/docs/site.ts';
import { surfaceOf } from '../../../codegen/emit/surface/surface.ts';
import { edited } from '../support/contract-tree.ts';
import { inProject, run } from '../support-back/command.ts';
import { REPOSITORY } from '../support-back/workshop.ts';
import { realParts } from '../support-mock/serving.ts';
import type { Parts } from '../support-mock/serving.ts';

function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));
}

describe('the documentation', () => {
  let parts: Parts;
  const folder = mkdtempSync(join(tmpdir(), 'docs-'));
  before(async () => {
    parts = await realParts();
    const { code, out } = await run(REPOSITORY, 'docs', '--out', folder);
    assert.equal(code, 0, out);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has a page for every tool, resource, template, prompt, job, error, scope and guide', () => {
    const { tools, resources, prompts, jobs, errors, scopes } = parts.model;
    const pages = [
      ...tools.map(({ name }) => `tools/${name}`),
      ...resources.map(({ name, uri }) => `${uri === undefined ? 'templates' : 'resources'}/${name}`),
      ...prompts.map(({ name }) => `prompts/${name}`),
      ...jobs.map(({ name }) => `jobs/${name}`),
      ...errors.map(({ code }) => `errors/${code}`),
      ...scopes.map(({ name }) => `scopes/${name.replaceAll(':', '-')}`),
      ...parts.model.profiles.map(({ name }) => `clients/${name}`),
      'guides/contracts',
      'index',
    ];
    for (const page of pages)
      for (const ending of ['html', 'md'])
        assert.ok(existsSync(join(folder, `${page}.${ending}`)), `${page}.${ending}`);
  });

  it('leads nowhere that is not there, in HTML and in Markdown', () => {
    const broken: string[] = [];
    const check = (file: string, href: string): void => {
      if (/^https?:/u.test(href)) return;
      const [path = '', anchor] = href.split('#');
      const target = path === '' ? file : resolve(dirname(file), path);
      if (!existsSync(target)) broken.push(`${file}: ${href}`);
      else if (
        anchor !== undefined &&
        target.endsWith('.html') &&
        !readFileSync(target, 'utf8').includes(`id="${anchor}"`)
      )
        broken.push(`${file}: ${href}`);
    };
    let links = 0;
    for (const file of filesUnder(folder, '.html'))
      for (const [, href = ''] of readFileSync(file, 'utf8').matchAll(/(?:href|src)="([^"]*)"/gu)) {
        links += 1;
        check(file, href);
      }
    for (const file of filesUnder(folder, '.md'))
      for (const [, href = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^()\s]+)\)/gu)) {
        links += 1;
        check(file, href);
      }
    assert.ok(links > 1000, String(links));
    assert.deepEqual(broken, []);
  });

  it('names the contract hash on every page', () => {
    const { contractHash } = surfaceOf(parts);
    assert.ok(typeof contractHash === 'string');
    assert.match(contractHash, /^[0-9a-f]{64}$/u);
    for (const file of [...filesUnder(folder, '.html'), ...filesUnder(folder, '.md')])
      assert.ok(readFileSync(file, 'utf8').includes(`contract hash ${contractHash}`), file);
  });

  it('tells of a tool its arguments, examples, errors with recovery, cost, lifecycle and who mentions it', () => {
    const page = readFileSync(join(folder, 'tools/query_dataset.md'), 'utf8');
    for (const title of ['Arguments', 'Result', 'Examples', 'Errors', 'Cost', 'Lifecycle', 'Changes', 'Mentioned by'])
      assert.match(page, new RegExp(`^## ${title}$`, 'mu'));
    assert.match(page, /\[`query_invalid`\]\(\.\.\/errors\/query_invalid\.md\) \| \S/u);
    assert.match(page, /\| shown to every model \| \d+ \|/u);
    const prompt = readFileSync(join(folder, 'tools/query_failures.md'), 'utf8');
    assert.match(prompt, /\(\.\.\/prompts\/investigate-capability\.md\) \(Prompts\)/u);
  });

  it('tells what each client leaves out of a tool, and on the page of the client why and since when it is known', () => {
    const tool = readFileSync(join(folder, 'tools/query_dataset.md'), 'utf8');
    assert.match(tool, /^## Left out by clients$/mu);
    assert.match(tool, /\[Gemini\]\(\.\.\/clients\/gemini\.md\) \| \d+ \| `additionalProperties`/u);
    const client = readFileSync(join(folder, 'clients/gemini.md'), 'utf8');
    assert.match(client, /`additionalProperties` \| \[https:\S+, seen \d{4}-\d\d-\d\d/u);
    assert.match(client, /It sees \d+ of \d+ tools/u);
  });

  it('tells of an entity what the changelog tells of it', () => {
    const changelog =
      '# Changelog\n\n## 1.1.0 (soon)\n\n### Changed\n\n- **tool get_job**: It waits.\n- **tool get_job input**: It waits.\n';
    const files = siteFiles({ ...parts, guides: new Map(), changelog });
    assert.match(files.get('tools/get_job.md') ?? '', /^- 1\.1\.0 \(soon\): It waits\. \(in 2 places\)$/mu);
    assert.match(files.get('tools/list_datasets.md') ?? '', /Unchanged in every release/u);
  });

  it('tells what each release changed, and what the next one will', () => {
    const changelog = readFileSync(join(folder, 'changelog.md'), 'utf8');
    assert.match(changelog, /^## \d+\.\d+\.\d+ \(not released yet\)$/mu);
    assert.match(changelog, /^## 1\.0\.0 /mu);
  });

  it('is the same for the same contracts', () => {
    const make = (): string => JSON.stringify([...siteFiles({ ...parts, guides: new Map() })]);
    assert.equal(make(), make());
  });

  it('shows hostile words of a contract as words', async () => {
    const files = edited({
      'get_note:/description': 'Read one note <script>alert(1)</script> of the project | with [a](javascript:x) name.',
    });
    await inProject(async (project) => {
      assert.equal((await run(project, 'docs', '--out', 'site')).code, 0);
      const html = readFileSync(join(project, 'site/tools/get_note.html'), 'utf8');
      assert.doesNotMatch(html, /<script>alert/u);
      assert.match(html, /&lt;script&gt;alert/u);
      const script = readFileSync(join(project, 'site/search.js'), 'utf8');
      assert.doesNotThrow(() => new Script(script));
      assert.doesNotMatch(readFileSync(join(project, 'site/tools/get_note.md'), 'utf8'), /[^\\]\[a\]\(javascript/u);
    }, files);
  });

  it('asks for a folder and for contracts without errors', async () => {
    await inProject(async (project) => {
      assert.equal((await run(project, 'docs')).code, 2);
      assert.equal((await run(project, 'docs', '--out', 'site', '--guides', 'nowhere')).code, 2);
    });
    await inProject(
      async (project) => {
        assert.equal((await run(project, 'docs', '--out', 'site')).code, 1);
        assert.ok(!existsSync(join(project, 'site')));
      },
      edited({ 'get_note:/titel': 'x' }),
    );
  });
});
