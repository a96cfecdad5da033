import { isLeaving } from '../http/leaving.ts';
import { monotonicMs } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { isWellFormed } from '../kernel/bounded.ts';
import { stringifyForAgent } from '../kernel/json.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Redactor } from '../kernel/redact.ts';
import { compileUriTemplate, splitUri, type SplitUri, type UriTemplate } from '../kernel/uri-template.ts';
import { requirePermission } from './catalog.ts';
import type { CatalogContract, ResourceContract } from './contract.ts';
import type { Deadlines } from './deadline.ts';
import type { Operation } from './exchange.ts';
import type { Faults } from './faults.ts';
import { qualifyPayload } from './links.ts';
import type { ResolvedProject } from './ports.ts';
import type { ProjectGate } from './projects.ts';
import { outcomeOf, RPC, RpcError } from './protocol.ts';
import { CANCELLED, type Recorder } from './record.ts';

type Reader = (variables: Readonly<Record<string, string>>, context: unknown) => Promise<unknown>;

export interface ResourceParts<A, P> {
  readonly contract: CatalogContract;
  readonly readers: object;
  readonly projects: ProjectGate<A, P>;
  readonly faults: Faults;
  readonly recorder: Recorder;
  readonly deadlines: Deadlines;
  readonly redactor: Redactor;
  readonly logger: Logger;
  readonly maxResultLength: number;
  readonly isLinkUri: (uri: string) => boolean;
}

interface CompiledResource {
  readonly contract: ResourceContract;
  /** Undefined for a fixed address. */
  readonly template: UriTemplate | undefined;
  readonly reader: Reader | undefined;
  readonly query: ReadonlySet<string>;
}

interface Match {
  readonly resource: CompiledResource;
  readonly variables: Readonly<Record<string, string>>;
}

const LONGEST_URI = 2048;
const READ_TIMEOUT_MS = 30_000;

/** Reads fixed and templated resources of the contract. */
export class Resources<A, P> {
  readonly #parts: ResourceParts<A, P>;
  readonly #fixed = new Map<string, CompiledResource>();
  readonly #templates: CompiledResource[] = [];

  constructor(parts: ResourceParts<A, P>) {
    this.#parts = parts;
    for (const contract of parts.contract.resources) {
      const resource = compileResource(contract, parts.readers);
      if (contract.uri === undefined) this.#templates.push(resource);
      else this.#fixed.set(contract.uri, resource);
    }
  }

  /** The result object of `resources/read`. Throws `RpcError` only. */
  async read(operation: Operation<A>, uri: string): Promise<Record<string, unknown>> {
    const startMs = monotonicMs();
    let name = 'unknown';
    let outcome = 'ok';
    let project: ResolvedProject<P> | undefined;
    try {
      requirePermission(operation.principal, 'read');
      const split = checkUri(uri);
      const { resource, variables } = this.#match(split);
      name = resource.contract.name;
      requirePermission(operation.principal, resource.contract.permission);
      const query = checkQuery(split, resource);
      project = await this.#project(operation, resource, query.get('project_id'));
      const text = await this.#text(
        operation,
        resource,
        checkVariables(this.#parts.contract, resource, variables, query),
        project,
      );
      return {
        contents: [{ uri, mimeType: resource.contract.mimeType, text }],
        ...(operation.era === 'modern'
          ? { ttlMs: resource.contract.cache.ttlMs, cacheScope: resource.contract.cache.scope }
          : {}),
      };
    } catch (error) {
      const failure = this.#fail(error, operation, uri, name);
      outcome = isLeaving(operation.exchange.response, error) ? CANCELLED : outcomeOf(failure);
      throw failure;
    } finally {
      this.#parts.recorder.finish(operation, { kind: 'resource', name, startMs }, outcome, project?.id);
    }
  }

