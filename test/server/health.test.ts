import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import type { DatabaseState } from '../../src/db/watch.ts';
import { mountHealth, type Readiness } from '../../src/server/health.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** Returns the status code and the document of /readyz under these conditions. */
async function readyz(state: DatabaseState, conditions: Partial<Readiness> = {}, isDraining = false) {
  const server = fastify();
  onTestFinished(() => server.close());
  mountHealth(
    server,
    {
      migrated: () => true,
      database: () => state,
      listsTried: () => true,
      jobsRun: () => true,
      notes: () => [],
      schemaProblem: null,
      ...conditions,
    },
    () => isDraining,
  );
  const answer = await server.inject('/readyz');
  return [answer.statusCode, answer.json().status, answer.json().details.length];
}

const here = { isAvailable: true, respondedMsAgo: 400, failedMsAgo: NEVER };
const away = (respondedMsAgo: number) => ({ isAvailable: false, respondedMsAgo, failedMsAgo: 400 });

it('SC-06 a process is ready while the database responds', async () => {
  expect(await readyz(here)).toEqual([200, 'ready', 0]);
});

it.each([
  [0, 200, 'degraded', 1],
  [29_999, 200, 'degraded', 1],
  [30_000, 503, 'not_ready', 0],
  [NEVER, 503, 'not_ready', 0],
])('SC-06 DB-10 a process whose database responded %s ms ago is %s %s', async (ms, code, status, details) => {
  expect(await readyz(away(ms))).toEqual([code, status, details]);
});

it('SC-06 a degraded process is not ready for any other reason', async () => {
  expect(await readyz(away(1_000), { listsTried: () => false })).toEqual([503, 'not_ready', 0]);
  expect(await readyz(away(1_000), { migrated: () => false })).toEqual([503, 'not_ready', 0]);
  expect(await readyz(away(1_000), { schemaProblem: 'A newer version has migrated it.' })).toEqual([503, 'not_ready', 1]);
  expect(await readyz(away(1_000), {}, true)).toEqual([503, 'not_ready', 0]);
});

it('SC-06 a failed job queue makes a process unready, but not in the 30 s after the database was away', async () => {
  const jobsRun = () => false;
  expect(await readyz(here, { jobsRun })).toEqual([503, 'not_ready', 0]);
  expect(await readyz(away(1_000), { jobsRun })).toEqual([200, 'degraded', 1]);
  expect(await readyz({ ...here, failedMsAgo: 29_999 }, { jobsRun })).toEqual([200, 'degraded', 1]);
  expect(await readyz({ ...here, failedMsAgo: 30_000 }, { jobsRun })).toEqual([503, 'not_ready', 0]);
});
