import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SourceName } from '../../src/domain/catalogue.ts';
import { createHttpClient, type HttpClient } from '../../src/sources/http/client.ts';
import { createHosts } from '../../src/sources/http/host-limits.ts';
import { memoryLog } from '../support/log.ts';
import { type Reply, upstream } from '../support/upstream.ts';

const clock = { now: Date.now() };

/** Clients of two sources on one host that takes two concurrent calls, and of a third one on another host. */
async function clients(reply: (path: string) => Reply) {
  const { url, ...portal } = await upstream(reply);
  const hostOf = createHosts();
  const client = (source: SourceName, origin: string): HttpClient => {
    const made = createHttpClient({
      source,
      concurrency: 2,
      host: hostOf(origin, 2),
      now: () => clock.now,
      random: () => 0,
      log: memoryLog().log,
    });
    onTestFinished(() => made.close());
    return made;
  };
  const get = (one: HttpClient, path: string) =>
    one.get(new URL(path, url), { deadlineMs: 5_000, read: ({ status }) => status }).catch((error: { code: string }) => error.code);
  return { portal, get, secopii: client('secopii', url), rues: client('rues', url), other: client('pncp', 'https://another.example') };
}

describe('two sources on one host', () => {
  it('make no more calls at once than the host takes, together', async () => {
    const waiting: ServerResponse[] = [];
    const { portal, get, secopii, rues, other } = await clients(() => (_, response) => void waiting.push(response));
    const calls = [get(secopii, '/1'), get(rues, '/2'), get(secopii, '/3'), get(rues, '/4')];
    await expect.poll(() => portal.open()).toBe(2);
    const elsewhere = get(other, '/5');
    await expect.poll(() => portal.open()).toBe(3);
    for (let served = 0; served < 5; served += 1) {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.end();
    }
    expect(await Promise.all([...calls, elsewhere])).toEqual([200, 200, 200, 200, 200]);
  });

  it('are both silent while the host demands it, and a source elsewhere is not', async () => {
    const { portal, get, secopii, rues, other } = await clients((path) =>
      path === '/1' ? { status: 429, body: '', headers: { 'retry-after': '30' } } : { body: [] },
    );
    expect(await get(secopii, '/1')).toBe('SOURCE_UNAVAILABLE');
    expect(await get(rues, '/2')).toBe('SOURCE_UNAVAILABLE');
    expect(portal.asked).toEqual(['/1']);
    expect(await get(other, '/3')).toBe(200);
    clock.now += 31_000;
    expect(await get(rues, '/4')).toBe(200);
  });

  it('have circuit breakers of their own, so that a broken table does not stop the other one', async () => {
    const { get, secopii, rues } = await clients((path) => (path === '/broken' ? { status: 500, body: '' } : { body: [] }));
    for (let call = 0; call < 12; call += 1) await get(rues, '/broken');
    expect([rues.health().circuit, secopii.health().circuit]).toEqual(['open', 'closed']);
    expect(await get(secopii, '/works')).toBe(200);
  });
});
