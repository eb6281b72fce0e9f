import { MODULES, type ModuleName } from './catalogue.ts';
import type { Plan } from './plan.ts';
import { monthOf } from './time.ts';

/** Usage of one module by one key in one month. Amounts are exact decimals as text. */
export interface ModuleUsage {
  readonly module: ModuleName;
  /** Number of answers that the plan includes; null for no limit. */
  readonly included: number | null;
  /** Number of counted answers. */
  readonly used: number;
  /** Number of answers beyond the included ones. */
  readonly overage: number;
  /** Price per answer beyond the included ones; null if it has no price. */
  readonly overagePrice: string | null;
  readonly amount: string;
  readonly currency: 'USD';
}

/** Counted answers of one module by one key on a day in UTC. */
export interface UsageDay {
  /** ISO date. */
  readonly day: string;
  readonly module: ModuleName;
  readonly used: number;
}

export const CURRENCY = 'USD' as const;

/** Returns true for a month in the form `YYYY-MM`. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** Returns the previous month: `2026-01` → `2025-12`. */
export const monthBefore = (month: string): string => monthOf(Date.parse(`${month}-01T00:00:00Z`) - 1);

/** Prices the counted answers under a plan. Lists the modules of the key and the modules used, in the order of MODULES. */
export function usageUnder(plan: Plan, modules: ReadonlySet<ModuleName>, used: ReadonlyMap<ModuleName, number>): readonly ModuleUsage[] {
  return MODULES.filter((module) => modules.has(module) || used.has(module)).map((module) => {
    const { included, overagePrice } = plan[module];
    const count = used.get(module) ?? 0;
    const overage = included === null ? 0 : Math.max(0, count - included);
    return { module, included, used: count, overage, overagePrice, amount: times(overagePrice ?? '0', overage), currency: CURRENCY };
  });
}

/** A price with up to four decimals. */
export const PRICE = /^\d{1,6}(\.\d{1,4})?$/;

/**
 * Multiplies a price by a count: `0.30` × 1500 → `450.00`. It computes in whole ten-thousandths, never in floats, and prints two decimals,
 * or up to four if they are not 0.
 */
export const times = (price: string, count: number): string => fromParts(toParts(price) * BigInt(count));

/** Adds amounts in the format of `times`. */
export const sum = (amounts: readonly string[]): string => fromParts(amounts.reduce((total, amount) => total + toParts(amount), 0n));

const PLACES = 4;

function toParts(amount: string): bigint {
  const [whole = '', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(PLACES, '0'));
}

function fromParts(parts: bigint): string {
  const digits = String(parts).padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES).replace(/0{1,2}$/, '')}`;
}
