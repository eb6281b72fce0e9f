import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';
import { memoryLog } from '../support/log.ts';
import { needsMinutes, rounds } from '../support/rounds.ts';
import { type Reply, upstream } from '../support/upstream.ts';
import { startService } from './load/service.ts';

const acme: Reply = { body: { name: 'ACME' } };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function setup(reply: (path: string, nth: number) => Reply) {
  const server = await upstream(reply);
  const http = createHttpClient({ source: 'receita_federal', concurrency: 16, now: Date.now, random: Math.random, log: memoryLog().log });
  onTestFinished(() => http.close());
  const get = (deadlineMs = 2_000) => http.get(new URL(`${server.url}/x`), { deadlineMs, read: (answer) => JSON.parse(answer.text) });
  return { server, http, get };
}

/** Calls at `perSecond` for `seconds`; returns the number of successful calls. */
async function load(get: () => Promise<unknown>, perSecond: number, seconds: number): Promise<number> {
  const calls: Promise<boolean>[] = [];
  for (let i = 0; i < perSecond * seconds; i += 1) {
    calls.push(
      get().then(
        () => true,
        () => false,
      ),
    );
    await pause(1_000 / perSecond);
  }
  return (await Promise.all(calls)).filter(Boolean).length;
}

describe('a source under stress', () => {
  it('UP-01 is reported as unavailable for each corrupt gzip answer, without an open request at the end', async () => {
    const corrupt = gzipSync('{"name":"ACME LTDA ACME LTDA ACME LTDA"}');
    corrupt.fill(7, 12, 24);
    const bodies = [corrupt, corrupt.subarray(0, 20)];
    const { get, server } = await setup((_, nth) => (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', connection: 'close' }).end(bodies[nth % 2]);
    });
    for (let i = 0; i < rounds(1_000); i += 1) {
      const started = performance.now();
      await expect(get()).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
      expect(performance.now() - started).toBeLessThan(2_250);
    }
    await expect.poll(server.open, { timeout: 1_000 }).toBe(0);
  });

  // A circuit rests for 30 s; test/sources/circuit-shared.test.ts proves it with a shorter rest.
  it('UP-06 UP-07 gets at most 40 calls while it fails, and its circuit closes within 35 s of its recovery', needsMinutes, async () => {
    let up = false;
    const { get, server, http } = await setup(() => (up ? acme : { status: 500, body: '' }));
    const seconds = rounds(60);
    await load(get, 50, seconds);
    expect(server.asked.length).toBeLessThanOrEqual(40);
    up = true;
    const recovered = performance.now();
    while (http.health().circuit !== 'closed' && performance.now() - recovered < 36_000) {
      await get().catch(() => pause(200));
    }
    expect(performance.now() - recovered).toBeLessThan(35_000);
  });

  it('UP-06 answers 99.9 % of calls when one in twenty fails, with at most 10 % extra calls', async () => {
    const { get, server } = await setup((_, nth) => (nth % 20 === 0 ? { status: 500, body: '' } : acme));
    const calls = rounds(60) * 50;
    const answered = await load(get, 50, calls / 50);
    expect(answered / calls).toBeGreaterThanOrEqual(0.999);
    expect(server.asked.length).toBeLessThanOrEqual(calls * 1.1);
  });
});

it('UP-09 three processes make one call each for 500 equal requests at once, and give 500 equal answers', async () => {
  const { upstreams, processes, newKey } = await startService({ processes: 3 });
  const keys = await Promise.all(Array.from({ length: 10 }, newKey));
  const ask = async (scenario: string, n: number): Promise<string> => {
    const headers = { 'x-api-key': keys[n % keys.length]?.key ?? '', 'content-type': 'application/json' };
    const body = JSON.stringify({ identifier: companyByScenario(scenario).cnpj, country: 'BR' });
    const answer = await fetch(`${processes[n % 3]?.url}/v1/kyb`, { method: 'POST', headers, body });
    return `${answer.status} ${await answer.text()}`;
  };
  for (const n of [0, 1, 2]) await ask('status-unfit', n); // each process asks for the date of the registry's copy, once for all companies
  upstreams.faults.set('receita_federal', { mode: 'slow', ms: 500 });
  const before = upstreams.requestsTo('receita_federal').length;
  const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => ask('clean', n)));
  expect([...new Set(answers)]).toEqual([expect.stringMatching(/^200 .*"status":"active"/)]);
  expect(upstreams.requestsTo('receita_federal').length - before).toBeLessThanOrEqual(3);
});
