import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../../../src/modules/tenders/domain.ts';
import { createTenderIndex, type TenderIndex } from '../../../src/modules/tenders/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { awardRow, newest, orderRow, SUPPLIER, stream, toyAward, toyOrder, toySlice } from './core-toy.ts';

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

const codes = (page: Page<{ readonly code: string }> | undefined) => page?.items.map(({ code }) => code);
const orderCodes = async (of = index) => codes((await of.orders([newest()])).pages[0]);

describe('the index of orders and awards', () => {
  it('returns an order unchanged, with tabs, line breaks, backslashes and quotes in its text', async () => {
    const full = toyOrder('1-SE26', {
      name: 'Tab\t, line\r\nbreak, back\\slash, \\N and "quotes"; ñandú',
      total: { amount: 1234567.891, currency: 'USD' },
      tenderCode: '1-2-LE26',
      url: 'https://example.cl/?a=1&b=\\n',
    });
    const bare = toyOrder('2-SE26', { total: null, date: null, buyer: null, buyerTaxId: null, supplierTaxId: null });
    await index.replace(toySlice('orders/2026-09'), stream([full, bare].map((order) => ({ kind: 'order', supplier: SUPPLIER, order }))));
    const { pages } = await index.orders([newest()]);
    expect(pages).toEqual([{ total: 2, items: [full, bare], hasMore: false }]);
  });

  it('removes the zero character, which Postgres cannot store', async () => {
    await index.replace(toySlice('orders/2026-09'), stream([orderRow('1', { name: 'nothing\0ness' })]));
    expect((await index.orders([newest()])).pages[0]?.items[0]?.name).toBe('nothingness');
  });

  it('returns an award unchanged, and separately from the orders', async () => {
    await index.replace(toySlice('awards/2026-09'), stream([awardRow('1-2-LE26'), orderRow('1-SE26')]));
    expect((await index.awards([newest()])).pages).toEqual([{ total: 1, items: [toyAward('1-2-LE26')], hasMore: false }]);
    expect(await orderCodes()).toEqual(['1-SE26']);
  });

  it('refuses an award with an infinite date', async () => {
    await expect(index.replace(toySlice('awards/2026-09'), stream([awardRow('1', { awardedAt: '-infinity' })]))).rejects.toThrow(/check/);
    expect((await index.state()).slices).toEqual([]);
  });

  it('returns orders from the newest to the oldest, by descending code within a day, with undated ones last', async () => {
    const rows = [
      orderRow('undated', { date: null }),
      orderRow('b', { date: '2026-09-02' }),
      orderRow('a', { date: '2026-09-02' }),
      orderRow('newest', { date: '2026-11-20' }),
      orderRow('oldest', { date: '2007-01-31' }),
    ];
    await index.replace(toySlice('orders/2026-09'), stream(rows));
    expect(await orderCodes()).toEqual(['newest', 'b', 'a', 'oldest', 'undated']);
  });

  it('returns each order once across pages while newer orders are added', async () => {
    const dates = ['2026-09-03', '2026-09-02', '2026-09-02', '2026-09-01', null, null];
    const rows = dates.map((date, i) => orderRow(`order-${9 - i}`, { date }));
    await index.replace(toySlice('orders/2026-09'), stream(rows));
    const seen: (readonly string[] | undefined)[] = [];
    let after: { readonly date: string | null; readonly code: string } | null = null;
    for (let more = true; more; ) {
      const [page]: readonly Page<{ readonly code: string; readonly date: string | null }>[] = (
        await index.orders([{ supplier: SUPPLIER, first: 2, after }])
      ).pages;
      seen.push(codes(page));
      after = page?.items.at(-1) ?? null;
      more = page?.hasMore ?? false;
      await index.replace(toySlice(`orders/2026-1${seen.length}`), stream([orderRow(`newer-${seen.length}`, { date: '2026-11-01' })]));
    }
    expect(seen).toEqual([
      ['order-9', 'order-8'],
      ['order-7', 'order-6'],
      ['order-5', 'order-4'],
    ]);
  });

  it('reads the pages of 500 suppliers in one statement, in the order of the requests', async () => {
    const supplier = (n: number) => `CL:${n}`;
    const rows = Array.from({ length: 300 }, (_, i) => orderRow(`${i}-SE26`, {}, supplier(i % 100)));
    await index.replace(toySlice('orders/2026-09'), stream(rows));
    let statements = 0;
    db.knex.on('query', () => {
      statements += 1;
    });
    const { pages } = await index.orders(Array.from({ length: 500 }, (_, n) => newest(2, supplier(n))));
    db.knex.removeAllListeners('query');
    expect(statements).toBe(1);
    expect(codes(pages[7])).toEqual(['7-SE26', '207-SE26']);
    expect(pages[7]).toMatchObject({ total: 3, hasMore: true });
    expect(pages[499]).toEqual({ items: [], total: 0, hasMore: false });
  });

  it('returns an empty state and empty pages before it is loaded, and no pages for no suppliers', async () => {
    const nothing = { version: '0', checksum: '', slices: [], failedAt: null, lastError: null };
    expect(await index.state()).toEqual(nothing);
    expect(await index.orders([newest()])).toEqual({ state: nothing, pages: [{ items: [], total: 0, hasMore: false }] });
    expect((await index.awards([])).pages).toEqual([]);
  });

  it('stores the orders of each marketplace and each origin separately', async () => {
    const real = createTenderIndex(db.knex, 'mercadopublico', 'https://example.cl/');
    const brazil = createTenderIndex(db.knex, 'pncp', 'sandbox');
    await index.replace(toySlice('orders/2026-09'), stream([orderRow('made-up')]));
    await real.replace(toySlice('orders/2026-09'), stream([orderRow('real')]));
    expect([await orderCodes(), await orderCodes(real), await orderCodes(brazil)]).toEqual([['made-up'], ['real'], []]);
    expect((await brazil.state()).slices).toEqual([]);
  });

  it('returns its slices, and changes its version when a slice is added', async () => {
    const slice = toySlice('orders/2026-09', { tag: '"etag"', publishedOn: '2026-09-30' });
    expect(await index.replace(slice, stream([orderRow('1')]))).toEqual({ ...slice, checkedAt: slice.loadedAt, rows: 1 });
    const first = await index.state();
    await index.touch(['orders/2026-09', 'orders/1999-01'], slice.loadedAt + 5);
    await index.replace(toySlice('orders/2026-08'), stream([orderRow('2')]));
    const second = await index.state();
    expect(second.slices).toEqual([
      { ...toySlice('orders/2026-08'), checkedAt: slice.loadedAt, rows: 1 },
      { ...slice, checkedAt: slice.loadedAt + 5, rows: 1 },
    ]);
    expect(second.version).not.toBe(first.version);
    expect([first.checksum, second.checksum]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect((await index.orders([])).state).toEqual(second);
  });

  it('returns its last failure together with its slices', async () => {
    await index.recordFailure(1_000, 'timeout');
    await index.recordFailure(2_000, 'shrunk');
    await index.replace(toySlice('orders/2026-09'), stream([orderRow('1')]));
    expect(await index.state()).toMatchObject({ failedAt: 2_000, lastError: 'shrunk', slices: [{ rows: 1 }] });
  });
});
