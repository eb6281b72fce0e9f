import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sourceUnavailable } from '../../../src/domain/errors.ts';
import { DownloadFailure } from '../../../src/sources/registry/download-transfer.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { full, marketplace, month, question } from './core-publisher.ts';
import { orderRow } from './core-toy.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(() => db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes'));

const ten = Array.from({ length: 10 }, (_, i) => `${i}`);

describe('a sync of an index', () => {
  it('loads the other slices when one fails, and logs the failure', async () => {
    const { index, closed, lines } = marketplace(db.knex, {
      ...full(),
      'orders/2026-10': { tag: 'cut', rows: [orderRow('half')], cut: new ListFileError('the last row is cut') },
    });
    expect(await index.sync()).toMatchObject({ outcome: 'refused', reason: 'not_a_list', why: expect.any(String) });
    expect(closed).toHaveLength(8);
    expect((await index.orders([question])).coverage).toMatch('2026-08 to 2026-09, 2026-11');
    expect(await index.status()).toMatchObject({ lastError: 'not_a_list', usable: true });
    expect(lines).toContainEqual(expect.objectContaining({ slice: 'orders/2026-10', reason: 'not_a_list', why: 'the last row is cut' }));
  });

  it('stops after three consecutive failures', async () => {
    const failure = new DownloadFailure('status_503', 'answered 503', { retryAfterMs: 60_000 });
    const { index, asked } = marketplace(db.knex, Object.fromEntries(Object.keys(full()).map((name) => [name, failure])));
    expect(await index.sync()).toEqual({ outcome: 'refused', reason: 'download_failed', retryAfterMs: 60_000 });
    expect(asked).toHaveLength(3);
  });

  it.each([
    ['an upstream that cannot be read', sourceUnavailable('pncp', 'status 500', 30), 'download_failed', 30_000],
    ['a fault of ours', new TypeError('undefined is not a function'), 'load_failed', undefined],
    ['a slow download', new DownloadFailure('timeout', 'not complete'), 'timeout', undefined],
  ])('returns the reason of a failure: %s', async (_, failure, reason, retryAfterMs) => {
    const { index } = marketplace(db.knex, { 'orders/2026-11': failure });
    expect(await index.sync()).toMatchObject({ outcome: 'refused', reason });
    expect((await index.sync()) as object).toHaveProperty('retryAfterMs', retryAfterMs);
  });

  it.each([
    ['more than a tenth fewer rows', ten.slice(0, 8), 'shrunk'],
    ['no row at all', [], 'empty'],
  ])('rejects a slice with %s than before, and keeps the old one', async (_, codes, reason) => {
    const { index, published } = marketplace(db.knex, { 'orders/2026-11': month('a', ...ten) });
    await index.sync();
    published['orders/2026-11'] = month('b', ...codes);
    expect(await index.sync()).toMatchObject({ outcome: 'refused', reason });
    expect((await index.orders([question])).pages[0]?.total).toBe(10);
  });

  it('accepts fewer rows with force, and never an empty slice', async () => {
    const { index, published } = marketplace(db.knex, { 'orders/2026-11': month('a', ...ten) });
    await index.sync();
    published['orders/2026-11'] = month('b', '1');
    expect(await index.sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    published['orders/2026-11'] = month('c');
    expect(await index.sync({ force: true })).toMatchObject({ outcome: 'refused', reason: 'empty' });
  });

  it('accepts an empty slice only when the plan allows empty slices', async () => {
    const strict = marketplace(db.knex, { 'orders/2026-11': month('a') });
    expect(await strict.index.sync()).toMatchObject({ outcome: 'refused', reason: 'empty' });
    const lenient = marketplace(db.knex, { 'orders/2026-11': month('a') }, { mayBeEmpty: true });
    expect(await lenient.index.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 0 } });
  });

  it('returns busy while another sync runs', async () => {
    const pending = Promise.withResolvers<void>();
    const { index } = marketplace(db.knex, {}, { open: () => pending.promise.then(() => 'absent' as const) });
    const first = index.sync();
    while (
      (
        await db.knex.raw(
          `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).rows[0].n === 0
    );
    expect(await index.sync()).toEqual({ outcome: 'busy' });
    pending.resolve();
    await first;
  });

  it('can be cancelled, and does not record that as a failure', async () => {
    const stop = new AbortController();
    const { index } = marketplace(db.knex, full(), {
      async open() {
        stop.abort();
        return 'absent';
      },
    });
    expect(await index.sync({ signal: stop.signal })).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect(await index.sync({ signal: AbortSignal.abort() })).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect((await index.status()).lastError).toBeNull();
  });

  it('loads local files', async () => {
    const toy = marketplace(db.knex, full());
    const { index } = marketplace(db.knex, full(), {
      openFile: async (path) => ({ slice: `orders/${path}`, ...toy.reading(`orders/${path}`, 'file', [orderRow('brought')]) }),
    });
    expect(await index.sync({ files: ['2026-11'] })).toMatchObject({ outcome: 'loaded', version: { entries: 1 } });
    expect(await toy.index.sync({ files: ['2026-11'] })).toMatchObject({ outcome: 'refused' });
  });

  it('returns and logs a failure that cannot be recorded', async () => {
    const gone = await testDb();
    await gone.close();
    const { index, lines } = marketplace(gone.knex, full());
    expect(await index.sync()).toMatchObject({ outcome: 'refused', reason: 'load_failed' });
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'a failed load could not be recorded' }));
  });
});
