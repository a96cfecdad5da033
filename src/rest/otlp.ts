import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { ResolveProject } from '../auth/project-access.ts';
import type { AccountContext } from '../context/account-context.ts';
import { readExport, type ExportBatch, type IngestService, type OtlpCodec } from '../domain/observability/index.ts';
import { Refusal } from '../http/refusal.ts';
import type { Clock } from '../kernel/clock.ts';
import { counted } from '../kernel/counted.ts';
import { AppError } from '../kernel/errors.ts';
import type { EndpointContexts } from './endpoint.ts';
import { decompress } from './otlp-compression.ts';
import type { IngestLoad } from './otlp-load.ts';

export interface OtlpParts {
  readonly ingest: Pick<IngestService, 'ingest'>;
  readonly resolveProject: ResolveProject;
  readonly codecs: readonly OtlpCodec[];
  readonly load: IngestLoad;
  readonly clock: Clock;
}

/** Takes OTLP/HTTP trace exports. Its errors are told in OTLP's own way by `otlpSurface`. */
export function otlpEndpoints(parts: OtlpParts): Pick<EndpointHandlers<EndpointContexts>, 'ingest_traces'> {
  return {
    async ingest_traces({ parameters, body }, { account, headers }) {
      const codec = parts.codecs.find(({ contentType }) => contentType === body.contentType);
      if (codec === undefined) throw new Refusal(415, 'invalid_request', 'Content-Type is not one of OTLP.');
      const projectId = await projectFor(parts.resolveProject, account, parameters['x-project-id']);
      const bytes = await decompress(Buffer.from(body.bytes), headers['content-encoding']);
      const answer = await parts.load.carry(bytes.length, async () => {
        const receivedNs = BigInt(parts.clock.now().getTime()) * 1_000_000n;
        const batch = readExport(codec.decodeRequest(bytes), receivedNs);
        await parts.ingest.ingest(projectId, batch.spans);
        return { rejectedSpans: batch.rejected, message: messageOf(batch) };
      });
      return { contentType: codec.contentType, body: codec.encodeAnswer(answer) };
    },
  };
}

/** The credential's own project, or the one an account credential names. */
async function projectFor(
  resolveProject: ResolveProject,
  account: AccountContext,
  named: string | undefined,
): Promise<string> {
  const wanted = named ?? account.credential.projectId;
  const project = wanted === undefined ? undefined : await resolveProject({ account }, wanted);
  if (project !== undefined) return project.id;
  throw new AppError(
    'project_required',
    'Send spans with a project key, or name a project of yours in the X-Project-Id header.',
    { fields: { header: 'x-project-id' } },
  );
}

/** What the exporter's log should say; empty when everything was stored as it came. */
function messageOf({ rejected, refusals, replaced }: ExportBatch): string {
  const sentences: string[] = [];
  if (rejected > 0) {
    const more = rejected > refusals.length ? '; and more' : '';
    sentences.push(`${counted(rejected, 'span')} refused. ${refusals.join('; ')}${more}.`);
  }
  if (replaced > 0) {
    sentences.push(`${counted(replaced, 'character')} that cannot be stored (U+0000 or half of a pair) became U+FFFD.`);
  }
  return sentences.join(' ');
}
