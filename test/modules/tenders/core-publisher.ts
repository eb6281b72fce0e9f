import type { Knex } from 'knex';
import { parseCompanyKey } from '../../../src/domain/company.ts';
import { DAY_MS, HOUR_MS, isoDate } from '../../../src/domain/time.ts';
import type { IndexPlan, SliceReading } from '../../../src/modules/tenders/sources/index-plan.ts';
import { createSupplierIndex } from '../../../src/modules/tenders/sources/supplier-index.ts';
import type { IndexRow, Slice } from '../../../src/modules/tenders/store.ts';
import { memoryLog } from '../../support/log.ts';
import { awardRow, orderRow, stream } from './core-toy.ts';

export const TODAY = Date.UTC(2026, 10, 21, 12);
export const question = { key: parseCompanyKey('CL', '76.795.561-8'), first: 10, after: null };

/** One slice of a publisher: rows with their tag, a failure, or nothing. */
export type Published = { readonly tag: string; readonly rows: readonly IndexRow[]; readonly cut?: Error } | Error | undefined;

/** Creates a publisher of monthly slices, which the test may change, and its index. */
export function marketplace(db: Knex, published: Record<string, Published> = {}, change: Partial<IndexPlan> = {}) {
  const clock = { now: TODAY };
  const asked: (readonly [string, Slice['tag'] | undefined])[] = [];
  const closed: string[] = [];
  const reading = (name: string, tag: string, rows: readonly IndexRow[], cut?: Error): SliceReading => ({
    tag,
    publishedOn: `${name.split('/')[1]}-28`,
    rows: stream(rows, cut),
    share: () => 0.5,
    close: async () => void closed.push(name),
  });
  const plan: IndexPlan = {
    name: 'mercadopublico',
    kinds: ['order', 'award'],
    schemaVersion: 1,
    everyMs: HOUR_MS,
    staleAfterMs: 3 * DAY_MS,
    mayBeEmpty: false,
    note: null,
    today: isoDate,
    slicesOf: (month) => [`orders/${month}`, `awards/${month}`],
    async open(name, known) {
      asked.push([name, known?.tag]);
      const slice = published[name];
      if (slice instanceof Error) throw slice;
      if (!slice) return 'absent';
      return known?.tag === slice.tag ? 'unchanged' : reading(name, slice.tag, slice.rows, slice.cut);
    },
    ...change,
  };
  const { log, lines } = memoryLog();
  const deps = { address: { url: 'https://example.cl/oc/', origin: 'given' as const }, months: '4', db, now: () => clock.now, log };
  return { index: createSupplierIndex(plan, deps), published, asked, closed, clock, lines, reading };
}

export const month = (name: string, ...codes: readonly string[]): Published => ({
  tag: `"${name}"`,
  rows: codes.map((code) => orderRow(code)),
});
const awards = (...codes: readonly string[]): Published => ({ tag: '"awards"', rows: codes.map((code) => awardRow(code)) });
/** Four complete months. */
export const full = (): Record<string, Published> => ({
  'orders/2026-11': month('nov', '1', '2'),
  'orders/2026-10': month('oct', '3'),
  'orders/2026-09': month('sep', '4'),
  'orders/2026-08': month('aug', '5'),
  ...Object.fromEntries(['2026-11', '2026-10', '2026-09', '2026-08'].map((name) => [`awards/${name}`, awards(`award ${name}`)])),
});