  #match(split: SplitUri): Match {
    const fixed = this.#fixed.get(split.path);
    if (fixed !== undefined) return { resource: fixed, variables: {} };
    for (const resource of this.#templates) {
      const match = resource.template?.match(split.path);
      if (match?.matched === true) return { resource, variables: match.variables };
      if (match?.malformed === true) throw malformedUri();
    }
    throw new AppError('resource_not_found', '');
  }

  /** A resource that needs no project still refuses a project the caller cannot use. */
  async #project(
    operation: Operation<A>,
    resource: CompiledResource,
    named: string | undefined,
  ): Promise<ResolvedProject<P> | undefined> {
    if (resource.contract.context !== 'project' && named === undefined) return undefined;
    return this.#parts.projects.require(operation.principal, named);
  }

  async #text(
    operation: Operation<A>,
    resource: CompiledResource,
    variables: Readonly<Record<string, string>>,
    project: ResolvedProject<P> | undefined,
  ): Promise<string> {
    const { contract, reader } = resource;
    if (reader === undefined) return contract.text ?? '';
    const context = contract.context === 'project' ? project?.context : operation.principal.account;
    const payload = await this.#parts.deadlines.race(reader(variables, context), READ_TIMEOUT_MS, operation.exchange);
    const validate = this.#parts.contract.validators.resourcePayload[contract.name];
    if (validate !== undefined && !validate(payload)) {
      const faults = (validate.errors ?? [])
        .slice(0, 5)
        .map(({ instancePath, keyword, params }) => ({ instancePath, keyword, params }));
      throw new AppError('invalid_output', 'The payload breaks the contract.', {
        cause: new Error(JSON.stringify(faults)),
      });
    }
    const qualifies = project !== undefined && operation.principal.projectId === undefined;
    const shown = qualifies ? qualifyPayload(payload, project.id, this.#parts.isLinkUri) : payload;
    const { text } = stringifyForAgent(this.#parts.redactor.strings(shown));
    if (text.length > this.#parts.maxResultLength) {
      throw new AppError('invalid_output', 'The payload is too large.', {
        cause: new Error(`${text.length} characters`),
      });
    }
    return text;
  }

  #fail(error: unknown, operation: Operation<A>, uri: string, name: string): RpcError {
    if (error instanceof RpcError) return error;
    const { faults, logger } = this.#parts;
    const { requestId } = operation.exchange;
    const known = error instanceof AppError ? faults.describe(error.code) : undefined;
    if (error instanceof AppError && known?.class === 'not_found') {
      const shown = faults.make(error.code, notFoundWords(known.recovery));
      return faults.toRpc(shown, operation.era, { uri });
    }
    if (error instanceof AppError && known !== undefined && known.class !== 'internal_error') {
      return faults.toRpc(faults.publish(error), operation.era);
    }
    if (isLeaving(operation.exchange.response, error)) logger.info('resource cancelled', { requestId, resource: name });
    else logger.error('resource failed', { requestId, resource: name, error });
    return faults.toRpc(faults.internal(requestId), operation.era);
  }
}

function compileResource(contract: ResourceContract, readers: object): CompiledResource {
  // because readers are the generated interface, whose function types the compiler has checked
  const read = (readers as Record<string, Reader | undefined>)[contract.name];
  if (contract.text === undefined && typeof read !== 'function')
    throw new Error(`no reader for the resource ${contract.name}`);
  return {
    contract,
    template: contract.uriTemplate === undefined ? undefined : compileUriTemplate(contract.uriTemplate),
    reader:
      contract.text === undefined && read !== undefined
        ? (variables, context) => read.call(readers, variables, context)
        : undefined,
    query: new Set(['project_id', ...contract.query.map((parameter) => parameter.name)]),
  };
}

function checkUri(uri: string): SplitUri {
  const split = uri.length <= LONGEST_URI && isWellFormed(uri) && !uri.includes('\u0000') ? splitUri(uri) : undefined;
  if (split === undefined) throw malformedUri();
  return split;
}

function malformedUri(): RpcError {
  return new RpcError(RPC.invalidParams, 'The URI is malformed. Use a link as a tool returned it.', {
    code: 'invalid_input',
    retryable: false,
    fields: { uri: 'is malformed' },
  });
}

function checkQuery(split: SplitUri, resource: CompiledResource): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of split.query) {
    if (!resource.query.has(name)) throw badParameter(name, 'is not a parameter of this resource');
    if (query.has(name)) throw badParameter(name, 'may be given once');
    query.set(name, value);
  }
  return query;
}

function badParameter(name: string, what: string): AppError {
  return new AppError('invalid_input', `The parameter ${JSON.stringify(name.slice(0, 64))} ${what}.`, {
    fields: { [name.slice(0, 64)]: what },
  });
}

/**
 * Path variables and declared query parameters, checked against the contract. A path variable out of shape cannot
 * name anything, so it answers like one that names nothing.
 */
function checkVariables(
  contract: CatalogContract,
  resource: CompiledResource,
  path: Readonly<Record<string, string>>,
  query: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { ...path };
  for (const { name } of resource.contract.query) {
    const value = query.get(name);
    if (value !== undefined) variables[name] = value;
  }
  const validate = contract.validators.resourceVariables[resource.contract.name];
  if (validate === undefined || validate(variables)) return variables;
  for (const fault of validate.errors ?? []) {
    const name = fault.instancePath.slice(1);
    if (Object.hasOwn(path, name)) throw new AppError(resource.contract.notFound ?? 'resource_not_found', '');
    throw badParameter(
      name,
      fault.keyword === 'enum'
        ? `must be one of ${listOf(fault.params['allowedValues'])}`
        : (fault.message ?? 'is not valid'),
    );
  }
  return variables;
}

function listOf(values: unknown): string {
  return Array.isArray(values) ? values.join(', ') : 'the listed values';
}

/** The same words whether the entity never was, is malformed, or belongs to somebody else. */
function notFoundWords(recovery: string): string {
  return `Nothing stands at this address in the project. ${recovery}`;
}

/** For completions and tests: whether a published template is this resource's. */
export function sameTemplate(resource: ResourceContract, template: string): boolean {
  return (resource.uriTemplate ?? '').split('{?')[0] === template.split('{?')[0];
}
