import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Folders of the built pages: beside the compiled sources, or in the current build for a process that runs the sources themselves. */
const FOLDERS = ['../../pages', '../../dist/pages'].map((folder) => path.join(import.meta.dirname, folder));

/** Content-Security-Policy of the pages. It allows their own files and requests to their own origin, and nothing inline. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json; charset=utf-8',
  '.graphql': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};

/**
 * Cache-Control of assets, whose names contain a hash of their content. Browsers revalidate pages on every request, so that they show a
 * new build at once.
 */
const CACHED_FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATED = 'no-cache';

const compress = promisify(gzip);

export type ServePage = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The built pages. */
export interface Pages {
  /** Reads the content of a file by its name; null if there is no such file. */
  readonly read: (name: string) => string | null;
  /** Serves the explorer at the address of the GraphQL API; null if the pages are not built. */
  readonly serveExplorer: ServePage | null;
}

interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  readonly cacheControl: string;
  /** Compressed content, created for the first request that accepts it. */
  gzipped?: Promise<Buffer>;
}

/**
 * Mounts the pages for browsers: the landing page at `/`, the documentation at `/docs` and below, the state of the sources at `/status`,
 * the dashboard at `/dashboard` and every path below it, their assets and the icon, and the descriptions of the APIs. They need no key;
 * the queries that they send do. Files are read once. Nothing is mounted if the pages are not built.
 */
export function mountPages(server: FastifyInstance, folder = FOLDERS.find((one) => existsSync(one)) ?? ''): Pages {
  if (!existsSync(folder)) return { read: () => null, serveExplorer: null };
  const files = readPages(folder);
  const serve =
    (name: string): ServePage =>
    async (request, reply) => {
      const file = files.get(name);
      return file ? send(file, request, reply) : reply.callNotFound();
    };
  server.get('/', serve('index.html'));
  server.get('/status', serve('status.html'));
  server.get('/docs', serve('docs/index.html'));
  server.get<{ Params: { '*': string } }>('/docs/*', (request, reply) => {
    const name = `docs/${request.params['*'].replace(/\/$/, '')}`;
    return serve(files.has(name) ? name : `${name}/index.html`)(request, reply);
  });
  server.get('/favicon.ico', serve('favicon.svg'));
  for (const name of ['openapi.json', 'asyncapi.json', 'schema.graphql']) server.get(`/${name}`, serve(name));
  server.get('/dashboard', serve('dashboard.html'));
  server.get<{ Params: { '*': string } }>('/dashboard/*', (request, reply) => {
    const name = request.params['*'];
    const isFile = files.has(name) || name.startsWith('assets/');
    return serve(isFile ? name : 'dashboard.html')(request, reply);
  });
  return { read: (name) => files.get(name)?.content.toString() ?? null, serveExplorer: serve('explorer.html') };
}

function readPages(folder: string): ReadonlyMap<string, PageFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[path.extname(name)];
      const cacheControl = name.startsWith('assets/') ? CACHED_FOREVER : REVALIDATED;
      return type ? [[name, { content: readFileSync(path.join(folder, name)), type, cacheControl }]] : [];
    }),
  );
}

async function send(file: PageFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  void reply
    .headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': file.cacheControl, vary: 'accept-encoding' })
    .type(file.type);
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.content);
  file.gzipped ??= compress(file.content);
  return reply.header('content-encoding', 'gzip').send(await file.gzipped);
}
