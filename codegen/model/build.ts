/**
 * Documents in, contract model out. The grammar has been checked, so members have the types it promises; what is left
 * to find here is what only the whole tree shows: names that collide, references that lead nowhere.
 * How bodies refer to each other in the result is written down in `bundle.ts`.
 */
import type { ContractDocument } from '../load/document.ts';
import type { Kind } from '../load/layout.ts';
import {
  buildChange,
  buildDomains,
  buildEndpoint,
  buildErrors,
  buildJob,
  buildModel,
  buildPage,
  buildProfile,
  buildScopes,
  buildServer,
  buildTombstones,
} from './build-others.ts';
import { buildPrompt } from './build-prompt.ts';
import { buildResource } from './build-resource.ts';
import { buildTool } from './build-tool.ts';
import { fields, listOf, textOf } from './fields.ts';
import { checkIdentity } from './identity.ts';
import { buildSuppressions } from './build-suppressions.ts';
import { NameTable, pascalCase } from './names.ts';
import { References } from './references.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { ContractModel } from './types.ts';

export interface Built {
  readonly model: ContractModel | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

function byName<T extends { readonly name: string }>(entries: T[]): T[] {
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Freezes a value and all it holds. The model is shared by rules and emitters that must not influence each other. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
  return value;
}

function repeated(
  documents: readonly ContractDocument[],
  file: string,
  list: string,
  key: string,
  rule: string,
): Diagnostic[] {
  const document = documents.find((one) => one.file === file);
  if (document === undefined) return [];
  const seen = new Set<string>();
  return listOf(document.value, list).flatMap((entry, index) => {
    const name = textOf(fields(entry), key);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const position = document.source.locate([list, index, key]);
    return [
      {
        rule,
        level: 'error' as const,
        message: `\`${name}\` stands twice in this list.`,
        remedy: 'Keep one of them.',
        position,
      },
    ];
  });
}

export function buildContract(documents: readonly ContractDocument[]): Built {
  const of = (kind: Kind): ContractDocument[] => documents.filter((one) => one.kind === kind);
  const [server] = of('server');
  const [errorFile] = of('errors');
  const [scopeFile] = of('scopes');
  const [domainFile] = of('domains');
  if (server === undefined || errorFile === undefined || scopeFile === undefined || domainFile === undefined) {
    return { model: undefined, diagnostics: [] };
  }
  const names = new NameTable();
  const models = new Map(of('model').map(({ stem }) => [stem, pascalCase(stem)]));
  const references = new References(models, names);
  const problems: Diagnostic[] = [];
  const errors = buildErrors(errorFile, references, names).sort((left, right) => (left.code < right.code ? -1 : 1));
  const implied = errors.filter((one) => one.implied).map(({ code }) => code);
  const domains = buildDomains(domainFile);
  const resources = byName(of('resource').map((one) => buildResource(one, references, names)));
  const draft = {
    server: buildServer(server),
    domains,
    errors,
    scopes: byName(buildScopes(scopeFile)),
    models: byName(of('model').map((one) => buildModel(one, references, names))),
    tools: byName(of('tool').map((one) => buildTool(one, implied, references, names))),
    resources,
    prompts: byName(of('prompt').map((one) => buildPrompt(one, resources, problems))),
    jobs: byName(of('job').map((one) => buildJob(one, references, names))),
    endpoints: byName(of('endpoint').map((one) => buildEndpoint(one, references, names))),
    pages: byName(of('page').map(buildPage)),
    profiles: byName(of('profile').map(buildProfile)),
    changes: byName(of('change').map(buildChange)),
    tombstones: byName(of('tombstones').flatMap(buildTombstones)),
    suppressions: documents.flatMap(buildSuppressions),
  };
  const definitions = references.definitions.sort((left, right) => (left.typeName < right.typeName ? -1 : 1));
  const diagnostics = [
    ...checkIdentity(
      documents,
      domains.map(({ name }) => name),
    ),
    ...repeated(documents, errorFile.file, 'errors', 'code', 'err-declared'),
    ...repeated(documents, scopeFile.file, 'scopes', 'name', 'scope-known'),
    ...repeated(documents, domainFile.file, 'domains', 'name', 'domain-matches-folder'),
    ...references.diagnostics,
    ...names.faults(),
    ...problems,
  ];
  return { model: diagnostics.length > 0 ? undefined : freeze({ ...draft, definitions }), diagnostics };
}
