import type { ContractDocument } from '../load/document.ts';
import type { ProfileNeed } from './profile-needs.ts';
import { lifecycleOf } from './build-tool.ts';
import { fields, listOf, maybe, maybeText, numberOf, textOf, textsOf, wordOf } from './fields.ts';
import { pascalCase } from './names.ts';
import type { NameTable } from './names.ts';
import type { References } from './references.ts';
import type { Fields } from './fields.ts';
import type { Budgets } from './budgets.ts';
import type {
  ChangeSpec,
  DomainSpec,
  EndpointSpec,
  ImpactSpec,
  ErrorSpec,
  JobSpec,
  JsonPath,
  ModelSpec,
  PageSpec,
  ProfileSpec,
  ScopeSpec,
  ServerSpec,
  TombstoneSpec,
  Source,
} from './types.ts';

const STATUS_CLASSES = ['active', 'waiting', 'succeeded', 'failed'] as const;
const BUDGETS = ['tool', 'mean', 'catalogue', 'with_output', 'output_share', 'growth'] as const;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const IMPACTS = ['mcp_ready', 'cli_guided', 'frontend_only', 'out_of_scope'] as const;

/** The source of one entry of a list file: paths are relative to the entry. */
function within(document: ContractDocument, base: JsonPath): Source {
  return { file: document.file, base, locate: (path, at) => document.source.locate([...base, ...path], at) };
}

export function buildModel(document: ContractDocument, references: References, names: NameTable): ModelSpec {
  const name = textOf(document.value, 'name');
  const typeName = pascalCase(name);
  names.claim(typeName, `model ${name}`, document.source.locate(['name']));
  return {
    kind: 'model',
    name,
    typeName,
    title: textOf(document.value, 'title'),
    description: textOf(document.value, 'description'),
    schema: references.body(document, ['schema'], document.value['schema'] ?? {}, typeName, 'any'),
    source: document.source,
  };
}

export function buildJob(document: ContractDocument, references: References, names: NameTable): JobSpec {
  const from = document.value;
  const name = textOf(from, 'name');
  const typeName = pascalCase(name);
  for (const suffix of ['JobPayload', 'Progress', 'Details'])
    names.claim(typeName + suffix, `job ${name}`, document.source.locate(['name']));
  const id = fields(from['id']);
  const { payload, progress, details } = from;
  return {
    kind: 'job',
    name,
    typeName,
    aliases: textsOf(from, 'aliases').sort(),
    domain: textOf(from, 'domain'),
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    id: { description: textOf(id, 'description'), maxLength: numberOf(id, 'maxLength') },
    payload: references.body(document, ['payload'], payload ?? {}, `${typeName}JobPayload`, 'object'),
    statuses: Object.entries(fields(from['statuses'])).map(([status, one]) => ({
      name: status,
      class: wordOf(fields(one), 'class', STATUS_CLASSES, 'active'),
      meaning: textOf(fields(one), 'meaning'),
    })),
    ...(progress === undefined
      ? {}
      : { progress: references.body(document, ['progress'], progress, `${typeName}Progress`, 'object') }),
    ...(details === undefined
      ? {}
      : { details: references.body(document, ['details'], details, `${typeName}Details`, 'object') }),
    ...maybe('resource', maybeText(from, 'resource')),
    attempts: numberOf(from, 'attempts'),
    timeoutSeconds: numberOf(from, 'timeout_seconds'),
    pollSeconds: numberOf(from, 'poll_seconds'),
    retentionDays: numberOf(from, 'retention_days'),
    source: document.source,
  };
}

function requestOf(document: ContractDocument, typeName: string, references: References): EndpointSpec['request'] {
  if (document.value['request'] === undefined) return undefined;
  const from = fields(document.value['request']);
  const { schema } = from;
  return {
    contentTypes: textsOf(from, 'content_types'),
    maxBytes: numberOf(from, 'max_bytes'),
    ...(schema === undefined
      ? {}
      : { schema: references.body(document, ['request', 'schema'], schema, `${typeName}Request`, 'object') }),
  };
}

