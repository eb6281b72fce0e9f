import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/domain/time.ts';
import { type ListSyncOptions, startListSync } from '../../src/jobs/sync-lists.ts';
import type { Registry } from '../../src/sources/registry/registry.ts';
import type { SyncResult } from '../../src/sources/source.ts';
import { personOf, type Toy, toyCsv, toyRegistry, toyRows, toySpec } from '../sources/toy-list.ts';
import { testDb } from '../support/db.ts';
import { tempFolder } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { upstream } from '../support/upstream.ts';

const version = { id: '1', publishedOn: null, loadedAt: 0, checkedAt: 0, entries: 1, rowsUnmatched: 0, checksum: '' };
const loaded: SyncResult = { outcome: 'loaded', version };
/** How long to wait for what is due in a moment, on a busy machine. */
const PATIENCE_MS = 10 * SECOND_MS;
const failed: SyncResult = { outcome: 'refused', reason: 'timeout' };

interface Script {
  readonly everyMs?: number;
  /** Result of the nth sync, after any time. */
  readonly syncResult?: (nth: number, signal: AbortSignal | undefined) => Promise<SyncResult> | SyncResult;
}

/** A list whose syncs do nothing but count. */
function scripted({ everyMs = HOUR_MS, syncResult = () => loaded }: Script = {}) {
  const seen = { syncs: [] as number[], refreshes: 0 };
  const registry: Registry<Toy> = {
    spec: { ...toySpec, everyMs },
    name: toySpec.name,
    everyMs,
    view: () => Promise.reject(new Error('this list has no views')),
    viewVersion: () => null,
    lookup: () => Promise.reject(new Error('not asked here')),
    status: () => Promise.reject(new Error('not asked here')),
    version: () => null,
    refresh: async () => {
      seen.refreshes += 1;
    },
    async sync({ signal } = {}) {
      seen.syncs.push(performance.now());
      return syncResult(seen.syncs.length, signal);
    },
  };
  return { registry, seen };
}

function start(registries: readonly Registry<Toy>[], options: Partial<ListSyncOptions> = {}) {
  const { log, lines } = memoryLog();
  const sync = startListSync(registries, { log, random: () => 0.5, ...options });
  onTestFinished(() => sync.stop());
  return { ...sync, lines };
}

/** Stops the clock for one test; the returned function moves it on by a number of ms. */
function handClock(): (ms: number) => Promise<unknown> {
  vi.useFakeTimers({ fakeNodeBuiltins: true });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.advanceTimersByTimeAsync(ms);
}

/** Times → ms since the first of them. */
const sinceFirst = (times: readonly number[]): readonly number[] => times.map((time) => Math.round(time - (times[0] ?? time)));

describe('the first round', () => {
  it('tries every list once, all side by side, whatever comes of it', async () => {
    let underWay = 0;
    let most = 0;
    const outcomes: SyncResult[] = [loaded, failed, { outcome: 'busy' }, loaded];
    const lists = outcomes.map((outcome) =>
      scripted({
        syncResult: async () => {
          underWay += 1;
          most = Math.max(most, underWay);
          await sleep(30);
          underWay -= 1;
          return outcome;
        },
      }),
    );
    const broken = scripted({ syncResult: () => Promise.reject(new Error('ours')) });
    const { firstRound, tried } = start([...lists, broken].map(({ registry }) => registry));
    expect(tried()).toBe(false);
    await firstRound;
    expect(tried()).toBe(true);
    expect(most).toBe(4);
    expect([...lists, broken].map(({ seen }) => seen.syncs.length)).toEqual([1, 1, 1, 1, 1]);
  });

  it('is over after ten seconds where a publisher hangs or a large copy is still loading, which goes on', async () => {
    const pass = handClock();
    const large = scripted({ syncResult: () => sleep(30 * SECOND_MS, loaded) });
    const { firstRound, tried } = start([large.registry, scripted().registry]);
    await pass(9 * SECOND_MS);
    expect(tried()).toBe(false);
    await pass(SECOND_MS);
    await firstRound;
    expect(tried()).toBe(true);
    await pass(15 * SECOND_MS);
    expect(large.seen.syncs).toHaveLength(1);
    await pass(10 * SECOND_MS); // stopping waits for it
  });

  it('is over at once where there are no lists', async () => {
    await expect(start([]).firstRound).resolves.toBeUndefined();
  });
});

