import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { simulators } from '../../../sandbox/upstreams/index.ts';
import { createKeys } from '../../../src/auth/api-keys/keys.ts';
import { MODULES } from '../../../src/domain/catalogue.ts';
import { addressesOn, sandboxSettings } from '../../support/app-with-faults.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { memoryLog } from '../../support/log.ts';
import { dataFolder, run } from '../../support/process.ts';

const SECRET = 'the-secret-of-the-load-tests';
/** Limits are checked, and above what a test sends. */
const PLANS = JSON.stringify({
  standard: {
    compliance_br: { rate: { perMinute: 1_000_000, burst: 1_000_000 } },
    graphql: { perMinute: 100_000_000, burst: 100_000_000 },
  },
});

export interface ServiceOptions {
  readonly processes?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** DATABASE_DIRECT_URL for the address of the database; not set by default. */
  readonly directUrl?: (databaseUrl: string) => Promise<string>;
  /** A database that the caller closes; one of the test server unless given. The processes may reach it at another address than the test. */
  readonly database?: Pick<TestDb, 'url' | 'knex'>;
}

/** Processes of the service on one database, for one test. Upstreams are simulated in the process of the test. */
export async function startService({ processes = 1, env = {}, directUrl, database }: ServiceOptions = {}) {
  const db = database ?? (await databaseOfTest());
  const direct = directUrl && { DATABASE_DIRECT_URL: await directUrl(db.url) };
  const upstreams = await startSandbox({ simulators, log: memoryLog().log });
  onTestFinished(() => upstreams.close());
  const usageDir = await dataFolder();
  /** @param own settings of this process alone */
  async function startProcess(own: Readonly<Record<string, string>> = {}) {
    const { child, printed, err, ended } = run('src/main.ts', [], {
      DATABASE_URL: db.url,
      ...direct,
      QUIPU_DATA_DIR: await dataFolder(),
      QUIPU_USAGE_DIR: usageDir,
      QUIPU_KEY_SECRET: SECRET,
      QUIPU_SOURCES: 'live',
      QUIPU_PLANS: PLANS,
      QUIPU_ROLES: 'server',
      PORT: '0',
      LOG_LEVEL: 'error',
      ...addressesOn(upstreams.url),
      ...sandboxSettings(),
      ...env,
      ...own,
    });
    const [, url = ''] = await printed(/answers at (\S+)/);
    return { child, pid: child.pid ?? 0, url, err, ended };
  }
  const keys = createKeys({ db: db.knex, now: Date.now, secret: SECRET });
  return {
    db: db.knex,
    upstreams,
    processes: await Promise.all(Array.from({ length: processes }, () => startProcess())),
    startProcess,
    keys,
    newKey: () => keys.create({ name: 'load', modules: MODULES }),
  };
}

async function databaseOfTest(): Promise<TestDb> {
  const db = await testDb();
  onTestFinished(() => db.close());
  return db;
}

/** Calls `work` so many times a second until `isOver`, whether earlier calls have settled or not. Settles when all of them have. */
export async function paced<T>(perSecond: number, isOver: () => boolean, work: () => Promise<T>): Promise<readonly T[]> {
  const startedAt = performance.now();
  const calls: Promise<T>[] = [];
  while (!isOver()) {
    calls.push(work());
    await sleep(Math.max(0, startedAt + (calls.length / perSecond) * 1_000 - performance.now()));
  }
  return Promise.all(calls);
}

/** Requests of one kind. */
export interface Load {
  readonly url: string;
  readonly key: string;
  readonly body: object;
  readonly connections: number;
  readonly seconds: number;
}

/** What the load generator measured. */
export interface Measured {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures: number;
}

export async function measure({ url, key, body, connections, seconds }: Load): Promise<Measured> {
  const times: number[] = [];
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const load = autocannon({ url, method: 'POST', headers, body: JSON.stringify(body), connections, duration: seconds, sampleInt: 50 });
  load.on('response', (_client, _status, _bytes, ms) => times.push(ms));
  const { non2xx, errors } = await load;
  return { perSecond: times.length / seconds, p99Ms: quantile(times, 0.99), failures: non2xx + errors };
}

export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

/** Slope of the straight line that fits these points best. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Resident memory of a process, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  return 1_024 * Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

/** Number of open files and sockets of a process. */
export const openFiles = async (pid: number): Promise<number> => (await readdir(`/proc/${pid}/fd`)).length;
