import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { baseTree } from '../support/contract-tree.ts';
import { writeTree } from '../support-back/command.ts';
import { removeFolder } from '../support-back/workshop.ts';
import { changed, Editor, spotOf } from './editor.ts';
import type { Action } from './editor.ts';

const TOOL = 'schemas/tools/notes/list_notes.yaml';
const GET = 'schemas/tools/notes/get_note.yaml';
const PROMPT = 'schemas/prompts/tidy_notes.yaml';
const START = 'schemas/tools/notes/start_export.yaml';

describe('mcp-contract language-server', () => {
  let folder = '';
  let editor: Editor;

  /** One server for all: it is to keep its wits through everything that is typed. */
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'contract-editor-')));
    writeTree(join(folder, 'schemas'), baseTree());
    editor = new Editor(folder);
    await editor.start();
  });

  after(() => {
    editor.kill();
    removeFolder(folder);
  });

  it('tells findings at their place while typing, and takes them back', async () => {
    assert.deepEqual(await editor.opens(TOOL), []);
    const good = editor.text(TOOL);
    const bad = good.replace('`get_note`', '`get_notes`');
    const [finding, ...others] = await editor.types(TOOL, bad);
    assert.deepEqual(others, []);
    assert.equal(finding?.code, 'xref-tool');
    assert.match(finding.message, /Did you mean `get_note`/);
    assert.deepEqual(finding.range.start, spotOf(bad, 'description: ', 'description: '.length));
    const half = good.replace('kind: tool\n', 'kind: tool\nnam');
    const [slip] = await editor.types(TOOL, half);
    assert.equal(slip?.severity, 1);
    assert.deepEqual(await editor.types(TOOL, good), []);
  });

  it('offers the exact fix of a finding, and the likeliest name where one is misspelt', async () => {
    await editor.opens(GET);
    const good = editor.text(GET);
    const bad = good.replace('idempotent: true', 'idempotent: false').replace('`list_notes`', '`list_note`');
    const findings = await editor.types(GET, bad);
    const fixOf = async (rule: string): Promise<Action> => {
      const finding = findings.find(({ code }) => code === rule);
      assert.ok(finding, rule);
      const actions = await editor.actsOn(GET, finding);
      const action = actions.find(({ diagnostics }) => diagnostics.some(({ code }) => code === rule));
      assert.ok(action, `no action for ${rule}`);
      assert.equal(action.kind, 'quickfix');
      return action;
    };
    const exact = await fixOf('hint-coherent');
    assert.equal(exact.isPreferred, true);
    assert.equal(changed(bad, exact), bad.replace('idempotent: false', 'idempotent: true'));
    const guess = await fixOf('xref-tool');
    assert.equal(guess.isPreferred, false);
    assert.equal(changed(bad, guess), bad.replace('`list_note`', '`list_notes`'));
    assert.deepEqual(await editor.types(GET, good), []);
  });

  it('completes the names that fit a place', async () => {
    await editor.opens(TOOL);
    const whole = editor.text(TOOL);
    const at = async (edit: (text: string) => string, needle: string): Promise<readonly string[]> => {
      const text = edit(whole);
      await editor.types(TOOL, text);
      const items = await editor.completes(TOOL, spotOf(text, needle, needle.length));
      return items.map(({ label }) => label);
    };
    const models = await at((text) => text.replace('model:page', 'model:'), '$ref: "model:');
    assert.ok(models.includes('note'), 'a name of a model');
    const scopes = await at((text) => text.replace('scopes: ["notes:read"]', 'scopes: ["'), 'scopes: ["');
    assert.deepEqual(scopes, ['notes:export', 'notes:read', 'notes:write']);
    const errors = await at((text) => `${text}errors: [note`, 'errors: [note');
    assert.ok(errors.includes('note_not_found') && !errors.includes('get_note'));
    const tools = await at((text) => text.replace('`get_note`', '`get'), 'with `get');
    assert.ok(tools.includes('get_note'), 'a name of a tool');
    await editor.opens(PROMPT);
    const prompt = editor.text(PROMPT).replace('{{resource "note"}}', '{{resource "');
    await editor.types(PROMPT, prompt);
    const resources = await editor.completes(PROMPT, spotOf(prompt, '{{resource "', 12));
    assert.deepEqual(
      resources.map(({ label }) => label),
      ['guide', 'note'],
    );
    await editor.opens(START);
    const start = editor.text(START).replace('job: note_export', 'job: ');
    await editor.types(START, start);
    const jobs = await editor.completes(START, spotOf(start, '\njob: ', 6));
    assert.deepEqual(
      jobs.map(({ label }) => label),
      ['note_export'],
    );
  });

  it('shows what agents will read of a tool, and what a name means', async () => {
    await editor.opens(TOOL);
    const text = editor.text(TOOL);
    const own = (await editor.hovers(TOOL, spotOf(text, 'name: list_notes', 8)))?.contents.value ?? '';
    assert.match(own, /Agents read, at \d+ tokens/);
    const listed = JSON.parse(/```json\n([^]*)\n```/.exec(own)?.[1] ?? '') as { name: string; inputSchema: object };
    assert.equal(listed.name, 'list_notes');
    assert.ok('project_id' in (listed.inputSchema as { properties: object }).properties);
    const model = await editor.hovers(TOOL, spotOf(text, 'model:page', 8));
    assert.match(model?.contents.value ?? '', /Where a list stands and how to go on/);
    await editor.opens(GET);
    const error = await editor.hovers(GET, spotOf(editor.text(GET), 'errors: [note_not_found', 12));
    assert.match(error?.contents.value ?? '', /HTTP 404/);
    assert.equal(await editor.hovers(GET, spotOf(editor.text(GET), 'Find its id', 2)), null);
  });

  it('goes to where a name is declared', async () => {
    await editor.opens(GET);
    const text = editor.text(GET);
    const target = async (needle: string, shift: number) => {
      const found = await editor.defines(GET, spotOf(text, needle, shift));
      return { uri: found?.uri, start: found?.range.start };
    };
    const declared = (file: string, needle: string, shift: number) => ({
      uri: pathToFileURL(join(editor.folder, file)).href,
      start: spotOf(editor.text(file), needle, shift),
    });
    assert.deepEqual(await target('`list_notes`', 3), declared(TOOL, 'name: list_notes', 6));
    assert.deepEqual(await target('model:note', 8), declared('schemas/models/note.yaml', 'name: note', 6));
    const errors = 'schemas/vocabulary/errors.yaml';
    assert.deepEqual(await target('error: note_not_found', 9), declared(errors, 'code: note_not_found', 6));
    const scopes = 'schemas/vocabulary/scopes.yaml';
    assert.deepEqual(await target('"notes:read"', 3), declared(scopes, '"notes:read"', 0));
  });

  it('ends when it is told to', async () => {
    assert.equal(await editor.stop(), 0);
  });
});
