import type {
  CreateDatasetRequest,
  CreateDatasetResponse,
} from '../../generated/contracts/endpoints/create_dataset.ts';
import type { EndpointHandlers } from '../../generated/contracts/endpoints.ts';
import type { AccountContext } from '../context/account-context.ts';
import type { DatasetExport, Datasets } from '../domain/datasets/index.ts';
import type { ProjectsService } from '../domain/projects/index.ts';
import type { Logger } from '../kernel/logger.ts';
import { replayOrRun, type IdempotencyStore } from '../kernel/replay.ts';
import { presentDatasetMutation, presentUpload } from '../presenters/datasets.ts';
import { readerOf } from './caller.ts';
import type { EndpointContexts } from './endpoint.ts';

export interface DatasetEndpointsParts {
  readonly projects: ProjectsService;
  readonly datasets: Pick<Datasets, 'uploads' | 'creation' | 'exports'>;
  readonly requestKeys: IdempotencyStore;
  readonly logger: Logger;
}

type DatasetEndpoint = 'begin_upload' | 'get_upload' | 'put_upload_chunk' | 'create_dataset' | 'export_dataset';

const MEDIA_TYPES = {
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** Files on their way into datasets and out of them. */
export function datasetEndpoints({
  projects,
  datasets: { uploads, creation, exports },
  requestKeys,
  logger,
}: DatasetEndpointsParts): Pick<EndpointHandlers<EndpointContexts>, DatasetEndpoint> {
  const inside = async (account: AccountContext, projectId: string): Promise<string> =>
    (await projects.getAccessible(readerOf(account), projectId)).id;
  return {
    async begin_upload({ parameters, body }, { account }) {
      const upload = await uploads.begin(await inside(account, parameters.project_id), {
        fileName: body.file_name,
        sizeBytes: body.size_bytes,
        accountId: account.accountId,
        ...(body.sha256 !== undefined && { sha256: body.sha256 }),
      });
      return presentUpload(upload);
    },
    async get_upload({ parameters }, { account }) {
      return presentUpload(await uploads.get(await inside(account, parameters.project_id), parameters.upload_id));
    },
    async put_upload_chunk(
      { parameters: { project_id: projectId, upload_id: id, offset, sha256 }, body },
      { account },
    ) {
      const piece = { offset: Number(offset), bytes: body.bytes, ...(sha256 !== undefined && { sha256 }) };
      return presentUpload(await uploads.append(await inside(account, projectId), id, piece));
    },
    async create_dataset({ parameters, body: { request_key: requestKey, ...body } }, { account }) {
      const projectId = await inside(account, parameters.project_id);
      const create = () => createDataset(creation, { projectId, accountId: account.accountId, body });
      if (requestKey === undefined) return create();
      const request = { subject: account.accountId, projectId, tool: 'rest create_dataset', requestKey, input: body };
      // because the store keeps nothing under this operation but what `create` answered
      return (await replayOrRun(requestKeys, logger, request, create)) as CreateDatasetResponse;
    },
    async export_dataset({ parameters: { project_id: projectId, dataset, format = 'jsonl', cell } }, context) {
      const made = await exports.export(await inside(context.account, projectId), dataset, {
        format,
        signal: context.signal,
        ...(cell !== undefined && { cell }),
      });
      return { contentType: MEDIA_TYPES[format], headers: headersOf(made, format), body: made.file.read() };
    },
  };
}

async function createDataset(
  creation: Datasets['creation'],
  {
    projectId,
    accountId,
    body,
  }: {
    readonly projectId: string;
    readonly accountId: string;
    readonly body: Omit<CreateDatasetRequest, 'request_key'>;
  },
): Promise<CreateDatasetResponse> {
  const { name, uploads, intent, capability = null, split } = body;
  const made = await creation.fromFiles(projectId, {
    name,
    uploads,
    accountId,
    capability,
    ...(intent !== undefined && { intent }),
    ...(split !== undefined && {
      split: {
        evalPercent: split.eval_percent,
        position: split.position,
        groupBy: split.group_by,
        deduplicate: split.deduplicate,
        ...(split.stratify_by !== undefined && { stratifyBy: split.stratify_by }),
      },
    }),
  });
  const files = uploads.length === 1 ? 'a file' : `${uploads.length} files`;
  return presentDatasetMutation({ summary: `Rows of ${files} are landing.`, ...made });
}

/** What lets the file be held against the dataset, and the transfer against the file. */
function headersOf({ dataset, cell, rows, fingerprint, file }: DatasetExport, format: string): Record<string, string> {
  const name = `${dataset.name} ${cell.version}.${format}`.replaceAll(/[\p{C}/\\]/gu, '_');
  const plain = name.replaceAll(/[^\w.() -]/g, '_');
  return {
    'content-length': String(file.sizeBytes),
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escapeMark)}`,
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    'x-overmind-cell': cell.id,
    'x-overmind-version': cell.version,
    'x-overmind-fingerprint': fingerprint,
    'x-overmind-rows': String(rows),
  };
}

function escapeMark(mark: string): string {
  return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}
