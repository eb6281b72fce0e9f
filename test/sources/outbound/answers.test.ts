import { execFile } from 'node:child_process';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listener, outbound, PUBLIC, site } from './support.ts';

const MIB = 1024 * 1024;

describe('an answer', () => {
  it('is its status, its headers by lower-case name, each as a list, and its bytes', async () => {
    const { url } = await site((_, response) => {
      response.writeHead(404, { 'X-Mark': 'one', 'Set-Cookie': ['a=1', 'b=2'] }).end(Buffer.from([0, 255]));
    });
    const answer = await outbound().get(url);
    expect(answer).toMatchObject({ status: 404, headers: { 'x-mark': ['one'], 'set-cookie': ['a=1', 'b=2'] }, cut: false });
    expect([answer.body, answer.url.href]).toEqual([Buffer.from([0, 255]), `${url}/`]);
  });

  it.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('is unpacked from %s', async (encoding, body) => {
    const { url } = await site((_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body));
    expect((await outbound().get(url)).body.toString()).toBe('hello');
  });

  it('may be as large as the cap, and fails or is cut beyond', async () => {
    const { url } = await site((_, response) => void response.end('x'.repeat(1_000)));
    const { get, kindOf } = outbound();
    expect(await get(url, { maxBytes: 1_000 })).toMatchObject({ cut: false, body: { length: 1_000 } });
    expect(await kindOf(url, { maxBytes: 999 })).toBe('too_large');
    expect(await get(url, { maxBytes: 999, overflow: 'cut' })).toMatchObject({ cut: true, body: { length: 999 } });
  });

  it('without end is cut at 2 MiB', async () => {
    const endless: RequestListener = (_, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536, 'x')));
        response.once('drain', more);
      };
      more();
    };
    const { url, open } = await site(endless);
    const { get, kindOf } = outbound();
    expect(await kindOf(url)).toBe('too_large');
    expect((await get(url, { overflow: 'cut' })).body.length).toBe(2 * MIB);
    await expect.poll(open).toBe(0);
  });

  it('that is a gzip bomb is cut before it is unpacked: memory grows by 30 MB at most', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    const small = gzipSync('hello');
    const { url } = await site(({ url }, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(url === '/bomb' ? bomb : small);
    });
    const child = path.join(import.meta.dirname, 'bomb-child.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', child, url, PUBLIC]);
    const { kind, cutBytes, grownBytes } = JSON.parse(stdout);
    expect({ kind, cutBytes }).toEqual({ kind: 'too_large', cutBytes: 2 * MIB });
    expect(grownBytes).toBeLessThanOrEqual(30 * MIB);
  }, 60_000);
});

describe('a site that misbehaves', () => {
  const drip: RequestListener = (_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };

  it.each<[string, RequestListener, string]>([
    ['says nothing', () => undefined, 'timeout'],
    ['stops after its headers', (_, response) => response.writeHead(200).flushHeaders(), 'timeout'],
    ['drips for ever', drip, 'timeout'],
    ['sends 1xx and no more', (_, response) => response.writeProcessing(), 'timeout'],
    ['resets before it answers', ({ socket }) => void socket.resetAndDestroy(), 'connection'],
    [
      'resets in mid-body',
      ({ socket }, response) => void response.writeHead(200).write('x', () => setTimeout(() => socket.resetAndDestroy(), 20)),
      'broken_body',
    ],
    [
      'ends before its length',
      ({ socket }, response) => void response.writeHead(200, { 'content-length': 9 }).write('x', () => socket.end()),
      'broken_body',
    ],
    [
      'sends corrupt gzip, ended by the connection',
      (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' }).end(gzipSync('hello, hello').fill(7, 12)),
      'broken_body',
    ],
    ['packs in a way of its own', (_, response) => void response.writeHead(200, { 'content-encoding': 'zip9' }).end('x'), 'broken_body'],
    ['sends 70 kB of headers', (_, response) => void response.writeHead(200, { 'x-long': 'x'.repeat(70_000) }).end(), 'too_large'],
  ])('%s: within the deadline, without a connection left', async (_, answer, kind) => {
    const { url, open } = await site(answer);
    expect(await outbound().kindOf(url, { deadlineMs: kind === 'timeout' ? 300 : 10_000 })).toBe(kind);
    await expect.poll(open).toBe(0);
  });

  it('speaks no HTTP, or is not there', async () => {
    const { port } = await listener((socket) => void socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
    const { kindOf } = outbound();
    expect(await kindOf(`http://${PUBLIC}:${port}/`)).toBe('connection');
    expect(await kindOf(`http://${PUBLIC}:1/`)).toBe('connection');
  });

  it('is requested once, whatever it does', async () => {
    const { url, asked } = await site(({ socket }) => void socket.destroy());
    const { kindOf } = outbound();
    expect(await kindOf(url)).toBe('connection');
    expect(await kindOf(url, { method: 'POST', body: '{}' })).toBe('connection');
    expect(asked).toHaveLength(2);
  });
});

describe('a request', () => {
  it('can be cancelled, before it is made or while it runs, and ends with its client', async () => {
    const { url, asked, open } = await site(() => undefined);
    const { client, kindOf } = outbound();
    expect(await kindOf(url, { signal: AbortSignal.abort() })).toBe('stopped');
    expect(asked).toHaveLength(0);
    const abort = new AbortController();
    const called = kindOf(url, { signal: abort.signal });
    const running = kindOf(url);
    await expect.poll(() => asked.length).toBe(2);
    abort.abort();
    expect(await called).toBe('stopped');
    await client.close();
    expect(await running).toBe('stopped');
    expect(await kindOf(url)).toBe('stopped');
    await expect.poll(open).toBe(0);
  });

  it('is one of at most 32 in flight and 64 waiting, and fails beyond', async () => {
    let most = 0;
    const { url, open } = await site((_, response) => {
      most = Math.max(most, open());
      setTimeout(() => response.end(), 30);
    });
    const { kindOf } = outbound();
    const warned: Error[] = [];
    process.on('warning', (warning) => warned.push(warning));
    const kinds = await Promise.all(Array.from({ length: 100 }, () => kindOf(url, { deadlineMs: 50_000 })));
    expect(kinds.filter((kind) => kind === 'answered 200')).toHaveLength(96);
    expect(kinds.filter((kind) => kind === 'too_many_waiting')).toHaveLength(4);
    expect(most).toBeLessThanOrEqual(32);
    expect(warned).toEqual([]);
  }, 60_000);

  it('that times out while it waits frees its slot', async () => {
    const { url } = await site(({ url: path }, response) => void (path === '/ok' && response.end()));
    const { kindOf } = outbound();
    const hung = Array.from({ length: 40 }, () => kindOf(url, { deadlineMs: 500 }));
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['timeout']));
    expect(await kindOf(`${url}/ok`)).toBe('answered 200');
  });
});
