import { isPersonsRut, isProblem, readRut, strip } from '../../../../domain/tax-id.ts';
import { folded } from '../../../../domain/text.ts';
import { DAY_MS, isIsoDate, isoDate, localDayIn, localTimeIn } from '../../../../domain/time.ts';
import type { Money } from '../../domain.ts';

/** Formats of Mercado Público's values, shared by its API and its bulk files. */

/** First valid year: `1900-01-01` and `0001-01-01` mean "no date". */
const FIRST_YEAR = '1990';
/** Matches a time with a zone. */
const ZONED = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d{1,9})? ?(?:Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Parses Chilean time (`2014-02-02T23:58:56.63`, `2024-01-30`) and truncates it to seconds; null for no date. A time with a zone is
 * converted.
 */
export function localTime(text: string | null | undefined): string | null {
  const written = text?.trim() ?? '';
  const local = ZONED.test(written) ? (localTimeIn('CL', written) ?? written) : written;
  const [, day = '', time = '00:00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.\d*)?)?$/.exec(local) ?? [];
  return isIsoDate(day) && day >= FIRST_YEAR ? `${day}T${time}` : null;
}

/** Parses the day of such a time; null for no date. */
export function localDay(text: string | null | undefined): string | null {
  const written = text?.trim() ?? '';
  return localTime(ZONED.test(written) ? localDayIn('CL', written) : written)?.slice(0, 10) ?? null;
}

/** Parses a RUT in any format to the legal person (`CL:762421925`); null for a person or an invalid RUT. */
export function legalPersonOf(rut: string): string | null {
  const bare = readRut(rut);
  return isProblem(bare) || isPersonsRut(bare) ? null : `CL:${bare}`;
}

/** True for the id of a foreign supplier, which contains letters. Digits with the dots of a RUT are a damaged RUT, whatever follows. */
const isForeign = (id: string): boolean => /^[A-Z\d.-]+$/i.test(id) && /[A-JL-Z]/i.test(id) && /\d/.test(id) && !/^\d{0,3}\.\d{3}/.test(id);

/**
 * A RUT as the marketplace prints it: without dots, or with a dot before every three digits. A leading dot shows the rest of a longer
 * number.
 */
const PRINTED_RUT = /^(?:\d{1,3}(?:\.\d{3})*|\d+)-?[\dK]$/i;
/** Lowest RUT of a living person. A shorter number is the rest of a longer one whose check digit agrees by chance. */
const LOWEST_RUT = 1_000_000;

/**
 * True for one repeated digit in the format of a RUT, which people type if they have no RUT. Other formats, such as the date `99/99/9999`,
 * are damaged cells, because the RUT that they replaced is not known.
 */
const isPlaceholder = (rut: string): boolean => PRINTED_RUT.test(rut.trim()) && /^(\d)\1{6,8}$/.test(strip(rut));

/** True for a supplier's id that should be a RUT and is invalid. */
export function isInvalidRut(rut: string): boolean {
  const bare = readRut(rut);
  if (isProblem(bare)) return !isForeign(rut) && !isPlaceholder(rut);
  return !PRINTED_RUT.test(rut.trim()) || Number(bare.slice(0, -1)) < LOWEST_RUT;
}

/** Codes and folded names of currencies. The bulk files call the UTM `Moneda revisar`. */
const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/^clp$|peso/, 'CLP'],
  [/^clf$|^uf$|fomento/, 'CLF'],
  [/^usd$|dolar/, 'USD'],
  [/^eur$|^euro/, 'EUR'],
  [/^utm$|tributaria|revisar/, 'UTM'],
];

/** Maps `CLP`, `UF`, `Unidad de Fomento` to ISO 4217 (or `UTM`); null for an unknown currency. */
export const currencyOf = (text: string): string | null => CURRENCIES.find(([name]) => name.test(folded(text)))?.[1] ?? null;

/** Rounds to four decimals, the maximum that a currency has (UF). This removes floating-point noise from sums. */
export const money = (amount: number, currency: string): Money => ({ amount: Math.round(amount * 1e4) / 1e4, currency });

/** URL of an order's public page. */
export const orderPage = (code: string): string =>
  `https://www.mercadopublico.cl/PurchaseOrder/Modules/PO/DetailsPurchaseOrder.aspx?codigoOC=${encodeURIComponent(code)}`;
export const tenderPage = (code: string): string =>
  `https://www.mercadopublico.cl/Procurement/Modules/RFB/DetailsAcquisition.aspx?idlicitacion=${encodeURIComponent(code)}`;

/** Adds days to an ISO day; `count` may be negative. */
export const dayAfter = (day: string, count: number): string => isoDate(Date.parse(day) + count * DAY_MS);

/** Names of a tender's states by the API's numbers. The bulk files use other numbers and have the names too. */
const TENDER_STATES: Readonly<Record<number, string>> = {
  5: 'Publicada',
  6: 'Cerrada',
  7: 'Desierta',
  8: 'Adjudicada',
  18: 'Revocada',
  19: 'Suspendida',
};

/** Returns the name of a state; the API's lists have its number only. */
export const tenderState = (code: number): string => TENDER_STATES[code] ?? `Estado ${code}`;
