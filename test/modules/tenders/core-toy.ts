import type { AwardedContract, TenderNotice, TenderOrder } from '../../../src/modules/tenders/domain.ts';
import type { IndexRow, NewSlice } from '../../../src/modules/tenders/store.ts';

export const toyOrder = (code: string, change: Partial<TenderOrder> = {}): TenderOrder => ({
  code,
  name: `Compra ${code}`,
  status: 'Aceptada',
  total: { amount: 1000, currency: 'CLP' },
  date: '2026-09-01',
  buyer: 'Municipalidad de Ninguna Parte',
  buyerTaxId: '69.000.000-0',
  tenderCode: null,
  supplierTaxId: '76.795.561-8',
  url: null,
  ...change,
});

export const toyAward = (code: string, change: Partial<AwardedContract> = {}): AwardedContract => ({
  code,
  name: `Licitación ${code}`,
  status: 'Adjudicada',
  total: { amount: 12.5, currency: 'CLF' },
  awardedAt: '2026-09-01T15:04:05',
  buyer: 'Municipalidad de Ninguna Parte',
  buyerTaxId: '69.000.000-0',
  ...change,
});

export const toyNotice = (code: string): TenderNotice => ({
  code,
  name: `Licitación ${code}`,
  description: null,
  status: 'Publicada',
  closesAt: null,
  publishedAt: '2026-11-01T09:00:00',
  estimate: null,
  buyer: null,
  buyerTaxId: null,
  url: null,
});

export const SUPPLIER = 'CL:767955618';

export const orderRow = (code: string, change: Partial<TenderOrder> = {}, supplier = SUPPLIER): IndexRow => ({
  kind: 'order',
  supplier,
  order: toyOrder(code, change),
});
export const awardRow = (code: string, change: Partial<AwardedContract> = {}, supplier = SUPPLIER): IndexRow => ({
  kind: 'award',
  supplier,
  award: toyAward(code, change),
});

/** Yields rows as a reader does, then throws `failure` if it is given. */
export async function* stream(rows: Iterable<IndexRow>, failure?: Error): AsyncGenerator<IndexRow> {
  yield* rows;
  if (failure) throw failure;
}

export const toySlice = (name: string, change: Partial<NewSlice> = {}): NewSlice => ({
  name,
  tag: null,
  publishedOn: null,
  loadedAt: Date.UTC(2026, 10, 21),
  ...change,
});

/** A request for the newest rows of one supplier. */
export const newest = (first = 100, supplier = SUPPLIER) => ({ supplier, first, after: null });