function responseOf(document: ContractDocument, typeName: string, references: References): EndpointSpec['response'] {
  const from = fields(document.value['response']);
  const { schema } = from;
  return {
    status: numberOf(from, 'status'),
    ...maybe('contentType', maybeText(from, 'content_type')),
    ...(schema === undefined
      ? {}
      : { schema: references.body(document, ['response', 'schema'], schema, `${typeName}Response`, 'object') }),
  };
}

function parametersOf(
  document: ContractDocument,
  typeName: string,
  references: References,
): EndpointSpec['parameters'] {
  const parameters = Object.entries(fields(document.value['parameters'])).map(([name, one]) => {
    const from = fields(one);
    const place = wordOf(from, 'in', ['path', 'query', 'header'], 'query');
    return {
      name,
      in: place,
      required: place === 'path' || from['required'] === true,
      description: textOf(from, 'description') || textOf(fields(from['schema']), 'description'),
      schema: references.body(
        document,
        ['parameters', name, 'schema'],
        from['schema'] ?? true,
        `${typeName}Request`,
        'any',
      ),
    };
  });
  return parameters.sort((left, right) => (left.name < right.name ? -1 : 1));
}

function impactOf(document: ContractDocument): ImpactSpec {
  const impact = fields(document.value['mcp_impact']);
  return {
    class: wordOf(impact, 'class', IMPACTS, 'out_of_scope'),
    ...maybe('reason', maybeText(impact, 'reason')),
    covers: ['tool', 'resource', 'prompt'].flatMap((kind) =>
      impact[kind] === undefined ? [] : [`${kind} ${textOf(impact, kind)}`],
    ),
  };
}

export function buildPage(document: ContractDocument): PageSpec {
  const from = document.value;
  const actions = Object.entries(fields(from['actions'])).map(([name, one]) => ({
    name,
    title: textOf(fields(one), 'title'),
    destructive: fields(one)['destructive'] === true,
  }));
  return {
    kind: 'page',
    name: textOf(from, 'name'),
    domain: textOf(from, 'domain'),
    title: textOf(from, 'title'),
    ...maybe('description', maybeText(from, 'description')),
    path: textOf(from, 'path'),
    access: wordOf(from, 'access', ['public', 'person', 'project'], 'project'),
    ...maybe('surface', maybeText(from, 'surface')),
    mcpImpact: impactOf(document),
    actions: actions.sort((left, right) => (left.name < right.name ? -1 : 1)),
    source: document.source,
  };
}

export function buildEndpoint(document: ContractDocument, references: References, names: NameTable): EndpointSpec {
  const from = document.value;
  const name = textOf(from, 'name');
  const typeName = pascalCase(name);
  for (const suffix of ['Request', 'Response'])
    names.claim(typeName + suffix, `endpoint ${name}`, document.source.locate(['name']));
  const permission =
    from['permission'] === undefined ? undefined : wordOf(from, 'permission', ['read', 'write'], 'write');
  return {
    kind: 'endpoint',
    name,
    typeName,
    domain: textOf(from, 'domain'),
    title: textOf(from, 'title'),
    description: textOf(from, 'description'),
    ...lifecycleOf(from),
    method: wordOf(from, 'method', METHODS, 'GET'),
    path: textOf(from, 'path'),
    auth: wordOf(from, 'auth', ['none', 'api_key', 'session', 'account'], 'session'),
    ...maybe('permission', permission),
    ...maybe('surface', maybeText(from, 'surface')),
    mcpImpact: impactOf(document),
    parameters: parametersOf(document, typeName, references),
    ...maybe('request', requestOf(document, typeName, references)),
    response: responseOf(document, typeName, references),
    errors: textsOf(from, 'errors').sort(),
    source: document.source,
  };
}

export function buildErrors(document: ContractDocument, references: References, names: NameTable): ErrorSpec[] {
  return listOf(document.value, 'errors').map((one, index) => {
    const from = fields(one);
    const code = textOf(from, 'code');
    const base = ['errors', index];
    const typeName = `${pascalCase(code)}Fields`;
    if (from['fields'] !== undefined)
      names.claim(typeName, `fields of error ${code}`, document.source.locate([...base, 'code']));
    return {
      code,
      class: textOf(from, 'class'),
      implied: from['implied'] === true,
      retryable: from['retryable'] === true,
      http: numberOf(from, 'http'),
      meaning: textOf(from, 'meaning'),
      when: textOf(from, 'when'),
      recovery: textOf(from, 'recovery'),
      ...(from['fields'] === undefined
        ? {}
        : { fields: references.body(document, [...base, 'fields'], from['fields'], typeName, 'object') }),
      source: within(document, base),
    };
  });
}

