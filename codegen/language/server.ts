/** The language server: what the compiler knows, at the cursor. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  CodeActionKind,
  CompletionItemKind,
  createConnection,
  DiagnosticSeverity,
  MarkupKind,
  StreamMessageReader,
  StreamMessageWriter,
  TextDocumentSyncKind,
  type CodeAction,
  type CodeActionParams,
  type CompletionItem,
  type Connection,
  type Diagnostic,
  type Hover,
  type Location,
  type TextDocumentPositionParams,
} from 'vscode-languageserver/node.js';
import type { Checked } from '../cli/compile-tree.ts';
import { offsetOf, quickFixes, rangeOf } from './actions.ts';
import { mentionAt, type Mention } from './context.ts';
import { namesOf, type Named } from './names.ts';
import { contractRootOf, Workspace } from './workspace.ts';

export interface LanguageOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly name: string;
  /** ISO day that suppressions are judged by. */
  readonly today: () => string;
}

/** A pause in typing; each check answers all keys before it. */
const SETTLE_MS = 120;

/** Serves one editor until it says goodbye. */
export function serveLanguage(options: LanguageOptions): Promise<void> {
  const connection = createConnection(new StreamMessageReader(options.input), new StreamMessageWriter(options.output));
  const server = new LanguageServer(connection, options);
  connection.listen();
  return server.ended;
}

interface Open {
  readonly workspace: Workspace;
  readonly file: string;
  readonly text: string;
  /** The editor's count of its changes, told back with what was found in it. */
  readonly version: number;
}

class LanguageServer {
  readonly ended: Promise<void>;
  readonly #connection: Connection;
  readonly #options: LanguageOptions;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #open = new Map<string, Open>();
  /** Files that were told to have findings, by workspace: they must be told when they have none. */
  readonly #told = new Map<Workspace, ReadonlySet<string>>();
  /** What was found last, by workspace. */
  readonly #found = new Map<Workspace, Checked>();
  readonly #timers = new Map<Workspace, NodeJS.Timeout>();

