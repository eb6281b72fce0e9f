import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runInContext } from '../../src/sources/http/call-context.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';
import { type HttpAnswer, HttpFailure } from '../../src/sources/http/failure.ts';
import { memoryLog } from '../support/log.ts';
import { type Reply, upstream } from '../support/upstream.ts';

const json = (answer: HttpAnswer) => JSON.parse(answer.text) as { name: string };
const MIB = 1024 * 1024;
const acme: Reply = { body: { name: 'ACME' } };

/** Creates a client and its upstream. */
async function setup(reply: (path: string, nth: number) => Reply, { concurrency = 16 } = {}) {
  const server = await upstream(reply);
  const clock = { offset: 0 };
  const http = createHttpClient({
    source: 'receita_federal',
    concurrency,
    now: () => Date.now() + clock.offset,
    random: () => 0,
    log: memoryLog().log,
  });
  onTestFinished(() => http.close());
  const get = (path = '/x', deadlineMs = 1_500) => http.get(new URL(server.url + path), { deadlineMs, read: json });
  return { server, http, get, clock };
}

const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'receita_federal' } };

describe('a source’s HTTP client', () => {
  it('returns the result of the reader', async () => {
    const { get, http } = await setup(() => acme);
    expect(await get()).toEqual({ name: 'ACME' });
    expect(http.health()).toMatchObject({ circuit: 'closed', lastError: null });
  });

  it('keeps how the last calls went: their number, the failed ones, and the median time of the others', async () => {
    let refuses = false;
    const { get, http } = await setup(() => (refuses ? { status: 500, body: {} } : acme));
    expect(http.health().recentCalls).toBeNull();
    await get();
    await get();
    refuses = true;
    await expect(get('/x', 500)).rejects.toMatchObject(unavailable); // too late for a second attempt
    expect(http.health().recentCalls).toEqual({ calls: 3, failed: 1, latencyMs: expect.any(Number) });
  });

  it('UP-01 settles by its deadline when the source does not answer, and leaves no request open', async () => {
    const { get, server, http } = await setup(() => () => undefined);
    const started = performance.now();
    await expect(get('/x', 300)).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(550);
    await expect.poll(server.open, { timeout: 1_000 }).toBe(0);
    expect(http.health().lastError).toBe('timeout');
  });

  it.each<[string, Reply]>([
    ['silence after the headers', (_, response) => void response.writeHead(200).write('{')],
    ['a body of one byte a second', (_, response) => void setInterval(() => response.write('{'), 1_000).unref()],
    ['a reset', (request) => void request.socket.destroy()],
    [
      'a reset in mid-body',
      (request, response) => void response.writeHead(200).write('{"name":', () => setTimeout(() => request.socket.destroy(), 20)),
    ],
    [
      'a body shorter than promised',
      (request, response) => void response.writeHead(200, { 'content-length': '99' }).write('{"name"', () => request.socket.end()),
    ],
    [
      'corrupt gzip',
      (_, response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' }).end(gzipSync('{"name":"A"}').fill(7, 12)),
    ],
    ['headers of 70 kB', { headers: { 'x-long': 'x'.repeat(70_000) }, body: {} }],
    ['a redirect to another host', { status: 302, headers: { location: 'http://localhost:1/x' }, body: '' }],
    ['a redirect without end', { status: 302, headers: { location: '/x' }, body: '' }],
    ['an unknown encoding', { headers: { 'content-encoding': 'zstd9' }, body: '{}' }],
    ['a broken JSON', { body: '{"name":' }],
  ])('UP-01 reports %s as a failed source within the deadline', async (_, reply) => {
    const { get } = await setup(() => reply);
    const started = performance.now();
    await expect(get('/x', 800)).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(1_050);
  });

  it('UP-04 cuts a gzip bomb at the cap instead of unpacking it: memory grows by 30 MB at most', async () => {
    const gzipped = (body: Buffer): Reply => ({ headers: { 'content-encoding': 'gzip' }, body });
    const bomb = gzipSync(Buffer.alloc(200 * MIB));
    const small = gzipSync('{"name":"ACME"}');
    const { url } = await upstream((path) => gzipped(path === '/bomb' ? bomb : small));
    const child = path.join(import.meta.dirname, 'bomb-child.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', child, url]);
    const { code, lastError, grownBytes } = JSON.parse(stdout);
    expect({ code, lastError }).toEqual({ code: 'SOURCE_UNAVAILABLE', lastError: 'too_large' });
    expect(grownBytes).toBeLessThanOrEqual(30 * MIB);
  });

  it('UP-04 follows up to five redirects of the same host', async () => {
    const { get } = await setup((_, nth) => (nth <= 5 ? { status: 302, headers: { location: '/y' }, body: '' } : acme));
    expect(await get()).toEqual({ name: 'ACME' });
  });

  it.each([
    ['UTF-8', Buffer.from('{"name":"São Ñuñoa ª € “x”"}')],
    ['UTF-8 with a mark', Buffer.from('\uFEFF{"name":"São Ñuñoa ª € “x”"}')],
    ['Windows-1252', Buffer.from('{"name":"S\xe3o \xd1u\xf1oa \xaa \x80 \x93x\x94"}', 'latin1')],
  ])('UP-05 reads %s whatever charset its header has', async (_, body) => {
    const { get } = await setup(() => ({ headers: { 'content-type': 'application/json; charset=utf-16' }, body }));
    expect(await get()).toEqual({ name: 'São Ñuñoa ª € “x”' });
  });

  it('UP-06 retries a quick failure once', async () => {
    const { get, server } = await setup((_, nth) => (nth === 1 ? { status: 500, body: '' } : acme));
    expect(await get()).toEqual({ name: 'ACME' });
    expect(server.asked).toHaveLength(2);
  });

  it('UP-06 does not retry a refusal', async () => {
    const { get, server } = await setup(() => ({ status: 403, body: '{' }));
    await expect(get()).rejects.toMatchObject(unavailable);
    expect(server.asked).toHaveLength(1);
  });

  it('UP-06 adds at most a tenth of extra calls when every call fails', async () => {
    const { get, http } = await setup((path) => (path === '/ok' ? acme : { status: 500, body: '' }));
    for (let i = 0; i < 300; i += 1) await get(i % 10 === 9 ? '/bad' : '/ok').catch(() => null);
    expect(http.health().circuit).toBe('closed');
    const { get: failing, server } = await setup(() => ({ status: 500, body: '' }));
    await Promise.all(Array.from({ length: 10 }, () => failing().catch(() => null)));
    expect(server.asked.length).toBeLessThanOrEqual(14);
  });

  it.each([
    ['seconds', () => '120'],
    ['a date', () => new Date(Date.now() + 120_000).toUTCString()],
  ])('UP-06 makes no call before a Retry-After in %s has passed, and returns the wait to the caller', async (_, after) => {
    const { get, server, clock } = await setup((_path, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': after() }, body: 'Too Many Requests' } : acme,
    );
    await expect(get()).rejects.toMatchObject(unavailable);
    const refused = await get().catch((error) => error);
    expect(refused.facts.retryAfterSeconds).toBeGreaterThan(100);
    expect(server.asked).toHaveLength(1);
    clock.offset = 121_000;
    expect(await get()).toEqual({ name: 'ACME' });
  });

  it('UP-06 lets a source read the kind of a failure and the wait from the body', async () => {
    const { http, server, clock } = await setup((path, nth) =>
      nth === 1 ? { status: 500, body: { code: 7 } } : { status: 503, body: path },
    );
    const explain = ({ status, text }: HttpAnswer) =>
      text === '{"code":7}' ? new HttpFailure('busy', `busy, says ${status}`, { retryAfterMs: 60_000 }) : null;
    const get = () => http.get(new URL(`${server.url}/x`), { deadlineMs: 1_500, read: json, explain });
    await expect(get()).rejects.toMatchObject({ ...unavailable, facts: { source: 'receita_federal', retryAfterSeconds: 60 } });
    expect(http.health().lastError).toBe('busy');
    await expect(get()).rejects.toMatchObject(unavailable);
    expect(server.asked).toHaveLength(1);
    clock.offset = 60_000;
    await expect(get()).rejects.toMatchObject(unavailable);
    expect(http.health().lastError).toBe('status_503');
  });

  it('UP-06 obeys a Retry-After when the body cannot be read', async () => {
    const { http, server } = await setup(
      () => (request, response) =>
        void response.writeHead(503, { 'retry-after': '60', 'content-length': '9' }).write('{', () => request.socket.end()),
    );
    const options = { deadlineMs: 1_500, read: json, explain: () => null };
    await expect(http.get(new URL(server.url), options)).rejects.toMatchObject({ ...unavailable, facts: { retryAfterSeconds: 60 } });
    await expect(http.get(new URL(server.url), options)).rejects.toMatchObject(unavailable);
    expect(server.asked).toHaveLength(1);
  });

  it('UP-07 opens its circuit after ten failures in a row and then fails at once', async () => {
    const { get, server, http } = await setup(() => ({ status: 404, body: '<html>' }));
    for (let i = 0; i < 10; i += 1) await get().catch(() => null);
    expect(http.health().circuit).toBe('open');
    const calls = server.asked.length;
    const started = performance.now();
    await expect(get()).rejects.toMatchObject(unavailable);
    expect(performance.now() - started).toBeLessThan(250); // promised within 50 ms, of a machine that does nothing else
    expect(server.asked).toHaveLength(calls);
  });

  it('UP-07 opens when half of at least twenty calls in thirty seconds fail', async () => {
    const { get, http } = await setup((_, nth) => (nth % 2 === 0 ? { status: 404, body: '<html>' } : acme));
    for (let i = 0; i < 19; i += 1) await get().catch(() => null);
    expect(http.health().circuit).toBe('closed');
    await get().catch(() => null);
    expect(http.health().circuit).toBe('open');
  });

  it('UP-07 ignores calls of more than thirty seconds ago, so infrequent failures leave the circuit closed', async () => {
    const { get, http, clock } = await setup((_, nth) => (nth % 2 === 0 ? { status: 404, body: '<html>' } : acme));
    for (let i = 0; i < 40; i += 1) {
      await get().catch(() => null);
      clock.offset += 2_000;
    }
    expect(http.health().circuit).toBe('closed');
  });

  it('UP-07 stays closed when fewer than half of the calls fail', async () => {
    const { get, http } = await setup((_, nth) => (nth % 5 < 2 ? { status: 404, body: '<html>' } : acme));
    for (let i = 0; i < 60; i += 1) await get().catch(() => null);
    expect(http.health().circuit).toBe('closed');
  });

  it('opens as many connections as it makes calls at once, and keeps them while no call is made for five seconds', async () => {
    let connections = 0;
    const server = createServer({ keepAliveTimeout: 0 }, (_, response) => void setTimeout(() => response.end('{"name":"ACME"}'), 20));
    server.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const http = createHttpClient({ source: 'receita_federal', concurrency: 4, now: Date.now, random: () => 0, log: memoryLog().log });
    onTestFinished(async () => {
      await http.close();
      server.close();
    });
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
    const calls = () => Promise.all(Array.from({ length: 20 }, () => http.get(url, { deadlineMs: 5_000, read: json })));
    await calls();
    await delay(5_500);
    await calls();
    expect(connections).toBe(4);
  }, 30_000);

  it('UP-08 has at most sixteen calls in flight and sixty-four waiting; the rest fail fast', async () => {
    let most = 0;
    const { get, server } = await setup(() => (_, response) => {
      most = Math.max(most, server.open());
      setTimeout(() => response.end('{"name":"ACME"}'), 60);
    });
    const answers = await Promise.allSettled(Array.from({ length: 100 }, () => get('/x', 5_000)));
    expect(most).toBeLessThanOrEqual(16);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(80);
  });

  it('UP-08 shares its waiting places by caller: who waits little is not refused because of who waits much', async () => {
    const replies: ServerResponse[] = [];
    const { get } = await setup(() => (_, response) => void replies.push(response));
    const ask = (caller: string | undefined, times: number) =>
      runInContext({ caller }, () => Array.from({ length: times }, () => get('/x', 5_000)));
    const finished: (string | undefined)[] = [];
    const background = undefined;
    const settled = ['noisy', 'quiet', background].map((caller) =>
      Promise.allSettled(ask(caller, caller === 'noisy' ? 90 : 3).map((one) => one.then(() => finished.push(caller)))),
    );
    await expect.poll(() => replies.length).toBe(16);
    for (let ended = 0; ended < 80; ended += 1) {
      await expect.poll(() => replies.length).toBeGreaterThan(ended);
      replies[ended]?.end('{"name":"ACME"}');
    }
    const [noisy = [], ...others] = await Promise.all(settled);
    expect(noisy.filter(({ status }) => status === 'rejected')).toHaveLength(16);
    for (const answers of others) expect(answers.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'));
    expect(finished.slice(0, 16)).toEqual(Array(16).fill('noisy'));
    expect(new Set(finished.slice(16, 22))).toEqual(new Set(['quiet', background]));
  });
});
