import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DOWNLOAD_LIMITS } from '../../src/sources/registry/download.ts';
import { DownloadFailure } from '../../src/sources/registry/download-transfer.ts';
import { filesIn, tempFolder, testDownloader } from '../support/files.ts';
import { type Reply, upstream } from '../support/upstream.ts';

const LIST = 'ID;NOME\r\n1;São\r\n';
const ok: Reply = { headers: { 'content-type': 'text/csv', 'last-modified': 'Tue, 06 Oct 2026 10:00:00 GMT' }, body: LIST };
const limits = { ...DOWNLOAD_LIMITS, deadlineMs: 3_000 };
const failureOf = (promise: Promise<unknown>): Promise<DownloadFailure> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(DownloadFailure);
      return error as DownloadFailure;
    },
  );

describe('a download', () => {
  it('puts the file on disk with its name, size, checksum and date', async () => {
    const { url } = await upstream(() => ok);
    const got = await (await testDownloader()).get(`${url}/x/cadastro%20novo.csv?token=1`);
    expect(await readFile(got.path, 'utf8')).toBe(LIST);
    expect(got).toMatchObject({
      name: 'cadastro novo.csv',
      bytes: Buffer.byteLength(LIST),
      sha256: createHash('sha256').update(LIST).digest('hex'),
      lastModified: '2026-10-06',
      date: null,
    });
  });

  it('returns the ETag, and with it is only repeated for a changed file', async () => {
    const { url, asked } = await upstream(() => (request, response) => {
      if (request.headers['if-none-match'] === '"one"') return void response.writeHead(304, { etag: '"one"' }).end();
      response.writeHead(200, { etag: '"one"' }).end(LIST);
    });
    const downloader = await testDownloader();
    for (const known of [null, '"other"']) expect((await downloader.get(`${url}/a`, known)).etag).toBe('"one"');
    expect((await failureOf(downloader.get(`${url}/a`, '"one"'))).kind).toBe('status_304');
    expect(asked).toHaveLength(3);
  });

  it('sends a GET with the User-Agent that publishers require', async () => {
    let seen = '';
    const { url } = await upstream(() => (request, response) => {
      seen = `${request.method} ${request.headers['user-agent']}`;
      response.end(LIST);
    });
    await (await testDownloader()).get(`${url}/sdn.csv`);
    expect(seen).toMatch(/^GET Mozilla\/5\.0 \(compatible; Quipu\/.+ \+https:.+\)$/);
    expect(seen.length).toBeGreaterThanOrEqual(44);
  });

  it('sends the credentials of its URL to that host only', async () => {
    const seen: (string | undefined)[] = [];
    const other = await upstream(() => (request, response) => {
      seen.push(request.headers.authorization);
      response.end(LIST);
    });
    const first = await upstream(() => (request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: `${other.url}/b` }).end();
    });
    const downloader = await testDownloader({ redirectHosts: [new URL(other.url).host] });
    await downloader.get(`${first.url.replace('//', '//user:p%40ss@')}/a`);
    expect(seen).toEqual([`Basic ${Buffer.from('user:p@ss').toString('base64')}`, undefined]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('decompresses %s', async (encoding, pack) => {
    const { url } = await upstream(() => ({ headers: { 'content-encoding': encoding }, body: pack(LIST) }));
    expect(await readFile((await (await testDownloader()).get(url)).path, 'utf8')).toBe(LIST);
  });

  it('reads a file: URL', async () => {
    const file = path.join(await tempFolder(), 'lista com espaço.csv');
    await writeFile(file, LIST);
    const got = await (await testDownloader()).get(pathToFileURL(file).href);
    expect(got).toMatchObject({ name: 'lista com espaço.csv', lastModified: null });
    expect(await readFile(got.path, 'utf8')).toBe(LIST);
  });

  it.each([
    ['no file', '/nowhere/at/all.csv', { kind: 'missing', absent: true }],
    ['a folder', '/', { kind: 'disk', absent: false }],
  ])('fails with its own kind for a file: URL of %s', async (_name, file, expected) => {
    expect(await failureOf((await testDownloader()).get(pathToFileURL(file).href))).toMatchObject(expected);
  });
});

describe('a failed download', () => {
  it.each<[string, Reply, string]>([
    [
      'a body shorter than announced',
      (_, response) => void response.writeHead(200, { 'content-length': '99', connection: 'close' }).end(LIST),
      'connection',
    ],
    [
      'a chunked body that stops in the middle',
      (_, response) => {
        response.writeHead(200).write(LIST);
        setTimeout(() => response.destroy(), 50);
      },
      'connection',
    ],
    ['a gzip that is cut', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(LIST).subarray(0, -9) }, 'broken_body'],
    ['a gzip that is none', { headers: { 'content-encoding': 'gzip' }, body: LIST }, 'broken_body'],
    ['an encoding that was not offered', { headers: { 'content-encoding': 'zstd' }, body: LIST }, 'encoding'],
    ['no content', { status: 204, body: '' }, 'status_204'],
    ['a part', { status: 206, body: LIST }, 'status_206'],
    ['a redirect that leads nowhere', { status: 302, body: '' }, 'status_302'],
    ['headers of 70 kB', { headers: { 'x-long': 'x'.repeat(70_000) }, body: LIST }, 'connection'],
  ])('is refused for %s', async (_name, reply, kind) => {
    const { url } = await upstream(() => reply);
    expect(await failureOf((await testDownloader({ limits })).get(url))).toMatchObject({ kind });
  });

  it('is refused for more bytes than allowed, on the wire and decompressed', async () => {
    const endless: Reply = (_, response) => {
      const more = () => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
      more();
    };
    const { url } = await upstream((place) =>
      place === '/endless' ? endless : { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(9e6)) },
    );
    const downloader = await testDownloader({ limits: { ...limits, wireBytes: 1e6, fileBytes: 8e6 } });
    expect(await failureOf(downloader.get(`${url}/endless`))).toMatchObject({ kind: 'too_large' });
    expect(await failureOf(downloader.get(`${url}/bomb`))).toMatchObject({ kind: 'too_large' });
  });

  it('is refused for a body that expands more than 200 times, from 16 MiB on', async () => {
    const zeros = gzipSync(Buffer.alloc(16 * 1024 ** 2 + 1));
    const { url } = await upstream(() => ({ headers: { 'content-encoding': 'gzip' }, body: zeros }));
    expect(await failureOf((await testDownloader()).get(url))).toMatchObject({ kind: 'too_large' });
  });

  it('ends at its deadline, when no bytes arrive, and when cancelled', async () => {
    const trickle: Reply = (_, response) => {
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    };
    const silence: Reply = (_, response) => void response.writeHead(200).write('x');
    const { url } = await upstream((place) => (place === '/trickle' ? trickle : silence));
    const hurried = await testDownloader({ limits: { ...limits, deadlineMs: 400 } });
    expect(await failureOf(hurried.get(`${url}/trickle`))).toMatchObject({ kind: 'timeout' });
    const impatient = await testDownloader({ limits: { ...limits, idleMs: 300 } });
    expect(await failureOf(impatient.get(`${url}/silence`))).toMatchObject({ kind: 'timeout' });
    const stop = new AbortController();
    const stopped = (await testDownloader({ limits, signal: stop.signal })).get(`${url}/trickle`);
    setTimeout(() => stop.abort(), 100);
    expect(await failureOf(stopped)).toMatchObject({ kind: 'stopped' });
  });
});