  constructor(connection: Connection, options: LanguageOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.onInitialize(() => ({
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Full, save: true },
        completionProvider: { triggerCharacters: [':', '"', '`', '[', ' ', ','] },
        hoverProvider: true,
        definitionProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      },
      serverInfo: { name: options.name },
    }));
    connection.onDidOpenTextDocument(({ textDocument: { uri, text, version } }) => this.#keep(uri, text, version));
    connection.onDidChangeTextDocument(({ textDocument: { uri, version }, contentChanges }) => {
      const text = contentChanges.at(-1)?.text;
      if (text !== undefined) this.#keep(uri, text, version);
    });
    connection.onDidCloseTextDocument(({ textDocument: { uri } }) => this.#close(uri));
    connection.onDidSaveTextDocument(({ textDocument: { uri } }) => this.#later(this.#open.get(uri)?.workspace));
    connection.onDidChangeWatchedFiles(() => {
      for (const workspace of this.#workspaces.values()) this.#later(workspace);
    });
    connection.onCompletion((params) => this.#complete(params));
    connection.onHover((params) => this.#hover(params));
    connection.onDefinition((params) => this.#define(params));
    connection.onCodeAction((params) => this.#act(params));
    this.ended = new Promise((resolve) => {
      connection.onExit(() => resolve());
      options.input.once('end', () => resolve());
    });
    void this.ended.then(() => {
      for (const timer of this.#timers.values()) clearTimeout(timer);
    });
  }

  #keep(uri: string, text: string, version: number): void {
    if (!uri.startsWith('file:')) return;
    const path = fileURLToPath(uri);
    const root = contractRootOf(path);
    if (root === undefined) return;
    const workspace = this.#workspaces.get(root) ?? new Workspace(root);
    this.#workspaces.set(root, workspace);
    const file = workspace.fileOf(path);
    if (file === undefined) return;
    workspace.keep(file, text);
    this.#open.set(uri, { workspace, file, text, version });
    this.#later(workspace);
  }

  #close(uri: string): void {
    const open = this.#open.get(uri);
    if (open === undefined) return;
    this.#open.delete(uri);
    open.workspace.keep(open.file, undefined);
    this.#later(open.workspace);
  }

  #later(workspace: Workspace | undefined): void {
    if (workspace === undefined) return;
    clearTimeout(this.#timers.get(workspace));
    const timer = setTimeout(() => {
      this.#tell(workspace).catch((error: unknown) => {
        this.#connection.console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      });
    }, SETTLE_MS);
    this.#timers.set(workspace, timer);
  }

  async #tell(workspace: Workspace): Promise<void> {
    // Taken before the check, which reads the texts at once: what is typed meanwhile has the next one.
    const versions = new Map([...this.#open].map(([uri, { version }]) => [uri, version]));
    const checked = await workspace.check(this.#options.today());
    this.#found.set(workspace, checked);
    const byFile = new Map<string, Diagnostic[]>();
    for (const one of checked.diagnostics) {
      const found = byFile.get(one.position.file) ?? [];
      found.push(asDiagnostic(one, checked.texts.get(one.position.file) ?? ''));
      byFile.set(one.position.file, found);
    }
    const cleared = [...(this.#told.get(workspace) ?? [])].filter((file) => !byFile.has(file));
    this.#told.set(workspace, new Set(byFile.keys()));
    for (const file of cleared) byFile.set(file, []);
    for (const { workspace: owner, file } of this.#open.values())
      if (owner === workspace && !byFile.has(file)) byFile.set(file, []);
    for (const [file, diagnostics] of byFile) {
      const uri = uriOf(workspace, file);
      const version = versions.get(uri);
      await this.#connection.sendDiagnostics({ uri, diagnostics, ...(version === undefined ? {} : { version }) });
    }
  }

  #complete(params: TextDocumentPositionParams): CompletionItem[] {
    const found = this.#at(params);
    if (found === undefined) return [];
    const { mention, names, text } = found;
    const range = rangeOf(text, mention.start, mention.end);
    return mention.kinds.flatMap((kind, rank) =>
      names
        .filter((one) => one.kind === kind)
        .map(({ name, title }) => ({
          label: name,
          kind: CompletionItemKind.Reference,
          detail: `${kind}: ${title}`,
          sortText: `${rank} ${name}`,
          textEdit: { range, newText: name },
        })),
    );
  }

  #hover(params: TextDocumentPositionParams): Hover | undefined {
    const found = this.#at(params);
    const named = found === undefined ? undefined : namedBy(found.mention, found.names);
    if (found === undefined || named === undefined) return undefined;
    return {
      contents: { kind: MarkupKind.Markdown, value: named.about() },
      range: rangeOf(found.text, found.mention.start, found.mention.end),
    };
  }

  #define(params: TextDocumentPositionParams): Location | undefined {
    const found = this.#at(params);
    const named = found === undefined ? undefined : namedBy(found.mention, found.names);
    if (found === undefined || named === undefined) return undefined;
    const { file, line, column } = named.position;
    const start = { line: line - 1, character: column - 1 };
    const end = { line: line - 1, character: column - 1 + named.name.length };
    return { uri: uriOf(found.workspace, file), range: { start, end } };
  }

  /** Fixes belong to the text they were found in; after a keystroke the next check offers them anew. */
  async #act({ textDocument: { uri }, range }: CodeActionParams): Promise<CodeAction[]> {
    const open = this.#open.get(uri);
    const found = open === undefined ? undefined : this.#found.get(open.workspace);
    if (open === undefined || found?.texts.get(open.file) !== open.text) return [];
    const findings = found.diagnostics.filter(({ position }) => position.file === open.file);
    return quickFixes({ uri, text: open.text, range }, findings, (one) => asDiagnostic(one, open.text));
  }

  #at({ textDocument: { uri }, position }: TextDocumentPositionParams): Found | undefined {
    const open = this.#open.get(uri);
    const parts = open?.workspace.known;
    if (open === undefined || parts === undefined) return undefined;
    const mention = mentionAt(open.text, offsetOf(open.text, position.line, position.character));
    return mention === undefined
      ? undefined
      : { mention, names: namesOf(parts), text: open.text, workspace: open.workspace };
  }
}

interface Found {
  readonly mention: Mention;
  readonly names: readonly Named[];
  readonly text: string;
  readonly workspace: Workspace;
}

function namedBy({ kinds, word }: Mention, names: readonly Named[]): Named | undefined {
  for (const kind of kinds) {
    const found = names.find((one) => one.kind === kind && one.name === word);
    if (found !== undefined) return found;
  }
  return undefined;
}

function uriOf(workspace: Workspace, file: string): string {
  return pathToFileURL(workspace.pathOf(file)).href;
}

const SEVERITY = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
} as const;

function asDiagnostic(
  { position, level, rule, message, remedy }: Checked['diagnostics'][number],
  text: string,
): Diagnostic {
  const line = text.split('\n')[position.line - 1] ?? '';
  const rest = line.slice(position.column - 1);
  // To the end of the word, so that there is something to underline.
  const length = /^(?:"[^"]*"|'[^']*'|[^\s,\]}]+)/u.exec(rest)?.[0].length ?? Math.max(rest.length, 1);
  const start = { line: position.line - 1, character: position.column - 1 };
  return {
    range: { start, end: { line: start.line, character: start.character + length } },
    severity: SEVERITY[level],
    code: rule,
    source: 'mcp-contract',
    message: remedy === undefined ? message : `${message} ${remedy}`,
  };
}
