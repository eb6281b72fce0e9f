import { pick } from '../simulator.ts';
import { BODIES, CL_CLEAN, CL_MEDIUM, CL_SUPPLIER, fillerSupplier, PERSON, type PublicBody, type Supplier } from './parties.ts';
import { PURCHASES, type Purchase } from './purchases.ts';
import { type Currency, dayNumber, dayOf, memoizedByDay, tendersPublishedOn } from './tenders.ts';

/** Names of the states by number, in the marketplace's wording. */
export const ORDER_STATES = {
  4: 'Enviada a proveedor',
  5: 'En proceso',
  6: 'Aceptada',
  7: 'Cancelación solicitada',
  9: 'Cancelada',
  12: 'Recepción Conforme',
  13: 'Pendiente de recepcionar',
  14: 'Recepcionada parcialmente',
  15: 'Recepción conforme incompleta',
} as const;
export type OrderState = keyof typeof ORDER_STATES;

export interface OrderLine {
  readonly product: string;
  readonly quantity: number;
  readonly unitPrice: number;
}

/** A fictional purchase order. */
export interface SimulatedOrder {
  readonly code: string;
  readonly purchase: Purchase;
  readonly body: PublicBody;
  readonly supplier: Supplier;
  /** ISO day. */
  readonly sentOn: string;
  /** Code of the tender; null for an order without one. */
  readonly tenderCode: string | null;
  readonly currency: Currency;
  readonly lines: readonly OrderLine[];
  readonly net: number;
  /** Total with VAT. */
  readonly total: number;
  /** Final state, reached after 10 days. */
  readonly fate: OrderState;
}

const TYPES = ['SE', 'CM', 'AG'] as const;
const FATES = [12, 12, 9, 13, 12, 14, 15, 7, 12] as const;
const VAT = 1.19;

/** Suppliers that received an order on a day. */
function suppliersOf(day: number): readonly Supplier[] {
  const buying: readonly (readonly [boolean, Supplier])[] = [
    [true, fillerSupplier(day)],
    [[1, 5, 9, 12].includes(day % 15), CL_SUPPLIER],
    [day % 30 === 11, CL_MEDIUM],
    [day % 40 === 10, CL_CLEAN],
    [day % 15 === 2, PERSON],
  ];
  return buying.filter(([buys]) => buys).map(([, supplier]) => supplier);
}

/** Returns every order sent on a day. The result depends on the day alone. */
export const ordersSentOn = memoizedByDay((day) => suppliersOf(dayNumber(day)).map((supplier, i) => order(dayNumber(day), i, supplier)));

function order(day: number, i: number, supplier: Supplier): SimulatedOrder {
  const body = pick(BODIES, day + i);
  const purchase = pick(PURCHASES, day * 3 + i);
  const currency: Currency = day % 20 === 1 ? 'CLF' : 'CLP';
  const unitPrice = currency === 'CLF' ? 279.8 : purchase.unitClp;
  const lines = purchase.products.map((product, at) => ({ product, quantity: 1 + ((day + at) % 5), unitPrice }));
  const net = lines.reduce((sum, { quantity }) => sum + quantity * unitPrice, 0);
  return {
    code: `${body.unit}-${(day * 5 + i) % 100_000}-${pick(TYPES, day + i)}${dayOf(day).slice(2, 4)}`,
    purchase,
    body,
    supplier,
    sentOn: dayOf(day),
    tenderCode: (day + i) % 2 === 0 ? (tendersPublishedOn(dayOf(day - 25))[0]?.code ?? null) : null,
    currency,
    lines,
    net: Math.round(net * 100) / 100,
    total: currency === 'CLF' ? Math.round(net * VAT * 100) / 100 : Math.round(net * VAT),
    fate: pick(FATES, day + i),
  };
}

/** State of an order on a day: sent, in process, accepted, then its final state. */
export function orderStateOn({ sentOn, fate }: SimulatedOrder, today: string): OrderState {
  const age = dayNumber(today) - dayNumber(sentOn);
  if (age < 1) return 4;
  if (age < 3) return 5;
  return age < 10 ? 6 : fate;
}
