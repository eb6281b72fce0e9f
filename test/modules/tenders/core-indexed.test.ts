import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDb } from '../../../src/db/knex.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/time.ts';
import { coverageMessages } from '../../../src/messages/coverage.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { full, marketplace, month, question, TODAY } from './core-publisher.ts';
import { orderRow } from './core-toy.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(() => db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes'));

describe('an index of orders and awards', () => {
  it('is loaded from the newest month back, and answers with its coverage', async () => {
    const { index, asked, closed } = marketplace(db.knex, full());
    const result = await index.sync();
    expect(result).toMatchObject({ outcome: 'loaded', version: { entries: 9, publishedOn: '2026-11-28', checkedAt: TODAY } });
    expect(asked.map(([name]) => name)).toEqual(
      Object.keys(full()).sort((a, b) => b.slice(7).localeCompare(a.slice(7)) || b.localeCompare(a)),
    );
    expect(closed).toHaveLength(8);
    expect(await index.orders([question])).toMatchObject({
      pages: [{ total: 5, hasMore: false }],
      coverage: 'Orders of 2026-08 to 2026-11 are indexed.',
      publishedOn: '2026-11-28',
      checkedAt: TODAY,
      goodUntil: TODAY + 3 * DAY_MS,
    });
    expect(await index.awards([question])).toMatchObject({
      pages: [{ total: 4 }],
      coverage: 'Awards of 2026-08 to 2026-11 are indexed.',
    });
  });

  it('reloads only changed slices', async () => {
    const { index, published, asked, clock } = marketplace(db.knex, full());
    await index.sync();
    clock.now += HOUR_MS;
    expect(await index.sync()).toMatchObject({ outcome: 'unchanged', version: { checkedAt: TODAY + HOUR_MS, loadedAt: TODAY } });
    published['orders/2026-09'] = month('sep, again', '4', '6');
    const version = index.version();
    expect(await index.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 10 } });
    expect(asked.slice(8, 16).every(([, tag]) => tag)).toBe(true);
    expect(index.version()).not.toBe(version);
  });

  it('reloads slices of another schema version', async () => {
    await marketplace(db.knex, full()).index.sync();
    const { index, asked } = marketplace(db.knex, full(), { schemaVersion: 2 });
    expect(await index.sync()).toMatchObject({ outcome: 'loaded' });
    expect(asked.every(([, tag]) => tag === undefined)).toBe(true);
  });

  it('has a version after a refresh, and none before the first load', async () => {
    const { index } = marketplace(db.knex, full());
    await index.refresh();
    expect(index.version()).toBeNull();
    await marketplace(db.knex, full()).index.sync();
    await index.refresh();
    expect(index.version()).not.toBeNull();
  });

  it('lists the months that are missing', async () => {
    const { index } = marketplace(
      db.knex,
      { ...full(), 'orders/2026-09': undefined, 'orders/2026-11': undefined },
      { note: coverageMessages.byPublication() },
    );
    await index.sync();
    expect((await index.orders([question])).coverage).toBe(
      'Orders of 2026-08, 2026-10 are indexed. Not indexed yet: 2026-09, 2026-11. By date of publication on PNCP; contracts by which the supplier pays are not included.',
    );
  });

  it('reports no complete month while a part of it is missing', async () => {
    const parts = { 'orders/2026-11/1': month('1', '1'), 'orders/2026-11/2': undefined };
    const { index } = marketplace(db.knex, parts, { slicesOf: (name) => [`orders/${name}/1`, `orders/${name}/2`], kinds: ['order'] });
    await index.sync();
    expect(await index.orders([question])).toMatchObject({
      pages: [{ total: 1 }],
      coverage: 'No month of orders is indexed whole yet.',
    });
  });

  it('loads the months of the options, and lists them in its coverage', async () => {
    const { index, asked } = marketplace(db.knex, { ...full(), 'orders/2020-02': month('old', '0') });
    await index.sync();
    asked.length = 0;
    expect(await index.sync({ from: '2020-01', to: '2020-02' })).toMatchObject({ outcome: 'loaded' });
    expect(asked.map(([name]) => name)).toEqual(['orders/2020-02', 'awards/2020-02', 'orders/2020-01', 'awards/2020-01']);
    expect((await index.orders([question])).coverage).toBe('Orders of 2020-02, 2026-08 to 2026-11 are indexed.');
  });

  it('reports its progress', async () => {
    const rows = Array.from({ length: 2_500 }, (_, i) => orderRow(`${i}`));
    const { index } = marketplace(db.knex, { 'orders/2026-11': { tag: 'a', rows } });
    const seen: unknown[] = [];
    await index.sync({ onProgress: ({ step, rows, share }) => seen.push([step, rows, share]) });
    expect(seen).toEqual([
      ['orders/2026-11', 1_000, 0.5],
      ['orders/2026-11', 2_000, 0.5],
      ['orders/2026-11', 2_500, 1],
    ]);
  });
});

describe('an unusable index', () => {
  const unavailable = expect.objectContaining({ code: 'SOURCE_UNAVAILABLE' });

  it('UP-03 is a failed source until it is loaded', async () => {
    const { index } = marketplace(db.knex);
    await expect(index.orders([question])).rejects.toEqual(unavailable);
    expect(await index.status()).toMatchObject({ usable: false, list: null, lastSuccessAt: null, kind: 'list', origin: 'given' });
    expect(await index.sync()).toEqual({ outcome: 'refused', reason: 'empty' });
  });

  it('UP-03 is a failed source for awards while only orders are loaded', async () => {
    const { index } = marketplace(db.knex, { 'orders/2026-11': month('nov', '1') });
    await index.sync();
    expect((await index.orders([question])).pages[0]?.total).toBe(1);
    await expect(index.awards([question])).rejects.toEqual(unavailable);
    expect((await index.status()).usable).toBe(false);
  });

  it('UP-03 is a failed source while it has only old months', async () => {
    const { index } = marketplace(db.knex, { 'orders/2026-09': month('sep', '1') });
    await index.sync();
    await expect(index.orders([question])).rejects.toEqual(unavailable);
  });

  it('UP-03 is a failed source three days after its last check', async () => {
    const { index, clock } = marketplace(db.knex, full());
    await index.sync();
    clock.now += 3 * DAY_MS - 1;
    expect((await index.status()).usable).toBe(true);
    await expect(index.orders([question])).resolves.toBeDefined();
    clock.now += 1;
    await expect(index.orders([question])).rejects.toEqual(unavailable);
    expect((await index.status()).usable).toBe(false);
  });

  it('UP-03 becomes a failed source for orders when their newest month fails for three days', async () => {
    const { index, published, clock } = marketplace(db.knex, full());
    await index.sync();
    published['orders/2026-11'] = new Error('the file is gone');
    clock.now += 3 * DAY_MS;
    await index.sync();
    await expect(index.orders([question])).rejects.toEqual(unavailable);
    await expect(index.awards([question])).resolves.toBeDefined();
  });

  it('counts as checked while the publisher has no file of the newest month', async () => {
    const { index } = marketplace(db.knex, { ...full(), 'orders/2026-11': undefined });
    await index.sync();
    expect((await index.orders([question])).checkedAt).toBe(TODAY);
  });

  it('is a failed source while the database fails', async () => {
    const closed = createDb(db.url);
    await closed.destroy();
    await expect(marketplace(closed).index.orders([question])).rejects.toEqual(unavailable);
  });
});