describe('later rounds', () => {
  it('come every everyMs, with jitter', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: 100 });
    start([registry], { random: () => 0 });
    await pass(430);
    expect(sinceFirst(seen.syncs)).toEqual([0, 90, 180, 270, 360]);
  });

  it('come as often as the operator says', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: HOUR_MS });
    start([registry], { intervalMs: 50 });
    await pass(180);
    expect(sinceFirst(seen.syncs)).toEqual([0, 50, 100, 150]);
  });

  it('come no later than usual after a failure', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: 50, syncResult: (nth) => (nth < 3 ? failed : loaded) });
    start([registry]);
    await pass(180);
    expect(sinceFirst(seen.syncs)).toEqual([0, 50, 100, 150]);
  });

  it('come a minute after a failure, then two, then four, instead of in six hours', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: 6 * HOUR_MS, syncResult: () => failed });
    start([registry]);
    await pass(8 * MINUTE_MS);
    expect(sinceFirst(seen.syncs)).toEqual([0, MINUTE_MS, 3 * MINUTE_MS, 7 * MINUTE_MS]);
  });

  it('come as soon after a sync that could not load another file of the list, until it could', async () => {
    const pass = handClock();
    const syncResult = (nth: number): SyncResult => (nth < 4 ? { ...loaded, isIncomplete: true } : loaded);
    const { registry, seen } = scripted({ everyMs: 6 * HOUR_MS, syncResult });
    start([registry]);
    await pass(5 * HOUR_MS);
    expect(sinceFirst(seen.syncs)).toEqual([0, MINUTE_MS, 3 * MINUTE_MS, 7 * MINUTE_MS]);
  });

  it('come a minute after a list failed, however often another of its files had failed before', async () => {
    const pass = handClock();
    const syncResult = (nth: number): SyncResult => (nth < 4 ? { ...loaded, isIncomplete: true } : nth === 4 ? failed : loaded);
    const { registry, seen } = scripted({ everyMs: 6 * HOUR_MS, syncResult });
    start([registry]);
    await pass(5 * HOUR_MS);
    expect(sinceFirst(seen.syncs)).toEqual([0, 1, 3, 7, 8].map((minutes) => minutes * MINUTE_MS));
  });

  it('leave a publisher alone for as long as it asked', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: 20, syncResult: () => ({ ...failed, retryAfterMs: 250 }) });
    start([registry], { random: () => 0 });
    await pass(300);
    expect(sinceFirst(seen.syncs)).toEqual([0, 250]);
  });

  it('never stop for a list that breaks', async () => {
    const pass = handClock();
    const { registry, seen } = scripted({ everyMs: 20, syncResult: () => Promise.reject(new Error('ours')) });
    const { lines } = start([registry]);
    await pass(100);
    expect(seen.syncs.length).toBeGreaterThan(2);
    expect(lines[0]).toMatchObject({ list: 'CEIS', msg: 'a list sync failed unexpectedly' });
  });
});

describe('the refresh of the current version', () => {
  it('is taken again and again', async () => {
    const pass = handClock();
    const { registry, seen } = scripted();
    start([registry], { refreshMs: 20 });
    await pass(90);
    expect(seen.refreshes).toBe(4);
  });

  it('finds the version that another process loaded, and survives a database that fails', async () => {
    const db = await testDb();
    const tempDir = await tempFolder();
    const { url } = await upstream(() => ({ body: toyCsv(toyRows(60)) }));
    const here = toyRegistry({ db: db.knex, tempDir, url: 'file:///nowhere.csv', spec: { name: 'CNEP' } });
    const watching = toyRegistry({ db: db.knex, tempDir, url });
    const { firstRound, lines } = start([here, Object.assign(watching, { sync: async () => failed })], { refreshMs: 20 });
    await firstRound;
    expect(watching.version()).toBeNull();
    await toyRegistry({ db: db.knex, tempDir, url }).sync();
    await expect.poll(() => watching.version(), { timeout: PATIENCE_MS }).toMatch(/^\d+$/);
    await db.close();
    const lastLine = () => lines.at(-1);
    await expect.poll(lastLine, { timeout: PATIENCE_MS }).toMatchObject({ msg: 'the current versions of the lists could not be read' });
  });
});

describe('stopping', () => {
  it('cancels running syncs and waits for them', async () => {
    let ended = false;
    const { registry, seen } = scripted({
      everyMs: 10,
      syncResult: async (_, signal) => {
        await sleep(60_000, undefined, { signal }).catch(() => undefined);
        await sleep(50);
        ended = true;
        return { outcome: 'refused', reason: 'stopped' };
      },
    });
    const { stop, firstRound } = start([registry, scripted().registry, scripted().registry]);
    await expect.poll(() => seen.syncs).toHaveLength(1);
    await stop();
    expect(ended).toBe(true);
    await firstRound;
    await sleep(50);
    expect(seen.syncs).toHaveLength(1);
  });

  it('leaves a real download promptly', async () => {
    const db = await testDb();
    onTestFinished(() => db.close());
    const { url, asked } = await upstream(() => (_, response) => void response.writeHead(200).write('ID;'));
    const list = toyRegistry({ db: db.knex, tempDir: await tempFolder(), url });
    const { stop } = start([list]);
    while (asked.length === 0) await sleep(10);
    const start0 = performance.now();
    await stop();
    expect(performance.now() - start0).toBeLessThan(2_000);
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});
