import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { compositionRows } from '../../../sandbox/upstreams/cl-ownership.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { CompanyKey } from '../../../src/domain/company.ts';
import { SECOND_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { clOwnership } from '../../../src/sources/cl-ownership/source.ts';
import { fileOf, onDisk } from '../../sources/cl-ownership/support.ts';
import type { TestApp } from '../../support/app.ts';
import { dataFolder, nodeArguments } from '../../support/process.ts';
import { appWithChile } from '../tax-health/chile.ts';
import { changeLog, deleteMonitors, watch } from './support.ts';

const CHILD = path.join(import.meta.dirname, 'check-child.ts');
const NEVER = new AbortController().signal;
/** Time after which another process may claim the companies of a killed one, and a second more. */
const LEASE_MS = 41 * SECOND_MS;

const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const keyOf = (scenario: string): CompanyKey => ({ country: 'CL', taxId: rut(scenario) });
const WATCHED = ['cl-medium', 'cl-large'] as const;

const clock = { aheadMs: 0 };
let app: TestApp;
beforeAll(async () => {
  app = await appWithChile({ now: () => Date.now() + clock.aheadMs });
}, 120_000);
afterAll(() => app.close());
beforeEach(() => {
  clock.aheadMs = 0;
});

/** Loads a file of owners. Equal files differ by an empty line, because a file with a known checksum is not loaded. */
let files = 0;
async function load(rows: readonly string[]): Promise<void> {
  files += 1;
  const file = await onDisk(fileOf([...rows, ...Array.from({ length: files }, () => '')]));
  expect(await app.sources.use(clOwnership).sync({ files: [file], force: true })).toMatchObject({ outcome: 'loaded' });
}

/** The rows of the file with another share of an owner of each watched company. */
const changedRows = (): readonly string[] => {
  const numbers = WATCHED.map((scenario) => `${rut(scenario).slice(0, -1)};`);
  return compositionRows.map((row) => {
    const isFirst = numbers.some((number) => row.startsWith(number)) && !row.includes(';Personas Naturales;');
    return isFirst ? row.replace(/;[\d,.]+$/, ';12,5') : row;
  });
};

/** Starts a process that stands still at a point of the check of Chilean companies, and waits until it is ready to begin. */
async function startChild(point: string) {
  const child = spawn(
    process.execPath,
    [...nodeArguments(CHILD), app.db.client.config.connection.connectionString, await dataFolder(), point],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await expect.poll(() => out, { timeout: 90_000 }).toContain('ready\n');
  return { child, isThere: () => out.endsWith('there\n') };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const check = () => app.open(monitorService).checks.check('CL', NEVER);
const reported = async () => (await changeLog(app.db)).map(({ company }) => company.taxId).toSorted();

describe('a process that is killed (kill -9) while it checks Chilean companies whose owners changed', () => {
  it.each([
    ['the claim', []],
    ['the observation', []],
    ['the change, before its commit', []],
    ['the end of the check', WATCHED.map(rut).toSorted()],
  ])(
    'after %s: another process takes over its companies when the lease has expired, and each change is reported once',
    async (point, reportedByKilled) => {
      const { child, isThere } = await startChild(point);
      await load(compositionRows);
      await deleteMonitors(app.db);
      await watch(app.db, WATCHED.map(keyOf), { recordNews: true });
      await check();
      expect(await reported()).toEqual([]);
      await load(changedRows());
      await app.open(monitorService).checks.tick();

      child.stdin.write('\n');
      await expect.poll(isThere, { timeout: 30_000 }).toBe(true);
      const { leased } = (await app.db('watched_companies').whereNotNull('lease').count({ leased: '*' }).first()) ?? {};
      expect(Number(leased)).toBe(reportedByKilled.length === 0 ? WATCHED.length : 0);
      await kill(child);
      await check();
      expect(await reported()).toEqual(reportedByKilled);

      clock.aheadMs = LEASE_MS;
      // Postgres gives the rows of the killed process free when it notices the end of its connection.
      const checkedAgain = () => check().then(reported);
      await expect.poll(checkedAgain, { timeout: 20_000 }).toEqual(WATCHED.map(rut).toSorted());
      await app.db('watched_companies').update({ due_at: new Date() });
      await check();
      expect(await reported()).toEqual(WATCHED.map(rut).toSorted());
      expect(await app.db('deliveries')).toHaveLength(WATCHED.length);
      expect(await app.db('watched_companies').whereNotNull('lease')).toEqual([]);
    },
    180_000,
  );
});
