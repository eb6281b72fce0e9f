import { ACTIVITIES_HEADER, COMPANIES_HEADER, DOMICILES_HEADER, NAMES_HEADER } from '../../../sandbox/upstreams/sii.ts';
import { rutCheckDigit } from '../../../src/domain/tax-id.ts';

/** The registry's tables as it writes them, over made-up rows. */

type Cells = readonly (string | number)[];

const text = (header: readonly string[], rows: readonly Cells[], end: string): string =>
  [header, ...rows].map((cells) => cells.join('\t') + end).join('');

/** What a row says; anything left out is as in a usual one. */
export interface CompanyRow {
  readonly number: number;
  readonly dv?: string;
  readonly year?: number | string;
  readonly name?: string;
  readonly bracket?: number | string;
  readonly workers?: number | string;
  readonly start?: string;
  readonly end?: string;
  readonly first?: string;
  readonly endKind?: string;
  readonly activity?: string;
  readonly region?: string;
  readonly commune?: string;
}

export function companyCells(row: CompanyRow): Cells {
  const { number, dv = rutCheckDigit(String(number)), year = 2024, name = `EMPRESA ${number} SPA`, bracket = 5, workers = 3 } = row;
  const { start = '2015-06-01', end = '', first = start, endKind = '', activity = '620200 - CONSULTORIA DE INFORMATICA' } = row;
  const { region = 'XIII REGION METROPOLITANA', commune = 'PROVIDENCIA' } = row;
  const place = [region, 'SANTIAGO', commune];
  const kind = ['PERSONA JURIDICA COMERCIAL', 'SOCIEDAD POR ACCIONES', '3', '', 'J - INFORMACION', '620 - PROGRAMACION'];
  return [year, number, dv, name, bracket, workers, start, end, first, endKind, ...kind, activity, ...place, '', ''];
}

export const nomina = (rows: readonly CompanyRow[], { end = '\r\n', header = COMPANIES_HEADER } = {}): string =>
  text(header, rows.map(companyCells), end);

/** Numbers from `first` on. */
export const numbers = (count: number, first = 76_000_000): readonly number[] => Array.from({ length: count }, (_, i) => first + i);

/** A nómina of so many companies of one year, every name ending in `mark`. */
export const nominaOf = (count: number, { year = 2024, mark = 'SPA' } = {}): string =>
  nomina(numbers(count).map((number) => ({ number, year, name: `EMPRESA ${number} ${mark}` })));

export const names = (rows: readonly (readonly [number: number, name: string, start: string, end: string, subtype?: string])[]): string =>
  text(
    NAMES_HEADER,
    rows.map(([number, name, start, end, subtype = '223']) => [number, rutCheckDigit(String(number)), subtype, name, start, end]),
    '\n',
  );

export const activities = (rows: readonly (readonly [number: number, code: string, name: string])[]): string =>
  text(
    ACTIVITIES_HEADER,
    rows.map(([number, code, name]) => [number, rutCheckDigit(String(number)), code, name, '01-01-2020', 'S', '1']),
    '\n',
  );

export const domiciles = (
  rows: readonly (readonly [number: number, inForce: 'S' | 'N', since: string, commune: string, region: string])[],
): string =>
  text(
    DOMICILES_HEADER,
    rows.map(([number, inForce, since, commune, region]) => {
      const street = ['DOMICILIO', 'CALLE', '1', '', '', '', commune];
      return [number, rutCheckDigit(String(number)), inForce, since, ...street, commune, region];
    }),
    '\n',
  );
