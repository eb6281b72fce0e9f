import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { upstream } from '../../support/upstream.ts';

/** Answers a request itself and returns true, or returns false. `nth` counts the requests of this kind and path from 1. */
export type Fault = (response: ServerResponse, request: IncomingMessage, nth: number) => boolean;

interface Faults {
  readonly listing?: Fault;
  readonly file?: Fault;
}

const LISTING = '/public.php/webdav';
const FILES = '/public.php/dav/files/token';

/**
 * A share of months in the form of Nextcloud, for one test. A test can add months and replace faults while it runs.
 * @param folders folder on the disk with the zips, by month
 */
export async function shareOf(folders: Record<string, string>) {
  const faults: Faults = {};
  const counts = new Map<string, number>();
  let atOnce = 0;
  let mostAtOnce = 0;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = decodeURIComponent(request.url ?? '');
    const isListing = request.method === 'PROPFIND';
    const key = `${request.method} ${url}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!isListing) {
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      response.on('close', () => {
        atOnce -= 1;
      });
    }
    if ((isListing ? faults.listing : faults.file)?.(response, request, counts.get(key) ?? 0)) return;
    if (isListing) return list(url.slice(LISTING.length).replaceAll('/', ''), response);
    const [month = '', name = ''] = url.slice(FILES.length + 1).split('/');
    const bytes = await readFile(path.join(folders[month] ?? '', name));
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, { 'content-type': 'application/zip', ...range }).end(bytes.subarray(from));
  };

  async function list(month: string, response: ServerResponse): Promise<void> {
    const folder = folders[month];
    if (month !== '' && folder === undefined) return void response.writeHead(404).end();
    const names = folder === undefined ? Object.keys(folders) : await readdir(folder);
    const entries = await Promise.all(
      names.map(async (name) => {
        const size = folder === undefined ? null : (await readFile(path.join(folder, name))).length;
        const prop =
          size === null ? '<d:resourcetype><d:collection/></d:resourcetype>' : `<d:getcontentlength>${size}</d:getcontentlength>`;
        return `<d:response><d:href>${LISTING}/${month}/${name}</d:href><d:propstat><d:prop>${prop}</d:prop></d:propstat></d:response>`;
      }),
    );
    const own = `<d:response><d:href>${LISTING}/${month}</d:href><d:propstat><d:prop/></d:propstat></d:response>`;
    response.writeHead(207).end(`<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${own}${entries.join('')}</d:multistatus>`);
  }

  const { url, asked } = await upstream(() => (request, response) => void answer(request, response).catch(() => response.destroy()));
  return {
    address: `${url}/index.php/s/token`,
    folders,
    faults: faults as { -readonly [K in keyof Faults]: Faults[K] },
    /** Number of requests of files. */
    downloads: () => asked.filter((one) => one.startsWith(FILES)).length,
    listings: () => asked.filter((one) => one.startsWith(LISTING)).length,
    mostAtOnce: () => mostAtOnce,
  };
}

/** Answers with a status and headers. */
export function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): true {
  response.writeHead(status, headers).end('no');
  return true;
}