export function buildScopes(document: ContractDocument): ScopeSpec[] {
  return listOf(document.value, 'scopes').map((one, index) => {
    const from = fields(one);
    return {
      name: textOf(from, 'name'),
      permission: wordOf(from, 'permission', ['read', 'write'], 'write'),
      title: textOf(from, 'title'),
      meaning: textOf(from, 'meaning'),
      source: within(document, ['scopes', index]),
    };
  });
}

export function buildDomains(document: ContractDocument): DomainSpec[] {
  return listOf(document.value, 'domains').map((one, index) => {
    const from = fields(one);
    return {
      name: textOf(from, 'name'),
      title: textOf(from, 'title'),
      description: textOf(from, 'description'),
      skill: textOf(from, 'skill'),
      source: within(document, ['domains', index]),
    };
  });
}

export function buildServer(document: ContractDocument): ServerSpec {
  const from = document.value;
  return {
    name: textOf(from, 'name'),
    title: textOf(from, 'title'),
    version: textOf(from, 'version'),
    uriScheme: textOf(from, 'uri_scheme'),
    description: textOf(from, 'description'),
    instructions: textOf(from, 'instructions'),
    budgets: budgetsOf(fields(from['budgets'])),
    source: document.source,
  };
}

function budgetsOf(from: Fields): Budgets {
  const limits = BUDGETS.filter((name) => from[name] !== undefined).map((name) => [name, numberOf(from, name)]);
  return Object.fromEntries(limits);
}

export function buildProfile(document: ContractDocument): ProfileSpec {
  const limits = fields(document.value['limits']);
  return {
    name: textOf(document.value, 'name'),
    title: textOf(document.value, 'title'),
    description: textOf(document.value, 'description'),
    limits: Object.fromEntries(Object.keys(limits).map((limit) => [limit, numberOf(limits, limit)])),
    refuses: textsOf(document.value, 'refuses').sort(),
    refusesAtRoot: textsOf(document.value, 'refuses_at_root').sort(),
    // because the grammar takes these words alone
    needs: textsOf(document.value, 'needs').sort() as ProfileNeed[],
    sources: listOf(document.value, 'sources').map((one) => {
      const from = fields(one);
      return { of: textOf(from, 'of'), source: textOf(from, 'source'), seen: textOf(from, 'seen') };
    }),
    source: document.source,
  };
}

export function buildChange(document: ContractDocument): ChangeSpec {
  const from = document.value;
  return {
    name: document.stem,
    date: textOf(from, 'date'),
    reason: textOf(from, 'reason'),
    ...maybe('migration', maybeText(from, 'migration')),
    owner: textOf(from, 'owner'),
    ...maybe('expires', maybeText(from, 'expires')),
    ...maybe('link', maybeText(from, 'link')),
    approves: listOf(from, 'approves').map((one) => {
      const approval = fields(one);
      return {
        rule: textOf(approval, 'rule'),
        entity: textOf(approval, 'entity'),
        fingerprint: textOf(approval, 'fingerprint'),
      };
    }),
    source: document.source,
  };
}

export function buildTombstones(document: ContractDocument): TombstoneSpec[] {
  const kinds = ['tool', 'resource', 'prompt', 'job', 'error', 'scope', 'argument', 'value'] as const;
  return listOf(document.value, 'tombstones').map((one, index) => {
    const from = fields(one);
    return {
      kind: wordOf(from, 'kind', kinds, 'tool'),
      of: maybeText(from, 'of') ?? '',
      name: textOf(from, 'name'),
      removed: textOf(from, 'removed'),
      ...maybe('replacement', maybeText(from, 'replacement')),
      reason: textOf(from, 'reason'),
      source: within(document, ['tombstones', index]),
    };
  });
}
