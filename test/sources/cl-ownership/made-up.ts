import { below, type Random } from '../../support/damage.ts';
import { edge, people, rutOf } from './support.ts';

const FIRST = 76_000_000;

/** A share as the file prints it, with a decimal comma. */
const printed = (hundredths: number): string =>
  hundredths % 100 === 0 ? String(hundredths / 100) : (hundredths / 100).toFixed(2).replace('.', ',');

/** Divides 100 % into parts, in hundredths, each above zero. */
function parts(random: Random, count: number): readonly number[] {
  const cuts = new Set<number>([0, 10_000]);
  while (cuts.size < count + 1) cuts.add(1 + below(random, 9_999));
  const sorted = [...cuts].toSorted((one, other) => one - other);
  return sorted.slice(1).map((cut, i) => cut - (sorted[i] ?? 0));
}

/** Makes up rows of some companies: one to four owners each, in circles, of themselves, with blank shares, and more than 100 %. */
export function madeUpRows(random: Random, companies: number): readonly string[] {
  return Array.from({ length: companies }, (_, i) => {
    const society = FIRST + 2 * i;
    const kind = below(random, 10);
    if (kind < 5) return [people(society, '100')];
    const shares = parts(random, 1 + below(random, 4)).map(printed);
    const hasBlank = kind === 9;
    return shares.map((share, at) => {
      const cell = hasBlank && at === 0 ? '' : share;
      const partner = FIRST + 2 * below(random, companies);
      return at === 0 && kind % 2 === 0 ? people(society, cell) : edge(society, partner, cell);
    });
  }).flat();
}

/** The owners of a company as a plain script finds them in the rows. */
export interface PlainOwners {
  /** `RUT share` of each owner that is a company, and `people share`; the share is `?` if it is not known. */
  readonly owners: ReadonlySet<string>;
  readonly isWhole: boolean;
}

/** Reads rows by a plain script that shares no code with the reader: owners by bare RUT of the company that they own. */
export function plainOwners(rows: readonly string[]): ReadonlyMap<string, PlainOwners> {
  const shares = new Map<string, Map<string, number[]>>();
  for (const row of rows) {
    const [number, digit, , , partner, partnerDigit, , share = ''] = row.split(';');
    const owners = shares.get(`${number}${digit}`) ?? new Map<string, number[]>();
    const owner = partner ? `${partner}${partnerDigit}` : 'people';
    owners.set(owner, [...(owners.get(owner) ?? []), share === '' ? Number.NaN : Number(share.replace(',', '.'))]);
    shares.set(`${number}${digit}`, owners);
  }
  const sum = (all: readonly number[]) => Math.round(all.reduce((total, one) => total + one, 0) * 1e6) / 1e6;
  return new Map(
    [...shares].map(([rut, owners]) => {
      const total = sum([...owners.values()].flat());
      // Several rows of one owner that are more than all of the capital are no share.
      const shareOf = (all: readonly number[]) => (sum(all) <= 100.5 ? Math.min(100, sum(all)) : '?');
      const texts = [...owners].map(([owner, all]) => `${owner} ${shareOf(all)}`);
      return [rut, { owners: new Set(texts), isWhole: total >= 99.5 && total <= 100.5 }];
    }),
  );
}

const PERSON = '12345678;5';

/** Replaces one cell of a row. */
const withCell = (row: string, at: number, change: (cell: string) => string): string =>
  row
    .split(';')
    .map((cell, i) => (i === at ? change(cell) : cell))
    .join(';');

const cut = (random: Random) => (cell: string) => (below(random, 2) === 0 ? cell.slice(1) : cell.slice(0, -(1 + below(random, 3))));
const otherDigit = (cell: string): string => (cell === '' ? '3' : cell === 'K' ? '4' : String((Number(cell) + 1) % 10));

/** Kinds of damage to one row, by name. None replaces a value by another well-formed one, which no reader can notice. */
export const ROW_DAMAGES: Readonly<Record<string, (row: string, random: Random) => string>> = {
  'a cut RUT of an owner': (row, random) => withCell(row, 4, cut(random)),
  'a cut RUT of the company': (row, random) => withCell(row, 0, cut(random)),
  'another check digit of an owner': (row) => withCell(row, 5, otherDigit),
  'another check digit of the company': (row) => withCell(row, 1, otherDigit),
  'a missing check digit of the company': (row) => withCell(row, 1, () => ''),
  'a person as an owner': (row) => row.replace(/\d{8};[\dK];;/, `${PERSON};;`),
  'a blank share': (row) => withCell(row, 7, () => ''),
  'a share with letters': (row) => withCell(row, 7, (cell) => cell.replace(/\d/, 'O')),
  'a share with two marks': (row) => withCell(row, 7, (cell) => `1.${cell},0`),
  'a share out of bounds': (row) => withCell(row, 7, (cell) => `999${cell}`),
  'a negative share': (row) => withCell(row, 7, (cell) => `-${cell || '1'}`),
  'another decimal mark': (row) => withCell(row, 7, (cell) => cell.replace(',', '.')),
  'a cell too few': (row, random) => row.split(';').toSpliced(below(random, 8), 1).join(';'),
  'a cell too many': (row, random) => row.split(';').toSpliced(below(random, 9), 0, 'X').join(';'),
  'another word for people': (row) => row.replace('Personas Naturales', 'Socios'),
  'no word for people': (row) => row.replace('Personas Naturales', ''),
  'a line break inside': (row, random) => {
    const at = 1 + below(random, row.length - 1);
    return `${row.slice(0, at)}\n${row.slice(at)}`;
  },
  'an open quote': (row, random) => withCell(row, below(random, 8), (cell) => `"${cell}`),
  'a NUL': (row, random) => withCell(row, below(random, 2), (cell) => `${cell.slice(0, 3)}\0${cell.slice(4)}`),
  'dots in a RUT': (row) => withCell(row, 0, (cell) => `${cell.slice(0, 2)}.${cell.slice(2, 5)}.${cell.slice(5)}`),
  'a RUT with its check digit': (row) => withCell(row, 4, (cell) => (cell === '' ? '' : `${cell}-${rutOf(Number(cell)).slice(-1)}`)),
  'an exponent': (row) => withCell(row, 7, (cell) => (cell === '' ? '' : `${cell}E+01`)),
};
