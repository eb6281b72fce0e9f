import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { pick } from '../simulator.ts';
import { BODIES, CL_CLEAN, CL_MEDIUM, CL_SUPPLIER, fillerSupplier, type PublicBody, type Supplier } from './parties.ts';
import { PURCHASES, type Purchase } from './purchases.ts';

/** Memoizes generated data by day. */
export function memoizedByDay<T>(generate: (day: string) => readonly T[]): (day: string) => readonly T[] {
  const byDay = new Map<string, readonly T[]>();
  return (day) => {
    const known = byDay.get(day) ?? generate(day);
    byDay.set(day, known);
    return known;
  };
}

/** States by the API's numbers. */
export const TENDER_STATES = {
  5: 'Publicada',
  6: 'Cerrada',
  7: 'Desierta',
  8: 'Adjudicada',
  18: 'Revocada',
  19: 'Suspendida',
} as const;
export type TenderState = keyof typeof TENDER_STATES;

export type Currency = 'CLP' | 'CLF' | 'USD';

export interface TenderLine {
  readonly product: string;
  readonly quantity: number;
  readonly offers: readonly { readonly supplier: Supplier; readonly unitPrice: number }[];
}

/** A fictional tender. Days are ISO. Its course is fixed; `stateOn` returns its state on a day. */
export interface SimulatedTender {
  readonly code: string;
  readonly purchase: Purchase;
  readonly body: PublicBody;
  readonly currency: Currency;
  readonly publishedOn: string;
  readonly closesOn: string;
  /** Day of its final state. */
  readonly settledOn: string;
  readonly fate: Exclude<TenderState, 5 | 6>;
  /** Lines. The first offer of a line wins. */
  readonly lines: readonly TenderLine[];
}

/** Days from publication to each final state. A suspended tender ends before its closing. */
const SETTLED_AFTER = { 7: 13, 8: 20, 18: 12, 19: 6 } as const;
const OPEN_DAYS = 10;
const PER_DAY = 2;
const FATES = [8, 8, 8, 7, 8, 18, 8, 8, 19, 8] as const;
const TYPES = ['L1', 'LE', 'LP', 'LR'] as const;
const CLP_IN = { CLP: 1, CLF: 39_485, USD: 952 } as const;

export const dayNumber = (day: string): number => Date.parse(day) / DAY_MS;
export const dayOf = (number: number): string => isoDate(number * DAY_MS);

/** Returns every tender published on a day. The result depends on the day alone. */
export const tendersPublishedOn = memoizedByDay((day) =>
  Array.from({ length: PER_DAY }, (_, i) => tender(dayNumber(day) * PER_DAY + i, dayNumber(day))),
);

function tender(n: number, day: number): SimulatedTender {
  const body = pick(BODIES, n);
  const purchase = pick(PURCHASES, n);
  const fate = pick(FATES, n);
  const currency = currencyOf(n);
  return {
    code: `${body.unit}-${n % 10_000}-${pick(TYPES, n)}${dayOf(day).slice(2, 4)}`,
    purchase,
    body,
    currency,
    publishedOn: dayOf(day),
    closesOn: dayOf(day + OPEN_DAYS),
    settledOn: dayOf(day + SETTLED_AFTER[fate]),
    fate,
    lines: purchase.products.map((product, i) => line(product, n, i, priceIn(currency, purchase.unitClp))),
  };
}

function currencyOf(n: number): Currency {
  if (n % 7 === 4) return 'CLF';
  // The second condition is an award of CL_SUPPLIER, which has awards in each currency in any five months.
  return n % 11 === 6 || n % 60 === 27 ? 'USD' : 'CLP';
}

const priceIn = (currency: Currency, clp: number): number => {
  const price = clp / CLP_IN[currency];
  return currency === 'CLP' ? Math.round(price) : Math.max(0.01, Math.round(price * 100) / 100);
};

/** Creates a line; its first offer wins. Later lines of every third tender have another winner. */
function line(product: string, n: number, i: number, unitPrice: number): TenderLine {
  const winner = i > 0 && n % 3 === 0 ? fillerSupplier(n + i) : winnerOf(n);
  const loser = fillerSupplier(n + i + 7);
  return {
    product,
    quantity: 1 + ((n * 7 + i * 3) % 20),
    offers: [
      { supplier: winner, unitPrice },
      { supplier: loser, unitPrice: unitPrice * 2 },
    ],
  };
}

function winnerOf(n: number): Supplier {
  if (n % 12 === 3) return CL_SUPPLIER;
  if (n % 5 === 1) return CL_MEDIUM;
  return n % 60 === 7 ? CL_CLEAN : fillerSupplier(n);
}

export function stateOn({ closesOn, settledOn, fate }: SimulatedTender, today: string): TenderState {
  if (today >= settledOn) return fate;
  return today >= closesOn ? 6 : 5;
}

/** Returns the tenders that were published, closed or settled on a day. */
export function tendersOfDay(day: string): readonly SimulatedTender[] {
  const back = [0, OPEN_DAYS, ...Object.values(SETTLED_AFTER)];
  return back
    .flatMap((days) => tendersPublishedOn(dayOf(dayNumber(day) - days)))
    .filter(({ publishedOn, closesOn, settledOn, fate }) => publishedOn === day || settledOn === day || (closesOn === day && fate !== 19));
}

/** Returns every open tender. */
export const openTenders = (today: string): readonly SimulatedTender[] =>
  Array.from({ length: OPEN_DAYS }, (_, back) => tendersPublishedOn(dayOf(dayNumber(today) - back)))
    .flat()
    .filter((one) => stateOn(one, today) === 5);
