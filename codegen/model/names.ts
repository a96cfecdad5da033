import type { Diagnostic } from './diagnostic.ts';
import type { SourcePosition } from './types.ts';

/** `query_dataset`, `query-dataset` and `queryDataset` all become `QueryDataset`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/u)
    .filter((part) => part !== '')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** Strictest limit of the clients seen: some count server and tool name together and cut at 60. */
export const MAX_TOOL_NAME = 48;

/** What keeps a name out of some client, in words. */
export function toolNameFault(name: string): string | undefined {
  if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/u.test(name)) return `\`${name}\` is not a name that every client accepts.`;
  if (name.length > MAX_TOOL_NAME)
    return `The name has ${name.length} characters, at most ${MAX_TOOL_NAME} survive every client.`;
  return undefined;
}

/** Type names that generated code uses itself or that TypeScript already gives a meaning. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    'Array Boolean Date Error Function JSON Map Number Object Promise Set String Symbol ' +
    'Awaited Exclude Extract NonNullable Omit Partial Pick Readonly ReadonlyArray Record Required ' +
    'AdapterContexts Completers EndpointHandlers ErrorCode JobHandlers ResourceReaders ToolAdapters ToolContracts ToolName'
  ).split(' '),
);

interface Claim {
  /** What wants the name, in words: `tool get_run`, `definition eval-run of GetRunInput`. */
  readonly subject: string;
  readonly position: SourcePosition;
}

/**
 * Every exported type name of the generated code, claimed by what it is made for. Two claims on one name are an error:
 * numbering one of them would rename it again whenever a file is added.
 */
export class NameTable {
  readonly #claims = new Map<string, Claim[]>();

  claim(typeName: string, subject: string, position: SourcePosition): void {
    const claims = this.#claims.get(typeName) ?? [];
    claims.push({ subject, position });
    this.#claims.set(typeName, claims);
  }

  faults(): Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const [typeName, claims] of this.#claims) {
      const subjects = [...new Set(claims.map(({ subject }) => subject))];
      if (subjects.length > 1) {
        const message = `${subjects.map((subject) => `\`${subject}\``).join(' and ')} all become the type \`${typeName}\`.`;
        for (const { position } of claims) {
          found.push({ rule: 'names-are-unique', level: 'error', message, remedy: 'Rename all but one.', position });
        }
      } else if (TAKEN.has(typeName) && claims[0] !== undefined) {
        const message = `\`${subjects[0] ?? ''}\` becomes the type \`${typeName}\`, which generated code uses already.`;
        found.push({
          rule: 'name-reserved',
          level: 'error',
          message,
          remedy: 'Choose a more telling name.',
          position: claims[0].position,
        });
      }
    }
    return found;
  }
}
