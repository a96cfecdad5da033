import { nearest } from '../load/did-you-mean.ts';
import type { ContractDocument } from '../load/document.ts';
import type { Kind } from '../load/layout.ts';
import { toolNameFault } from './names.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { JsonPath } from './types.ts';

const NAMED: ReadonlySet<Kind> = new Set(['tool', 'resource', 'model', 'prompt', 'job', 'endpoint', 'page', 'profile']);

/** The path of a file is its identity: the name inside must repeat it, and its domain must exist. */
export function checkIdentity(documents: readonly ContractDocument[], domains: readonly string[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (document: ContractDocument, rule: string, path: JsonPath, message: string, remedy: string): void => {
    const entity = `${document.kind} ${document.stem}`;
    found.push({ rule, level: 'error', message, remedy, position: document.source.locate(path), entity });
  };
  for (const document of documents) {
    const { name, domain } = document.value;
    const stem = typeof name === 'string' && document.kind === 'prompt' ? name.replaceAll('-', '_') : name;
    if (NAMED.has(document.kind) && stem !== document.stem) {
      report(
        document,
        'file-matches-name',
        ['name'],
        `The file is called \`${document.stem}.yaml\` and the name is \`${typeof name === 'string' ? name : JSON.stringify(name)}\`.`,
        'Rename one of them.',
      );
    }
    // A name that no file can have would otherwise only be reported as different from its file.
    const fault =
      document.kind === 'tool' && typeof name === 'string' && name !== document.stem ? toolNameFault(name) : undefined;
    if (fault !== undefined)
      report(document, 'name-format', ['name'], fault, 'Use a few lower case words joined by `_`.');
    if (document.domain !== undefined && !domains.includes(document.domain)) {
      const near = nearest(document.domain, domains);
      const remedy = near === undefined ? 'Add it to vocabulary/domains.yaml.' : `Did you mean \`${near}\`?`;
      report(document, 'domain-matches-folder', [], `The folder \`${document.domain}\` is not a domain.`, remedy);
    }
    if (typeof domain === 'string' && !domains.includes(domain)) {
      const near = nearest(domain, domains);
      const remedy = near === undefined ? 'Add it to vocabulary/domains.yaml.' : `Did you mean \`${near}\`?`;
      report(document, 'domain-matches-folder', ['domain'], `\`${domain}\` is not a domain.`, remedy);
    }
    if (typeof domain === 'string' && document.domain !== undefined && document.domain !== domain) {
      report(
        document,
        'domain-matches-folder',
        ['domain'],
        `The file is in the folder \`${document.domain}\` and says \`${domain}\`.`,
        'Move the file.',
      );
    }
  }
  return found;
}
