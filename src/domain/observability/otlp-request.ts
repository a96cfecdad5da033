import { AppError } from '../../kernel/errors.ts';
import { readSpan, serviceNameOf, type SpanSurroundings } from './otlp-span.ts';
import { attributesOf, isRecord, SpanRefusal, textOf } from './otlp-values.ts';
import { Meaning } from './semantic-attributes.ts';
import type { SpanDraft } from './span.ts';
import type { TextTally } from './text-policy.ts';

/** One export request, read: what can be stored and what is refused, in the order of the request. */
export interface ExportBatch {
  readonly spans: readonly SpanDraft[];
  readonly rejected: number;
  /** The first few refusals as `path: reason`; never echoes the data. */
  readonly refusals: readonly string[];
  /** Characters replaced because the store cannot hold them. */
  readonly replaced: number;
}

const MAX_REFUSALS = 5;

/**
 * Reads a decoded ExportTraceServiceRequest of either encoding. A container of the wrong shape makes the request
 * malformed (`invalid_request`); a fault inside a span refuses that span alone.
 */
export function readExport(request: unknown, receivedNs: bigint): ExportBatch {
  if (!isRecord(request)) throw malformed('the body', 'an object with resourceSpans');
  const collector = new Collector(receivedNs);
  eachOf(request['resourceSpans'], 'resourceSpans', (resourceSpans, path) =>
    collector.readResource(resourceSpans, path),
  );
  return collector.batch();
}

class Collector {
  readonly #receivedNs: bigint;
  readonly #spans: SpanDraft[] = [];
  readonly #refusals: string[] = [];
  readonly #tally: TextTally = { replaced: 0 };
  #rejected = 0;

  constructor(receivedNs: bigint) {
    this.#receivedNs = receivedNs;
  }

  batch(): ExportBatch {
    return {
      spans: this.#spans,
      rejected: this.#rejected,
      refusals: this.#refusals,
      replaced: this.#tally.replaced,
    };
  }

  readResource(resourceSpans: Record<string, unknown>, path: string): void {
    const resource = resourceSpans['resource'] ?? {};
    if (!isRecord(resource)) throw malformed(`${path}.resource`, 'an object');
    const resourceAttributes = orMalformed(`${path}.resource`, () =>
      attributesOf(resource['attributes'], 'attributes', this.#tally),
    );
    const resourceMeaning = new Meaning(resourceAttributes);
    const serviceName = serviceNameOf(resourceAttributes);
    eachOf(resourceSpans['scopeSpans'], `${path}.scopeSpans`, (scopeSpans, scopePath) => {
      const scope = scopeSpans['scope'] ?? {};
      if (!isRecord(scope)) throw malformed(`${scopePath}.scope`, 'an object');
      const around: SpanSurroundings = {
        resourceAttributes,
        resourceMeaning,
        serviceName,
        scopeName: orMalformed(scopePath, () => textOf(scope['name'], 'scope.name', this.#tally)),
        scopeVersion: orMalformed(scopePath, () => textOf(scope['version'], 'scope.version', this.#tally)),
        receivedNs: this.#receivedNs,
      };
      this.#readSpans(scopeSpans['spans'], around, `${scopePath}.spans`);
    });
  }

  #readSpans(spans: unknown, around: SpanSurroundings, path: string): void {
    if (spans === undefined || spans === null) return;
    if (!Array.isArray(spans)) throw malformed(path, 'an array');
    for (let index = 0; index < spans.length; index += 1) {
      try {
        this.#spans.push(readSpan(spans[index], around, this.#tally));
      } catch (error) {
        if (!(error instanceof SpanRefusal)) throw error;
        this.#rejected += 1;
        if (this.#refusals.length < MAX_REFUSALS) this.#refusals.push(`${path}[${index}]: ${error.message}`);
      }
    }
  }
}

function eachOf(value: unknown, path: string, visit: (item: Record<string, unknown>, path: string) => void): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) throw malformed(path, 'an array');
  value.forEach((item: unknown, index) => {
    if (!isRecord(item)) throw malformed(`${path}[${index}]`, 'an object');
    visit(item, `${path}[${index}]`);
  });
}

function orMalformed<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SpanRefusal) throw new AppError('invalid_request', `${path}: ${error.message}.`);
    throw error;
  }
}

function malformed(path: string, wanted: string): AppError {
  return new AppError('invalid_request', `Not an OTLP trace export: ${path} must be ${wanted}.`, { fields: { path } });
}
