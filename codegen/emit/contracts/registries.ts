/** The interfaces that hand-written code must fill: adapters, readers, completers, job and endpoint handlers. */
import type { CanonicalModel } from '../../canonical/index.ts';
import { compareText } from '../../canonical/json.ts';
import { pascalCase } from '../../model/names.ts';
import type { EmitInput, Emitted, EmittedFile } from '../emitter.ts';
import { unionOf } from '../literal.ts';
import { render } from '../render.ts';
import { findHomes } from './homes.ts';
import { routed } from '../rest/surfaces.ts';
import { importLines } from './imports.ts';

export function emitRegistries({ canonical }: EmitInput): Emitted {
  const { model } = canonical;
  const { pathOf } = findHomes(canonical);
  const files = new Map<string, EmittedFile>();
  const add = (path: string, template: string, values: object, names: readonly string[]): void => {
    const imports = importLines(path, names, pathOf);
    files.set(path, { source: '', body: render(import.meta.url, template, { imports, ...values }) });
  };
  const domains = toolDomains(model);
  add(
    'contracts/adapters.ts',
    'adapters',
    { domains, c: letter('C', domains.length > 0) },
    model.tools.flatMap(({ typeName }) => [`${typeName}Input`, `${typeName}Output`]),
  );
  const readers = model.resources.filter(({ payload }) => payload !== undefined);
  add(
    'contracts/readers.ts',
    'readers',
    {
      c: letter(
        'C',
        readers.some(({ context }) => context !== 'none'),
      ),
      readers: readers.map((one) => ({ ...names(one), context: one.context, hasContext: one.context !== 'none' })),
    },
    readers.flatMap(({ typeName }) => [`${typeName}Variables`, `${typeName}Payload`]),
  );
  const completions = completionNames(model);
  add('contracts/completers.ts', 'completers', { completions, c: letter('C', completions.length > 0) }, []);
  add(
    'contracts/jobs.ts',
    'jobs',
    { jobs: model.jobs.map(names), r: letter('R', model.jobs.length > 0) },
    model.jobs.map(({ typeName }) => `${typeName}JobPayload`),
  );
  const endpoints = routed(model.endpoints).map((endpoint) => endpointView(endpoint, pathOf));
  add(
    'contracts/endpoints.ts',
    'endpoints',
    { endpoints, c: letter('C', endpoints.length > 0) },
    endpoints.flatMap(({ types }) => types),
  );
  add('contracts/impacts.ts', 'impacts', { impacts: impacts(model) }, []);
  add('contracts/errors.ts', 'errors', errorView(canonical), []);
  add(
    'contracts/scopes.ts',
    'scopes',
    {
      union: unionOf(model.scopes.map(({ name }) => name)),
      scopes: model.scopes.map(({ name, permission, title, meaning }) => ({
        name,
        value: { permission, title, meaning },
      })),
    },
    [],
  );
  add('contracts/index.ts', 'index', indexView(canonical, pathOf), indexNames(canonical, pathOf));
  return files;
}

/** A type parameter that an empty interface does not use starts with an underscore, as the type checker wants it. */
function letter(name: string, used: boolean): string {
  return used ? name : `_${name}`;
}

type Model = CanonicalModel['model'];

function names({
  name,
  title,
  typeName,
}: {
  readonly name: string;
  readonly title: string;
  readonly typeName: string;
}): { name: string; title: string; typeName: string } {
  return { name, title, typeName };
}

/** Domains that have tools, in ladder order. */
function toolDomains(model: Model): object[] {
  return model.domains.flatMap((domain) => {
    const tools = model.tools.filter((tool) => tool.domain === domain.name);
    if (tools.length === 0) return [];
    return [
      {
        title: domain.title,
        interfaceName: `${pascalCase(domain.name)}Adapters`,
        tools: tools.map((tool) => ({ ...names(tool), context: tool.context })),
      },
    ];
  });
}

