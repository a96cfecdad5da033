import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDefs } from '../../../codegen/model/bundle.ts';
import { baseTree, edited, lint, lintFolder, withTree } from '../support/contract-tree.ts';
import type { Files } from '../support/contract-tree.ts';

/** The printed diagnostics of the base tree in which one file has this text. */
async function linesOf(file: string, text: string | Uint8Array): Promise<readonly string[]> {
  const files: Files = baseTree();
  files.set(file, text);
  return (await lint(files)).lines;
}

function replaced(file: string, ...pairs: readonly (readonly [string, string])[]): string {
  let text = String(baseTree().get(file));
  for (const [from, to] of pairs) {
    assert.ok(text.includes(from), `${file} holds no ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

const GET = 'tools/notes/get_note.yaml';
const LIST = 'tools/notes/list_notes.yaml';

describe('reading contract files', () => {
  it('places an unknown key and suggests the known one', async () => {
    assert.deepEqual(await linesOf(GET, replaced(GET, ['title:', 'titel:'])), [
      `${GET}:1:1 desc-required: The file needs the key \`title\`.`,
      `${GET}:4:1 grammar: \`titel\` is not a key of this map. Did you mean \`title\`?`,
    ]);
  });

  it('places a fault inside a flow map', async () => {
    assert.deepEqual(await linesOf(LIST, replaced(LIST, ['maximum: 100, default', 'maximun: 100, default'])), [
      `${LIST}:9:41 grammar: \`maximun\` is not a key of this map. Did you mean \`maximum\`?`,
    ]);
  });

  it('reports all faults of all files, sorted by file and line', async () => {
    const files = baseTree();
    files.set(LIST, replaced(LIST, ['async_mode: sync', 'async_mode: snyc'], ['type: integer', 'type: interger']));
    files.set(GET, replaced(GET, ['kind: tool', 'kind: tol']));
    assert.deepEqual((await lint(files)).lines, [
      `${GET}:1:7 kind-matches-folder: A file here is of kind \`tool\`, not \`tol\`. Did you mean \`tool\`?`,
      `${LIST}:5:142 grammar: \`async_mode\` cannot be \`snyc\`. Did you mean \`sync\`?`,
      `${LIST}:9:20 schema-type: \`type\` cannot be \`interger\`. Did you mean \`integer\`?`,
    ]);
  });

  it('refuses a key that stands twice', async () => {
    assert.deepEqual(await linesOf(GET, replaced(GET, ['project: required', 'project: required\nproject: none'])), [
      `${GET}:8:1 in-duplicate-key: This key stands twice in the same map. Keep one of them.`,
    ]);
  });

  it('refuses anchors, aliases, merge keys and tags', async () => {
    const text = replaced(
      GET,
      ['title: Get a note', 'title: &t Get a note'],
      ['reads a note', '*t'],
      ['project: required', 'project: !!str required'],
    );
    assert.deepEqual(await linesOf(GET, text), [
      `${GET}:4:11 in-duplicate-key: The anchor \`&t\` is not allowed. Write the value out.`,
      `${GET}:7:16 yaml-tag: The tag \`tag:yaml.org,2002:str\` is not allowed. Remove the tag.`,
      `${GET}:21:13 grammar: \`name\` must be string, not null.`,
      `${GET}:21:13 in-duplicate-key: The alias \`*t\` is not allowed. Write the value out.`,
    ]);
    assert.deepEqual(
      await linesOf(GET, replaced(GET, ['project: required', '<<: { project: required }\nproject: required'])),
      [`${GET}:7:1 in-duplicate-key: Merge keys are not allowed. Write the members out.`],
    );
  });

  it('refuses words that some readers take for true and false', async () => {
    const text = replaced(LIST, ['[newest, oldest]', '[newest, on]'], ['default: newest', 'default: "newest"']);
    assert.deepEqual(await linesOf(LIST, text), [
      `${LIST}:11:43 in-duplicate-key: \`on\` without quotes means different things to different readers. Put it in quotes, or write true or false.`,
    ]);
  });

  it('refuses a number among the words of an enum', async () => {
    assert.deepEqual(await linesOf(LIST, replaced(LIST, ['[newest, oldest]', '[newest, 007]'])), [
      `${LIST}:11:43 in-duplicate-key: The enum member \`007\` reads as a number among words. Put it in quotes.`,
    ]);
  });

  it('refuses text that is not UTF-8, holds NUL or is too large', async () => {
    const bytes = Buffer.concat([Buffer.from('title: '), Buffer.from([0xff, 0xfe])]);
    assert.deepEqual(await linesOf(GET, bytes), [
      `${GET}:1:1 tree-encoding: The file is not UTF-8 text. Save it as UTF-8.`,
    ]);
    assert.deepEqual(await linesOf(GET, 'title: a\0b'), [
      `${GET}:1:1 tree-encoding: The file holds a NUL character. Remove it.`,
    ]);
    assert.deepEqual(await linesOf(GET, `# ${'x'.repeat(1_048_576)}`), [
      `${GET}:1:1 tree-size: The file is larger than 1 MiB. Split the contract.`,
    ]);
  });

  it('refuses a second document, an empty file and a file that is no map', async () => {
    assert.deepEqual(await linesOf(GET, `${String(baseTree().get(GET))}---\nkind: tool\n`), [
      `${GET}:22:1 yaml-syntax: A file holds exactly one document. Move the second one to its own file.`,
    ]);
    assert.deepEqual(await linesOf(GET, ''), [
      `${GET}:1:1 yaml-syntax: The file is empty. Write one document into it.`,
    ]);
    assert.deepEqual(await linesOf(GET, '- a\n'), [`${GET}:1:1 grammar: A contract file holds a map.`]);
  });

  it('says where broken YAML breaks', async () => {
    const [line, ...more] = await linesOf(GET, 'kind: tool\nname: [a, b\ntitle: x\n');
    assert.match(line ?? '', new RegExp(`^${GET}:\\d+:\\d+ yaml-syntax: `, 'u'));
    assert.ok(more.every((one) => one.includes('yaml-syntax')));
  });

  it('survives nesting that is meant to exhaust the reader', async () => {
    const lines = await linesOf(GET, `kind: ${'['.repeat(200_000)}`);
    assert.ok(lines.length > 0);
    assert.ok(
      lines.every((line) => /yaml-(?:depth|syntax)/u.test(line)),
      lines[0],
    );
  });

  it('refuses a key that would reach the prototype', async () => {
    const lines = await linesOf(
      GET,
      replaced(GET, ['project: required', 'project: required\n__proto__: { polluted: true }']),
    );
    assert.deepEqual(lines, [`${GET}:8:1 yaml-key: The key \`__proto__\` is not allowed. Choose another name.`]);
    assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
  });
});

