import type { CopyRow } from '../../../db/copy-rows.ts';
import type { AwardedContract, TenderOrder } from '../domain.ts';

/** A row of the index: an order or an award, and its supplier (a legal person, `CL:767955618`). */
export type IndexRow =
  | { readonly kind: 'order'; readonly supplier: string; readonly order: TenderOrder }
  | { readonly kind: 'award'; readonly supplier: string; readonly award: AwardedContract };

/** The columns of a row, in the order of `copyIndexRows`, after its sequence number. */
export const COLUMNS =
  'kind, supplier, code, dated, name, status, amount, currency, buyer, buyer_tax_id, tender_code, supplier_tax_id, url';

/** A row as stored. */
export interface StoredRow {
  readonly code: string;
  /** Local datetime without offset; null where the marketplace states none. */
  readonly dated: string | null;
  readonly name: string;
  readonly status: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly buyer: string | null;
  readonly buyerTaxId: string | null;
  readonly tenderCode: string | null;
  readonly supplierTaxId: string | null;
  readonly url: string | null;
}

/** Converts rows to rows of a COPY: a sequence number, and `COLUMNS`. */
export async function* copyIndexRows(rows: AsyncIterable<IndexRow>): AsyncGenerator<readonly CopyRow[], void, void> {
  let seq = 0;
  for await (const row of rows) {
    seq += 1;
    yield [[seq, row.kind, row.supplier, ...(row.kind === 'order' ? orderCells(row.order) : awardCells(row.award))]];
  }
}

const orderCells = (order: TenderOrder): CopyRow => [
  order.code,
  order.date ?? '-infinity',
  order.name,
  order.status,
  order.total?.amount ?? null,
  order.total?.currency ?? null,
  order.buyer,
  order.buyerTaxId,
  order.tenderCode,
  order.supplierTaxId,
  order.url,
];

const awardCells = (award: AwardedContract): CopyRow => [
  award.code,
  award.awardedAt,
  award.name,
  award.status,
  award.total.amount,
  award.total.currency,
  award.buyer,
  award.buyerTaxId,
  null,
  null,
  null,
];

export const toOrder = (row: StoredRow): TenderOrder => ({
  code: row.code,
  name: row.name,
  status: row.status,
  total: moneyOf(row),
  date: row.dated?.slice(0, 10) ?? null,
  buyer: row.buyer,
  buyerTaxId: row.buyerTaxId,
  tenderCode: row.tenderCode,
  supplierTaxId: row.supplierTaxId,
  url: row.url,
});

/** A stored award; the table's constraints guarantee these fields. */
export interface StoredAward extends StoredRow {
  readonly dated: string;
  readonly amount: number;
  readonly currency: string;
  readonly buyer: string;
  readonly buyerTaxId: string;
}

export const toAward = ({ code, name, status, amount, currency, dated, buyer, buyerTaxId }: StoredAward): AwardedContract => ({
  code,
  name,
  status,
  total: { amount, currency },
  awardedAt: dated,
  buyer,
  buyerTaxId,
});

const moneyOf = ({ amount, currency }: StoredRow) => (amount === null || currency === null ? null : { amount, currency });
