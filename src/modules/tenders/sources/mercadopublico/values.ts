import { isPersonsRut, readRut } from '../../../../domain/rut.ts';
import { isProblem } from '../../../../domain/tax-id.ts';
import { folded } from '../../../../domain/text.ts';
import { DAY_MS, isIsoDate, isoDate } from '../../../../domain/time.ts';
import type { Money } from '../../domain.ts';

/** How Mercado Público writes things, in its API and in its bulk files alike. */

/** Before it there was no Mercado Público: `1900-01-01` and `0001-01-01` stand for "no date". */
const FIRST_YEAR = '1990';

/** `2014-02-02T23:58:56.63`, `2024-01-30`: Chilean time without a zone → the same, cut to seconds; null for no date. */
export function localTime(text: string | null | undefined): string | null {
  const [, day = '', time = '00:00:00'] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(?:\.\d*)?)?$/.exec(text?.trim() ?? '') ?? [];
  return isIsoDate(day) && day >= FIRST_YEAR ? `${day}T${time}` : null;
}

/** The day of the same; null for no date. */
export const localDay = (text: string | null | undefined): string | null => localTime(text)?.slice(0, 10) ?? null;

/** A RUT in any spelling → the legal person (`CL:762421925`); null for a person and for what is no RUT. */
export function legalPersonOf(rut: string): string | null {
  const bare = readRut(rut);
  return isProblem(bare) || isPersonsRut(bare) ? null : `CL:${bare}`;
}

/** Foreigners have ids with letters. */
const FOREIGN = /^(?=.*[A-JL-Z])(?=.*\d)[A-Z\d.-]+$/i;

/** True for a supplier's id that should be a RUT and is none. */
export const isInvalidRut = (rut: string): boolean => isProblem(readRut(rut)) && !FOREIGN.test(rut);

/** Its codes and its names, folded; `Moneda revisar` is how the bulk files call the UTM. */
const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/^clp$|peso/, 'CLP'],
  [/^clf$|^uf$|fomento/, 'CLF'],
  [/^usd$|dolar/, 'USD'],
  [/^eur$|^euro/, 'EUR'],
  [/^utm$|tributaria|revisar/, 'UTM'],
];

/** `CLP`, `UF`, `Unidad de Fomento` → ISO 4217 (and `UTM`); null for what is none of them. */
export const currencyOf = (text: string): string | null => CURRENCIES.find(([name]) => name.test(folded(text)))?.[1] ?? null;

/** UF have four decimals and nothing has more: a sum of products in floating point does. */
export const money = (amount: number, currency: string): Money => ({ amount: Math.round(amount * 1e4) / 1e4, currency });

/** Pages of the marketplace for people. */
export const orderPage = (code: string): string =>
  `https://www.mercadopublico.cl/PurchaseOrder/Modules/PO/DetailsPurchaseOrder.aspx?codigoOC=${encodeURIComponent(code)}`;
export const tenderPage = (code: string): string =>
  `https://www.mercadopublico.cl/Procurement/Modules/RFB/DetailsAcquisition.aspx?idlicitacion=${encodeURIComponent(code)}`;

/** The ISO day so many days after another; before it for a negative number. */
export const dayAfter = (day: string, count: number): string => isoDate(Date.parse(day) + count * DAY_MS);

/** Names of a tender's states by the API's numbers; the bulk files have others, and the names beside them. */
const TENDER_STATES: Readonly<Record<number, string>> = {
  5: 'Publicada',
  6: 'Cerrada',
  7: 'Desierta',
  8: 'Adjudicada',
  18: 'Revocada',
  19: 'Suspendida',
};

/** The lists give a number and no name. */
export const tenderState = (code: number): string => TENDER_STATES[code] ?? `Estado ${code}`;
