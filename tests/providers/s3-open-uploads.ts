import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Middleware } from 'koa';

interface OpenUpload {
  readonly key: string;
  readonly id: string;
  readonly initiated: Date;
}

/** Few, so that whoever lists them has to ask for the next page. */
const PAGE = 2;

/**
 * What the S3 server of the tests leaves out: the list of uploads in parts that nobody has completed or given up, in
 * pages, and giving one up. `folder` is where that server keeps the bucket.
 */
export function openUploads(bucket: string, folder: string): Middleware {
  return async (ctx, next) => {
    const { uploads, uploadId } = ctx.query;
    if (ctx.method === 'GET' && ctx.path.replace(/\/$/, '') === `/${bucket}` && uploads !== undefined) {
      ctx.type = 'application/xml';
      ctx.body = pageOf(await uploadsIn(folder), {
        prefix: ctx.query['prefix'],
        key: ctx.query['key-marker'],
        id: ctx.query['upload-id-marker'],
      });
      return undefined;
    }
    if (ctx.method === 'DELETE' && typeof uploadId === 'string') {
      await rm(path.join(uploadsFolder(folder), path.basename(uploadId)), { recursive: true, force: true });
      ctx.status = 204;
      return undefined;
    }
    return next();
  };
}

/** Uploads in parts that are open, in the order of their keys. */
export async function uploadsIn(folder: string): Promise<readonly OpenUpload[]> {
  const root = uploadsFolder(folder);
  const ids = await readdir(root).catch(() => []);
  const found = await Promise.all(
    ids.map(async (id) => {
      const file = path.join(root, id, 'key');
      return { id, key: await readFile(file, 'utf8'), initiated: (await stat(file)).mtime };
    }),
  );
  return found.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
}

type Query = string | string[] | undefined;

function pageOf(all: readonly OpenUpload[], from: { prefix: Query; key: Query; id: Query }): string {
  const [prefix, key, id] = [from.prefix, from.key, from.id].map((value) => String(value ?? ''));
  const after = key === '' ? '' : rank({ key: key ?? '', id: id ?? '' });
  const left = all.filter((upload) => upload.key.startsWith(prefix ?? '') && rank(upload) > after);
  const page = left.slice(0, PAGE);
  const last = page.at(-1);
  const next = `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`;
  const isCut = left.length > page.length;
  const list = page.map(
    (upload) =>
      `<Upload><Key>${upload.key}</Key><UploadId>${upload.id}</UploadId><Initiated>${upload.initiated.toISOString()}</Initiated></Upload>`,
  );
  return `<?xml version="1.0"?><ListMultipartUploadsResult><IsTruncated>${isCut}</IsTruncated>${isCut ? next : ''}${list.join('')}</ListMultipartUploadsResult>`;
}

function rank({ key, id }: Pick<OpenUpload, 'key' | 'id'>): string {
  return `${key}\n${id}`;
}

function uploadsFolder(folder: string): string {
  return path.join(folder, '._S3rver_uploads');
}
