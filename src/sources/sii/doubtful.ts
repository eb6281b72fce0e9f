import { inSlices } from '../../scheduling/slices.ts';
import { type LostRows, NEWEST } from './lost-rows.ts';
import type { SeenCompanies } from './seen-companies.ts';
import type { Table } from './tab-file.ts';

/** Maximum share of the companies that may have lost their row of the list of names, if that row has no number. */
const MAX_UNLISTED_SHARE = 0.001;

/** Companies and lost rows of a publication that was read. */
interface Read {
  readonly seen: SeenCompanies;
  readonly lost: Readonly<Record<Table, LostRows>>;
  /** Number of companies that have a row. */
  readonly companies: number;
}

/**
 * Returns the numbers of companies about which a row may be that cannot be read. Such a company is unknown if it has no other row, or if its
 * other rows state no end.
 *
 * The list of names has every company. Without a row of its own, a company is therefore doubtful by an unreadable RUT of the list, and by one
 * of the nómina only if there is no list. Beside another row, only a row that may state an end matters: in the list, or in a year of the
 * nómina that is not before that of the row. Of a row without a right check digit, a sound row of the same number in the same list or year
 * shows that it is another company's.
 * @param hasList true if the list of names was read
 */
export async function doubtfulCompanies({ seen, lost, companies }: Read, hasList: boolean): Promise<ReadonlySet<number>> {
  const found = new Set(lost.names.hasUnknownEnd ? await seen.unlisted(companies * MAX_UNLISTED_SHARE) : []);
  await inSlices(addDoubtful(found, lost.companies, (number) => seen.year(number), !hasList));
  await inSlices(addDoubtful(found, lost.names, (number) => (seen.isListed(number) ? NEWEST : seen.year(number)), true));
  return found;
}

/**
 * Adds the doubtful companies of a table, with a yield after each number, because a damaged file has hundreds of thousands.
 * @param yearOf returns the year of the row that answers, or of a sound row of the same table; undefined for a company without a row
 * @param isComplete true if the table has every company
 */
function* addDoubtful(
  found: Set<number>,
  { certain, possible }: LostRows,
  yearOf: (number: number) => number | undefined,
  isComplete: boolean,
): Generator<void, void, void> {
  for (const [number, year] of certain) {
    if (year >= (yearOf(number) ?? year)) found.add(number);
    yield;
  }
  for (const [number, year] of possible) {
    const read = yearOf(number);
    if (read === undefined ? isComplete : year > read) found.add(number);
    yield;
  }
}