describe('redirects', () => {
  const to = (location: string): Reply => ({ status: 302, headers: { location }, body: '' });

  it('are followed on the same host and to the hosts that the list names; the name is the last one’s', async () => {
    const bucket = await upstream(() => ok);
    const { url } = await upstream((place) =>
      place === '/ceis/20260930' ? to('/moved') : to(`${bucket.url}/saida/20260930_CEIS.csv?sig=x`),
    );
    const downloader = await testDownloader({ redirectHosts: [new URL(bucket.url).host] });
    const got = await downloader.get(`${url}/ceis/20260930`);
    expect(got.name).toBe('20260930_CEIS.csv');
    expect(got.url.href).toBe(`${url}/ceis/20260930`);
  });

  it.each([
    ['another host', (other: string) => `${other}/x`],
    ['a file on this machine', () => 'file:///etc/hostname'],
    ['no address at all', () => 'http://'],
  ])('are refused to %s', async (_name, target) => {
    const other = await upstream(() => ok);
    const { url } = await upstream(() => to(target(other.url)));
    expect(await failureOf((await testDownloader()).get(url))).toMatchObject({ kind: 'redirects' });
    expect(other.asked).toEqual([]);
  });

  it('are followed five times at most', async () => {
    const { url, asked } = await upstream((_, nth) => (nth <= 5 ? to(`/${nth}`) : ok));
    expect((await (await testDownloader()).get(url)).bytes).toBe(Buffer.byteLength(LIST));
    expect(asked).toHaveLength(6);
    const loop = await upstream(() => to('/again'));
    expect(await failureOf((await testDownloader()).get(loop.url))).toMatchObject({ kind: 'redirects' });
    expect(loop.asked).toHaveLength(6);
  });
});

