import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as checks from '../../bench/checks/contenders.ts';
import * as compliance from '../../bench/compliance/contenders.ts';
import { complianceOf, MOMENTS } from '../../bench/compliance/questions.ts';
import { requireEqualAnswers } from '../../bench/harness/answers.ts';
import { type Contender, type Started, startAll, targetOf } from '../../bench/harness/contender.ts';
import { interleave } from '../../bench/harness/interleave.ts';
import type { LoadRequest } from '../../bench/harness/load.ts';
import { type RunningServer, startServer } from '../../bench/harness/server.ts';
import type { Stage } from '../../bench/harness/stage.ts';
import { createLog } from '../../src/app/log.ts';
import { attachOrStart } from '../../src/db/embedded.ts';

/** The servers that do the same work by hand, beside ours, as the benchmarks start them. */

const root = path.resolve(import.meta.dirname, '../..');
const UNPINNED = [{ name: 'unpinned', load: [], apply: () => undefined }] as const;
const SHORT = {
  rounds: 1,
  seconds: 1,
  warmupSeconds: 0,
  connections: 4,
  rows: 1,
  establishments: 1,
  companies: 1,
  subscribers: 1,
  outageSeconds: 1,
};
const FEW = 50;

const node = (...args: readonly string[]) => spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
const running: RunningServer[] = [];
let dir: string;
let db: pg.Client;
let ours: Started;
let rest: Started;
let graphql: Started;

async function start(contender: Contender): Promise<Started> {
  const stage: Stage = {
    dir,
    start: async (plan) => {
      const server = await startServer(plan, [], dir);
      running.push(server);
      return server;
    },
  };
  const [started] = await startAll(stage, [contender], () => undefined);
  if (!started) throw new Error('not started');
  return started;
}

beforeAll(async () => {
  expect(node('run.js').status).toBe(0); // the servers load the compiled files of the service, as in a benchmark
  dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-'));
  const [dataDir, preparedDir] = [path.join(dir, 'data'), path.join(dir, 'prepared')];
  const registry = await startServer({ name: 'registry', script: 'bench/servers/registry.ts', env: {}, readyPath: '/updated' }, [], dir);
  running.push(registry);
  const shared = { dataDir, registryUrl: registry.url };
  ours = await start(compliance.quipu(shared));
  await checks.prepare([checks.consolidated, ...checks.singleChecks], onRest(ours), preparedDir);
  rest = await start(checks.byHand(preparedDir, { QUIPU_DATA_DIR: dataDir }));
  graphql = await start(compliance.byHand(shared));
  await compliance.fillCaches(FEW, [ours, graphql]);
  db = new pg.Client((await attachOrStart(dataDir, { log: createLog({ logLevel: 'warn' }) })).url);
  await db.connect();
}, 300_000);
afterAll(async () => {
  await db?.end();
  for (const server of running.toReversed()) await server.stop();
  await rm(dir, { recursive: true, force: true });
}, 120_000);

/** Our server, to be asked over REST. */
const onRest = ({ contender, ...started }: Started): Started => ({
  ...started,
  contender: { ...contender, pathOf: ({ name }) => `/v1/${name}` },
});

const post = ({ url, headers, body }: LoadRequest, more: Readonly<Record<string, string>> = {}) =>
  fetch(url, { method: 'POST', headers: { ...headers, ...more }, body });

const usageOf = async (requestId: string | null) =>
  (await db.query('SELECT quantity FROM hand_written.usage WHERE request_id = $1', [requestId])).rows;
const usageRows = async (): Promise<number> => (await db.query('SELECT count(*)::int AS rows FROM hand_written.usage')).rows[0].rows;

describe('the same work by hand', () => {
  it.each([checks.consolidated, ...checks.singleChecks])('answers $title as we do', async (question) => {
    await requireEqualAnswers([onRest(ours), rest].map(targetOf(question)), checks.MOMENTS);
  });

  it.each([1, FEW])('answers the compliance query for %d companies as we do', async (companies) => {
    await requireEqualAnswers([ours, graphql].map(targetOf(complianceOf(companies))), MOMENTS);
  });

  it('commits a usage row for each answer before it is sent, with the number of companies', async () => {
    const requests = [
      { request: targetOf(checks.consolidated)(rest).request, quantity: 1 },
      { request: targetOf(complianceOf(1))(graphql).request, quantity: 1 },
      { request: targetOf(complianceOf(FEW))(graphql).request, quantity: FEW },
    ];
    for (const { request, quantity } of requests) {
      const answer = await post(request);
      expect(answer.status).toBe(200);
      expect(await usageOf(answer.headers.get('x-request-id'))).toEqual([{ quantity }]);
    }
  });

  it.each(['REST', 'GraphQL'])('refuses an unknown key over %s, and counts nothing', async (api) => {
    const { request } = api === 'REST' ? targetOf(checks.consolidated)(rest) : targetOf(complianceOf(1))(graphql);
    const answer = await post(request, { 'x-api-key': 'sk_unknown' });
    expect(answer.status).toBe(401);
    expect(await usageOf(answer.headers.get('x-request-id'))).toEqual([]);
  });

  it('refuses requests above the limit of a key, and writes one line of log for each request', async () => {
    const { contender } = rest;
    const limited = await start({ ...contender, name: 'limited', env: { ...contender.env, BENCH_RATE_PER_MINUTE: '2' } });
    const { request } = targetOf(checks.consolidated)(limited);
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await post(request));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(await usageOf(answers[2]?.headers.get('x-request-id') ?? null)).toEqual([]);
    const lines = async () => (await readFile(path.join(dir, 'limited.log'), 'utf8')).trim().split('\n');
    for (const { headers, status } of answers)
      await expect
        .poll(async () => (await lines()).filter((line) => line.includes(headers.get('x-request-id') ?? '?')))
        .toEqual([expect.stringContaining(`"status":${status}`)]);
  });

  it('counts every answer of a short run, and tells its CPU time from that of Postgres', async () => {
    for (const target of [targetOf(checks.consolidated)(rest), targetOf(complianceOf(1))(graphql)]) {
      const before = await usageRows();
      const [measured] = await interleave([target], UNPINNED, SHORT, () => undefined);
      const [run] = measured?.runs ?? [];
      // The generator breaks off the requests that are in progress at its end.
      const counted = (await usageRows()) - before;
      expect(counted).toBeGreaterThanOrEqual(run?.answers ?? Number.NaN);
      expect(counted).toBeLessThanOrEqual((run?.answers ?? 0) + SHORT.connections);
      expect(run?.serverCpuUs).toBeGreaterThan(0);
      expect(run?.postgresCpuUs).toBeGreaterThan(0);
    }
  });
});

it('the bench away ends with all answers counted, whatever share of requests is answered', () => {
  const args = ['away', '--rounds', '1', '--warmup', '1', '--seconds', '1', '--outage', '2', '--json'];
  const { status, stdout, stderr } = node('--import', 'tsx', 'bench/run.ts', ...args);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const { accounts, runs } = JSON.parse(stdout);
  expect(Object.keys(runs)).toEqual(['frozen', 'stopped']);
  for (const outage of ['frozen', 'stopped'])
    for (const server of ['quipu', 'same work by hand']) {
      expect(accounts[outage][server]).toEqual([expect.objectContaining({ uncounted: 0, countedTwice: 0 })]);
      expect(accounts[outage][server][0].answers).toBeGreaterThan(0);
    }
}, 300_000);