function completionNames(model: Model): readonly string[] {
  const fields = [
    ...model.resources.flatMap((resource) => [...resource.variables, ...resource.query]),
    ...model.prompts.flatMap((prompt) => prompt.arguments),
  ];
  return [...new Set(fields.flatMap(({ completion }) => completion ?? []))].sort(compareText);
}

function endpointView(
  endpoint: Model['endpoints'][number],
  pathOf: ReadonlyMap<string, string>,
): { readonly types: string[] } & Record<string, unknown> {
  const known = (typeName: string): string | undefined => (pathOf.has(typeName) ? typeName : undefined);
  const parameters = known(`${endpoint.typeName}Parameters`);
  const request = known(`${endpoint.typeName}Request`);
  const response = known(`${endpoint.typeName}Response`);
  const members = [
    ...(parameters === undefined ? [] : [`readonly parameters: ${parameters}`]),
    ...(request === undefined
      ? endpoint.request === undefined
        ? []
        : ['readonly body: RawBody']
      : [`readonly body: ${request}`]),
  ];
  return {
    ...names(endpoint),
    auth: endpoint.auth,
    method: endpoint.method,
    path: endpoint.path,
    request: members.length === 0 ? 'NoRequest' : `{ ${members.join('; ')} }`,
    response: response ?? (endpoint.response.contentType === undefined ? 'void' : 'RawAnswer'),
    types: [parameters, request, response].filter((name) => name !== undefined),
  };
}

function impacts(model: Model): object[] {
  const endpoints = model.endpoints.map((one) => impactOf(one, one.method));
  return [...endpoints, ...model.pages.map((one) => impactOf(one, 'GET'))];
}

function impactOf(one: Model['endpoints'][number] | Model['pages'][number], method: string): object {
  const { kind, name, path, domain, mcpImpact } = one;
  return {
    kind,
    name,
    domain,
    method,
    path,
    class: mcpImpact.class,
    ...(mcpImpact.reason === undefined ? {} : { reason: mcpImpact.reason }),
    covers: mcpImpact.covers,
  };
}

function errorView({ model }: CanonicalModel): object {
  return {
    union: unionOf(model.errors.map(({ code }) => code)),
    implied: unionOf(model.errors.filter((error) => error.implied).map(({ code }) => code)),
    errors: model.errors.map(({ code, class: family, retryable, http, meaning, recovery }) => ({
      code,
      value: { code, class: family, retryable, http, meaning, recovery },
    })),
  };
}

function indexView({ model }: CanonicalModel, pathOf: ReadonlyMap<string, string>): object {
  const orUndefined = (typeName: string): string => (pathOf.has(typeName) ? typeName : 'undefined');
  return {
    tools: model.tools.map((tool) => ({
      ...names(tool),
      context: tool.context,
      errors: unionOf(tool.declaredErrors),
      references: unionOf(tool.references.map(({ argument }) => argument)),
    })),
    resources: model.resources.map((one) => ({
      ...names(one),
      payload: one.payload === undefined ? 'string' : `${one.typeName}Payload`,
    })),
    prompts: model.prompts.map(names),
    jobs: model.jobs.map((one) => ({
      ...names(one),
      progress: orUndefined(`${one.typeName}Progress`),
      details: orUndefined(`${one.typeName}Details`),
    })),
    endpoints: model.endpoints.map(names),
  };
}

function indexNames({ model }: CanonicalModel, pathOf: ReadonlyMap<string, string>): string[] {
  return [
    ...model.tools.flatMap(({ typeName }) => [`${typeName}Call`, `${typeName}Input`, `${typeName}Output`]),
    ...model.resources.flatMap(({ typeName }) => [`${typeName}Variables`, `${typeName}Payload`]),
    ...model.prompts.map(({ typeName }) => `${typeName}Arguments`),
    ...model.jobs.flatMap(({ typeName }) => [
      `${typeName}JobPayload`,
      `${typeName}Progress`,
      `${typeName}Details`,
      `${typeName}Status`,
    ]),
  ].filter((name) => pathOf.has(name));
}