describe('a retry', () => {
  it.each<[string, Reply]>([
    ['503', { status: 503, body: '' }],
    ['500', { status: 500, body: '' }],
    ['a reset', (request) => void request.socket.destroy()],
  ])('is made once after %s', async (_name, failing) => {
    const healed = await upstream((_, nth) => (nth === 1 ? failing : ok));
    expect((await (await testDownloader()).get(healed.url)).bytes).toBeGreaterThan(0);
    const down = await upstream(() => failing);
    await failureOf((await testDownloader()).get(down.url));
    expect(down.asked).toHaveLength(2);
  });

  it.each([
    ['404', 404, {}],
    ['403', 403, {}],
    ['429 with a time', 429, { 'retry-after': '120' }],
    ['503 with a time', 503, { 'retry-after': '120' }],
  ])('is not made after %s', async (_name, status, headers) => {
    const { url, asked } = await upstream(() => ({ status, headers, body: '' }));
    const failure = await failureOf((await testDownloader()).get(url));
    expect(failure.retryAfterMs).toBe('retry-after' in headers ? 120_000 : null);
    expect(asked).toHaveLength(1);
  });
});

describe('an address with {date}', () => {
  /** 01:00 UTC of the 22nd is still the 21st in Brasília. */
  const now = () => Date.parse('2026-11-22T01:00:00Z');

  it('requests today’s date in Brasília first, then a day earlier after each 403 or 404', async () => {
    const { url, asked } = await upstream((_, nth) => (nth < 3 ? { status: nth === 1 ? 404 : 403, body: '' } : ok));
    const got = await (await testDownloader({ now })).get(`${url}/ceis/{date}`);
    expect(asked).toEqual(['/ceis/20261121', '/ceis/20261120', '/ceis/20261119']);
    expect(got).toMatchObject({ date: '2026-11-19', name: '20261119' });
  });

  it('goes back fifteen days at most', async () => {
    const { url, asked } = await upstream(() => ({ status: 404, body: '' }));
    expect(await failureOf((await testDownloader({ now })).get(`${url}/%7Bdate%7D.zip`))).toMatchObject({ kind: 'status_404' });
    expect(asked.at(-1)).toBe('/20261106.zip');
    expect(asked).toHaveLength(16);
  });

  it('does not go back when the publisher is down', async () => {
    const { url, asked } = await upstream(() => ({ status: 503, body: '' }));
    await failureOf((await testDownloader({ now })).get(`${url}/{date}`));
    expect(asked).toEqual(['/20261121', '/20261121']);
  });

  it('goes back for files on disk too', async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'ceis-20261118.csv'), LIST);
    const got = await (await testDownloader({ now })).get(`${pathToFileURL(folder)}/ceis-{date}.csv`);
    expect(got.date).toBe('2026-11-18');
    expect(await filesIn(folder)).toHaveLength(1);
  });
});
