import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTenderIndex, type TenderIndex } from '../../../src/modules/tenders/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { newest, orderRow, stream, toySlice } from './core-toy.ts';

let db: TestDb;
let index: TenderIndex;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes');
  index = createTenderIndex(db.knex, 'mercadopublico', 'sandbox');
});

const SEPTEMBER = toySlice('orders/2026-09');
const OCTOBER = toySlice('orders/2026-10');

/** Returns the names of the orders by code. */
async function names(): Promise<Readonly<Record<string, string>>> {
  const { pages } = await index.orders([newest()]);
  return Object.fromEntries((pages[0]?.items ?? []).map(({ code, name }) => [code, name]));
}
const rowVersions = async (): Promise<unknown> =>
  (await db.knex.raw('SELECT code, xmin::text FROM tender_rows ORDER BY code')).rows.map(Object.values);

describe('replacing a slice', () => {
  it('deletes, updates and inserts rows, and keeps the other slices', async () => {
    await index.replace(SEPTEMBER, stream(['1', '2', '3'].map((code) => orderRow(code, { name: 'old' }))));
    await index.replace(OCTOBER, stream([orderRow('9', { name: 'other' })]));
    await index.replace(
      SEPTEMBER,
      stream([orderRow('2', { name: 'old' }), orderRow('3', { name: 'new' }), orderRow('4', { name: 'new' })]),
    );
    expect(await names()).toEqual({ 2: 'old', 3: 'new', 4: 'new', 9: 'other' });
  });

  it('does not write unchanged rows', async () => {
    const rows = [orderRow('1', { date: null, total: null }), orderRow('2')];
    await index.replace(SEPTEMBER, stream(rows));
    const before = await rowVersions();
    await index.replace({ ...SEPTEMBER, tag: 'newer' }, stream(rows));
    expect(await rowVersions()).toEqual(before);
  });

  it('stores a code that is repeated in a slice once, with the later row', async () => {
    const loaded = await index.replace(
      SEPTEMBER,
      stream([orderRow('1', { name: 'first' }), orderRow('2'), orderRow('1', { name: 'last' })]),
    );
    expect(loaded.rows).toBe(2);
    expect(await names()).toMatchObject({ 1: 'last' });
  });

  it('stores a code that is repeated in another slice once, with the newest load', async () => {
    await index.replace(OCTOBER, stream([orderRow('1', { name: 'october' })]));
    await index.replace(SEPTEMBER, stream([orderRow('1', { name: 'september, later' })]));
    expect(await names()).toEqual({ 1: 'september, later' });
    await index.replace(OCTOBER, stream([]));
    expect(await names()).toEqual({ 1: 'september, later' });
    await index.replace(SEPTEMBER, stream([]));
    expect(await names()).toEqual({});
  });

  it('stores the same code separately for two suppliers', async () => {
    await index.replace(SEPTEMBER, stream([orderRow('1', {}, 'CL:1'), orderRow('1', {}, 'CL:2')]));
    const { pages } = await index.orders([newest(9, 'CL:1'), newest(9, 'CL:2')]);
    expect(pages.map(({ total }) => total)).toEqual([1, 1]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the reading fails', () => index.replace(SEPTEMBER, stream([orderRow('2')], new Error('the file is cut')))],
    ['a row cannot be kept', () => index.replace(SEPTEMBER, stream([orderRow('2', { date: 'soon' })]))],
    ['an amount is none', () => index.replace(SEPTEMBER, stream([orderRow('2', { total: { amount: Number.NaN, currency: 'CLP' } })]))],
    [
      'it is not approved',
      () =>
        index.replace(SEPTEMBER, stream([orderRow('2')]), {
          approve: (rows, before) => {
            throw new Error(`${rows} rows, before ${before}`);
          },
        }),
    ],
    ['it is called off', () => index.replace(SEPTEMBER, stream([orderRow('2')]), { signal: AbortSignal.abort() })],
  ])('changes nothing when %s', async (_, load) => {
    await index.replace(SEPTEMBER, stream([orderRow('1')]));
    const before = await index.state();
    await expect(load()).rejects.toThrow();
    expect([await index.state(), Object.keys(await names())]).toEqual([before, ['1']]);
  });

  it('calls approve with the new and the old number of rows', async () => {
    const seen: unknown[] = [];
    const approve = (...counts: unknown[]) => void seen.push(counts);
    await index.replace(SEPTEMBER, stream([orderRow('1'), orderRow('1'), orderRow('2')]), { approve });
    await index.replace(SEPTEMBER, stream([]), { approve });
    expect(seen).toEqual([
      [2, null],
      [0, 2],
    ]);
  });

  it('DB-04 gives readers the old or the new slice, never a mixture', async () => {
    const versionRows = (name: string) => Array.from({ length: 500 }, (_, i) => orderRow(`${i}`, { name }));
    await index.replace(SEPTEMBER, stream(versionRows('0')));
    let over = false;
    const seen = new Set<string>();
    const mixed: unknown[] = [];
    const reader = async () => {
      while (!over) {
        const { pages, state } = await index.orders([newest(500)]);
        const found = new Set(pages[0]?.items.map(({ name }) => name));
        if (found.size !== 1 || pages[0]?.total !== 500 || state.slices[0]?.tag !== ([...found][0] === '0' ? null : [...found][0]))
          mixed.push([...found]);
        for (const name of found) seen.add(name);
      }
    };
    const readers = [reader(), reader()];
    for (const n of ['1', '2', '3', '4']) await index.replace({ ...SEPTEMBER, tag: n }, stream(versionRows(n)));
    over = true;
    await Promise.all(readers);
    expect(mixed).toEqual([]);
    expect(seen.size).toBeGreaterThan(1);
  });

  it('accepts several simultaneous loads', async () => {
    const loads = Array.from({ length: 6 }, (_, n) =>
      index.replace(n % 2 ? SEPTEMBER : OCTOBER, stream(Array.from({ length: 300 }, (_, i) => orderRow(`${i}`, { name: `load ${n}` })))),
    );
    await Promise.all(loads);
    expect(new Set(Object.values(await names())).size).toBe(1);
    expect((await index.orders([newest()])).pages[0]?.total).toBe(300);
  });

  it('is locked for one process at a time, and another gets null meanwhile', async () => {
    const other = createTenderIndex(db.knex, 'mercadopublico', 'sandbox');
    const elsewhere = createTenderIndex(db.knex, 'mercadopublico', 'https://example.cl/');
    const results = await index.withSyncLock(async () => [
      await other.withSyncLock(async () => 'let in'),
      await elsewhere.withSyncLock(async () => 'let in'),
    ]);
    expect(results).toEqual([null, 'let in']);
    expect(await other.withSyncLock(async () => 'let in')).toBe('let in');
  });
});
