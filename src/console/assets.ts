import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type Koa from 'koa';
import { sha256 } from '../kernel/secrets.ts';

const PREFIX = '/assets/';
const HASH_LENGTH = 16;

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface Assets {
  /** Address of a file, with the digest of its content in it. Throws on an unknown file. */
  urlOf(name: string): string;
  /** Answers addresses below `/assets/`; false on all others. */
  serve(ctx: Koa.Context): boolean;
}

/** Reads the Console's own files and those of the chart library once. */
export function loadAssets(): Assets {
  const own = new URL('./assets/', import.meta.url);
  const charts = dirname(createRequire(import.meta.url).resolve('uplot'));
  const files: readonly (readonly [string, string, string | URL])[] = [
    ['console.css', 'text/css; charset=utf-8', new URL('console.css', own)],
    ['console.js', 'text/javascript; charset=utf-8', new URL('console.js', own)],
    ['icon.svg', 'image/svg+xml', new URL('icon.svg', own)],
    ['charts.css', 'text/css; charset=utf-8', join(charts, 'uPlot.min.css')],
    ['charts.js', 'text/javascript; charset=utf-8', join(charts, 'uPlot.iife.min.js')],
  ];
  const urls = new Map<string, string>();
  const byUrl = new Map<string, Asset>();
  for (const [name, type, file] of files) {
    const bytes = readFileSync(file);
    const [stem, extension] = name.split('.');
    const url = `${PREFIX}${stem}.${sha256(bytes).slice(0, HASH_LENGTH)}.${extension}`;
    urls.set(name, url);
    byUrl.set(url, { type, bytes });
  }
  return {
    urlOf(name) {
      const url = urls.get(name);
      if (url === undefined) throw new Error(`The Console has no file ${name}.`);
      return url;
    },
    serve(ctx) {
      if (!ctx.path.startsWith(PREFIX) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return false;
      const asset = byUrl.get(ctx.path);
      if (asset === undefined) return false;
      ctx.set('content-type', asset.type);
      // The address changes with the content, so a copy can be kept for ever.
      ctx.set('cache-control', 'public, max-age=31536000, immutable');
      ctx.body = asset.bytes;
      return true;
    },
  };
}
