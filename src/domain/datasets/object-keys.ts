/** Where the rows of a cell are kept. Each attempt at a cell writes under a key of its own. */
export function cellKey(projectId: string, datasetId: string, attemptId: string): string {
  return `${datasetPrefix(projectId, datasetId)}/${attemptId}.parquet`;
}

/** Everything a dataset keeps in the object store. */
export function datasetPrefix(projectId: string, datasetId: string): string {
  return `${projectPrefix(projectId)}/${datasetId}`;
}

function projectPrefix(projectId: string): string {
  return `${DATASETS_PREFIX}/${projectId}`;
}

/** Each piece of an upload is an object of its own. */
export function uploadChunkKey(projectId: string, uploadId: string, chunkId: string): string {
  return `${UPLOADS_PREFIX}/${projectId}/${uploadId}/${chunkId}.part`;
}

export const UPLOADS_PREFIX = 'uploads';

export const DATASETS_PREFIX = 'datasets';

/** The project of a key, for the sweep, which meets keys before it knows whose they are. */
export function projectOfKey(key: string): string {
  return key.split('/')[1] ?? '';
}