describe('reading a contract tree', () => {
  it('refuses files and folders that have no place in it', async () => {
    const files = baseTree();
    files.set('tool/notes/x.yaml', 'kind: tool\n');
    files.set('tools/loose.yaml', 'kind: tool\n');
    files.set('models/extra.yml', 'kind: model\n');
    files.set('vocabulary/eror.yaml', 'kind: errors\n');
    assert.deepEqual((await lint(files)).lines, [
      'models/extra.yml:1:1 tree-layout: This file is not part of a contract tree. Rename it to `extra.yaml`.',
      'tool:1:1 tree-layout: There is no folder `tool` in a contract tree. Did you mean `tools`?',
      'tools/loose.yaml:1:1 tree-layout: This file is not part of a contract tree. Move it to `tools/<domain>/loose.yaml`.',
      'vocabulary/eror.yaml:1:1 tree-layout: This file is not part of a contract tree. Did you mean `vocabulary/errors.yaml`?',
    ]);
  });

  it('names the files a tree cannot do without', async () => {
    const files = baseTree();
    files.delete('server.yaml');
    const { lines, model } = await lint(files);
    assert.equal(model, undefined);
    assert.deepEqual(lines, ['server.yaml:1:1 tree-layout: The tree needs this file and it is missing. Create it.']);
  });

  it('refuses links that leave the tree and reads nothing through them', async () => {
    await withTree(new Map([['secret.yaml', 'kind: model\n']]), async (outside) => {
      await withTree(baseTree(), async (root) => {
        symlinkSync(join(outside, 'secret.yaml'), join(root, 'models/stolen.yaml'));
        symlinkSync(outside, join(root, 'changes'));
        const { lines } = await lintFolder(root);
        assert.deepEqual(lines, [
          'changes:1:1 tree-link: The symbolic link leaves the contract tree. Copy the file into the tree.',
          'models/stolen.yaml:1:1 tree-link: The symbolic link leaves the contract tree. Copy the file into the tree.',
        ]);
      });
    });
  });

  it('refuses a folder that leads back into the tree', async () => {
    await withTree(baseTree(), async (root) => {
      symlinkSync(join(root, 'models'), join(root, 'profiles/loop'));
      assert.deepEqual((await lintFolder(root)).lines, [
        'profiles/loop:1:1 tree-link: A folder must not be a symbolic link. Make it a real folder.',
      ]);
    });
  });

  it('passes over the published grammar', async () => {
    await withTree(baseTree(), async (root) => {
      mkdirSync(join(root, 'meta'));
      writeFileSync(join(root, 'meta/tool.schema.json'), '{}');
      assert.deepEqual((await lintFolder(root)).lines, []);
    });
  });

  it('rejects a root that does not exist', async () => {
    await assert.rejects(lintFolder('/nonexistent/contract/tree'), { code: 'ENOENT' });
  });
});

