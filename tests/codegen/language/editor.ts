import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createMessageConnection, type MessageConnection } from 'vscode-jsonrpc/node.js';
import { REPOSITORY } from '../support-back/workshop.ts';
import { eventually } from '../../support/eventually.ts';

export interface Told {
  readonly range: { readonly start: Spot; readonly end: Spot };
  readonly severity: number;
  readonly code: string;
  readonly message: string;
}

interface Spot {
  readonly line: number;
  readonly character: number;
}

export interface Item {
  readonly label: string;
  readonly textEdit: { readonly newText: string; readonly range: { readonly start: Spot; readonly end: Spot } };
}

export interface Action {
  readonly title: string;
  readonly kind: string;
  readonly isPreferred: boolean;
  readonly diagnostics: readonly Told[];
  readonly edit: {
    readonly changes: Readonly<Record<string, readonly { readonly range: Told['range']; readonly newText: string }[]>>;
  };
}

/** An editor at the other end of the standard streams: opens a file, types, and hears what the server says. */
export class Editor {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #told = new Map<string, { readonly findings: readonly Told[]; readonly version: number }>();
  #version = 1;

  constructor(folder: string) {
    this.folder = folder;
    const tsx = pathToFileURL(join(REPOSITORY, 'node_modules/tsx/dist/esm/index.mjs')).href;
    const argv = ['--import', tsx, join(REPOSITORY, 'codegen/main.ts'), 'language-server', '--stdio'];
    const child = spawn(process.execPath, argv, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.#connection = createMessageConnection(child.stdout, child.stdin);
    this.#connection.onNotification(
      'textDocument/publishDiagnostics',
      ({ uri, diagnostics, version = 0 }: { uri: string; diagnostics: Told[]; version?: number }) => {
        this.#told.set(uri, { findings: diagnostics, version });
      },
    );
    this.#connection.listen();
  }

  async start(): Promise<unknown> {
    const answer: unknown = await this.#connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(this.folder).href,
      capabilities: {},
    });
    await this.#connection.sendNotification('initialized', {});
    return answer;
  }

  text(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  /** Opens the file and waits for the first findings about it. */
  async opens(file: string): Promise<readonly Told[]> {
    this.#version += 1;
    const textDocument = { uri: this.#uri(file), languageId: 'yaml', version: this.#version, text: this.text(file) };
    await this.#connection.sendNotification('textDocument/didOpen', { textDocument });
    return this.#hears(file, this.#version);
  }

  /** Types a whole new text, saves nothing, and waits for the findings about it. */
  async types(file: string, text: string): Promise<readonly Told[]> {
    this.#version += 1;
    const textDocument = { uri: this.#uri(file), version: this.#version };
    await this.#connection.sendNotification('textDocument/didChange', { textDocument, contentChanges: [{ text }] });
    return this.#hears(file, this.#version);
  }

  completes(file: string, spot: Spot): Promise<readonly Item[]> {
    return this.#asks('completion', file, spot);
  }

  hovers(file: string, spot: Spot): Promise<{ readonly contents: { readonly value: string } } | null> {
    return this.#asks('hover', file, spot);
  }

  defines(file: string, spot: Spot): Promise<{ readonly uri: string; readonly range: Told['range'] } | null> {
    return this.#asks('definition', file, spot);
  }

  actsOn(file: string, { range }: Told): Promise<readonly Action[]> {
    const textDocument = { uri: this.#uri(file) };
    return this.#connection.sendRequest('textDocument/codeAction', {
      textDocument,
      range,
      context: { diagnostics: [] },
    });
  }

  /** Says goodbye as the protocol has it; answers how the server ended. */
  async stop(): Promise<number | null> {
    const ended = once(this.#child, 'close');
    await this.#connection.sendRequest('shutdown');
    await this.#connection.sendNotification('exit');
    await ended;
    this.#connection.dispose();
    return this.#child.exitCode;
  }

  /** For a test that failed: a server that lives on would keep the suite from ending. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #asks<T>(what: string, file: string, position: Spot): Promise<T> {
    return this.#connection.sendRequest(`textDocument/${what}`, { textDocument: { uri: this.#uri(file) }, position });
  }

  async #hears(file: string, version: number): Promise<readonly Told[]> {
    return eventually(() => {
      const told = this.#told.get(this.#uri(file));
      if (told === undefined || told.version < version) throw new Error(`nothing was said about ${file}`);
      return told.findings;
    });
  }

  #uri(file: string): string {
    return pathToFileURL(join(this.folder, file)).href;
  }
}

/** Where a text stands first, `shift` characters on. */
export function spotOf(text: string, needle: string, shift = 0): Spot {
  const offset = text.indexOf(needle);
  if (offset < 0) throw new Error(`${needle} is not in the text`);
  const lines = text.slice(0, offset + shift).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

/** A text with the changes of an action made, last first. */
export function changed(text: string, { edit }: Action): string {
  let now = text;
  const lines = text.split('\n');
  const at = ({ line, character }: Spot): number =>
    lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
  const edits = Object.values(edit.changes).flat();
  for (const { range, newText } of edits.sort((left, right) => at(right.range.start) - at(left.range.start)))
    now = now.slice(0, at(range.start)) + newText + now.slice(at(range.end));
  return now;
}