describe('building the model', () => {
  it('closes objects, fills in the root type and turns references into bundle keys', async () => {
    const { model } = await lint(baseTree());
    const create = model?.tools.find(({ name }) => name === 'create_note');
    assert.deepEqual(create?.input, {
      type: 'object',
      required: ['text'],
      properties: {
        text: { type: 'string', minLength: 1, maxLength: 2000, description: 'What the note says.' },
        place: { $ref: '#/$defs/CreateNoteInputPlace', description: 'Where the note belongs.' },
      },
      additionalProperties: false,
    });
    assert.deepEqual(
      model?.definitions.map(({ name, typeName, owner }) => ({ name, typeName, owner })),
      [{ name: 'Place', typeName: 'CreateNoteInputPlace', owner: 'CreateNoteInput' }],
    );
    assert.deepEqual(model && Object.keys(bundleDefs(model)), [
      'CreateNoteInputPlace',
      'JobKind',
      'JobReceipt',
      'Note',
      'Page',
      'ResourceLink',
    ]);
  });

  it('leaves an object open only where a reason stands', async () => {
    const meta = { type: 'object', open: 'Facts of another system.', maxProperties: 4, description: 'Facts by name.' };
    const { model } = await lint(edited({ 'get_note:/output/properties/meta': meta }));
    const tool = model?.tools.find(({ name }) => name === 'get_note');
    const output = tool?.output as { properties: Record<string, unknown> };
    assert.deepEqual(output.properties['meta'], meta);
  });

  it('closes composed objects from outside', async () => {
    const part = {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'integer', minimum: 0, maximum: 1, description: 'A digit.' } },
    };
    const { model } = await lint(
      edited({
        'get_note:/output/properties/both': {
          type: 'object',
          allOf: [part],
          properties: {},
          description: 'Both parts.',
        },
      }),
    );
    const output = model?.tools.find(({ name }) => name === 'get_note')?.output as {
      properties: Record<string, unknown>;
    };
    assert.deepEqual(output.properties['both'], {
      type: 'object',
      allOf: [part],
      properties: {},
      description: 'Both parts.',
      unevaluatedProperties: false,
    });
  });

  it('derives permission, implied errors and context', async () => {
    const { model } = await lint(baseTree());
    const [create, get] = ['create_note', 'get_note'].map((name) => model?.tools.find((one) => one.name === name));
    assert.equal(create?.permission, 'write');
    assert.deepEqual(create?.errors, ['internal_error', 'invalid_input', 'request_conflict', 'store_unavailable']);
    assert.equal(get?.permission, 'read');
    assert.deepEqual(get?.errors, ['internal_error', 'invalid_input', 'note_not_found']);
    assert.deepEqual(
      model?.resources.map(({ name, context }) => [name, context]),
      [
        ['guide', 'none'],
        ['note', 'project'],
      ],
    );
  });

  it('splits prompts into fixed text and values', async () => {
    const { model } = await lint(baseTree());
    const [prompt] = model?.prompts ?? [];
    assert.deepEqual(prompt?.messages, [
      {
        role: 'user',
        parts: [
          { text: 'Call list_notes and read notes://notes/{note} for each note about ' },
          { argument: 'topic' },
          { text: '.\nOn note_not_found go on with the next. Ask me before anything is changed.\n' },
        ],
      },
    ]);
    assert.deepEqual(prompt?.mentions, [
      { kind: 'error', name: 'note_not_found' },
      { kind: 'resource', name: 'note' },
      { kind: 'tool', name: 'list_notes' },
    ]);
  });

  it('is frozen all the way down and the same on every run', async () => {
    const [first, second] = [await lint(baseTree()), await lint(baseTree())];
    assert.equal(JSON.stringify(first.model), JSON.stringify(second.model));
    const open: string[] = [];
    const walk = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) open.push(place);
      for (const [key, member] of Object.entries(value)) walk(member, `${place}/${key}`);
    };
    walk(first.model, '');
    assert.deepEqual(open, []);
  });

  it('lets models refer to each other in circles', async () => {
    const model = (name: string, other: string): object => ({
      kind: 'model',
      name,
      title: name,
      description: 'One of two that hold each other.',
      schema: { properties: { other: { $ref: `model:${other}`, description: 'The other one.' } } },
    });
    const { diagnostics } = await lint(
      edited({ 'models/left:': model('left', 'right'), 'models/right:': model('right', 'left') }),
    );
    assert.deepEqual(diagnostics, []);
  });
});
