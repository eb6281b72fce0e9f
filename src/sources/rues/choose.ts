import { nitCheckDigit } from '../../domain/tax-id.ts';
import { HttpFailure } from '../http/failure.ts';
import type { ChamberRegistration, RuesCompany, RuesFinding } from './company.ts';
import { isCertain, isPerson, MAX_REGISTRATIONS, type Registration, type RowCategory, type RuesRow, readRegistration } from './row.ts';
import { type StateMeaning, weightOf } from './states.ts';

/** A registration that has a name and a state. */
interface NamedRegistration extends Registration {
  readonly name: string;
  readonly state: string;
  readonly meaning: StateMeaning;
}

/** Times by which rows are read: now in epoch ms, and the ISO date of the data, by which a renewal is overdue. */
export interface ReadingTime {
  readonly now: number;
  readonly asOf: string;
}

/**
 * Reads the company of a NIT from all its rows: chooses the registration that states what the company is, and combines the others with it
 * (docs/decisions/0041-registrations-of-a-company.md). Rows that also have the number of another company, and those without a name or a
 * state, are left out, unless one of them may state that the company is active, or registered, against the chosen one.
 * @param base nine digits, without the check digit
 * @throws HttpFailure for rows from which the status cannot be read with certainty
 */
export function readCompany(base: string, rows: readonly RuesRow[], time: ReadingTime): RuesFinding {
  if (rows.length > MAX_REGISTRATIONS) throw new HttpFailure('too_many_rows', `more than ${MAX_REGISTRATIONS} registrations of a company`);
  const companies = rows.filter((row) => !isPerson(row));
  if (companies.length === 0) return { record: null, absence: 'not_in_register' };
  const own = companies.filter((row) => isCertain(row, base));
  if (own.length === 0) throw new HttpFailure('other_company', 'all rows of a company have the number of another one, too');
  const read = (row: RuesRow): Registration => readRegistration(row, time.now);
  const all = own.map(read);
  const [chosen, ...others] = all.filter(isNamed).sort(byPreference);
  if (!chosen) throw new HttpFailure('unknown_shape', 'no row of a company has a name and a state');
  const incomplete = all.filter((one) => !isNamed(one));
  if (incomplete.some((one) => mayOutrank(one, chosen)))
    throw new HttpFailure('unknown_shape', 'the registration that may state what a company is has no name or no state');
  const doubtful = isSettled(chosen) ? [] : companies.filter((row) => !own.includes(row)).map(read);
  if (doubtful.some((one) => mayOutrank(one, chosen)))
    throw new HttpFailure('other_company', 'the registration that may state what a company is has the number of another one, too');
  if (chosen.meaning === 'unregistered') return { record: null, absence: 'not_registered' };
  if (chosen.meaning === 'live' && chosen.category === 'unknown')
    throw new HttpFailure('unknown_category', 'the active registration of a company may be that of a branch');
  const hasEnded = [...others, ...incomplete, ...doubtful].some(isEnded);
  return { record: companyOf(base, chosen, others, { hasEnded, asOf: time.asOf }), absence: null };
}

const isNamed = (one: Registration): one is NamedRegistration => one.name !== null && one.meaning !== null;

/** A category that cannot be read comes after those of a whole company, so that it decides only where no other registration can. */
const CATEGORY_RANKS: Readonly<Record<RowCategory, number>> = { main: 0, other: 1, unknown: 2, branch: 3, agency: 3, establishment: 3 };

/** Sorts the registration first that states what the company is. Registrations that are equal in all else are sorted by their keys. */
const byPreference = (a: NamedRegistration, b: NamedRegistration): number =>
  weightOf(a.meaning) - weightOf(b.meaning) ||
  CATEGORY_RANKS[a.category] - CATEGORY_RANKS[b.category] ||
  (b.lastRenewedYear ?? 0) - (a.lastRenewedYear ?? 0) ||
  ascending(b.updatedAt, a.updatedAt) ||
  ascending(b.registeredOn ?? '', a.registeredOn ?? '') ||
  ascending(a.chamberCode, b.chamberCode) ||
  ascending(a.number ?? '', b.number ?? '');

const ascending = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Order of what a meaning states about a company: active, inactive, not registered. */
const STATUS_RANKS: Readonly<Record<StateMeaning, number>> = { live: 0, cancelled: 1, inactive: 1, moved: 1, none: 1, unregistered: 2 };

/** True if a registration that is left out may state something else about the company than the chosen one, and would be preferred to it. */
function mayOutrank(one: Registration, chosen: NamedRegistration): boolean {
  const isOfWhole = isPart(chosen) && !isPart(one);
  if (one.possibleMeanings.includes(chosen.meaning)) return chosen.meaning === 'live' && isOfWhole;
  return one.possibleMeanings.some((meaning) => STATUS_RANKS[meaning] < STATUS_RANKS[chosen.meaning]);
}

/** True for an active registration of a company itself, which no other one changes. */
const isSettled = (one: NamedRegistration): boolean => one.meaning === 'live' && !isPart(one);

function companyOf(
  base: string,
  chosen: NamedRegistration,
  others: readonly NamedRegistration[],
  { hasEnded, asOf }: { readonly hasEnded: boolean; readonly asOf: string },
): RuesCompany {
  const all = [chosen, ...others];
  const isActive = chosen.meaning === 'live';
  return {
    nit: base + nitCheckDigit(base),
    name: chosen.name,
    tradeName: chosen.tradeName,
    state: chosen.state,
    status: isActive ? 'active' : 'inactive',
    isVerified: isActive && (!isPart(chosen) || (chosen.isForeignCompany && !hasEnded)),
    isBranch: isBranch(chosen),
    foundedOn: earliest(weighty(all).map(({ registeredOn }) => registeredOn)),
    endedOn: chosen.meaning === 'cancelled' ? latest(all.filter(isCancelled).map(({ cancelledOn }) => cancelledOn)) : null,
    lastRenewedYear: chosen.lastRenewedYear,
    ...(isActive ? overdueRenewals(chosen.lastRenewedYear, asOf) : NO_RENEWAL_OVERDUE),
    legalForm: chosen.legalForm,
    activities: [...chosen.activities],
    chamber: chosen.chamber,
    representative: chosen.representative,
    registrations: all.map((one) => toChamberRegistration(one, one === chosen)),
  };
}

const isBranch = ({ category }: Registration): boolean => category === 'branch' || category === 'agency';
/** True for a registration of a part of a company. */
const isPart = ({ category }: Registration): boolean => CATEGORY_RANKS[category] === CATEGORY_RANKS.branch;
const isCancelled = ({ meaning }: Registration): boolean => meaning === 'cancelled';

const ENDED: readonly StateMeaning[] = ['cancelled', 'inactive', 'moved'];

/**
 * True for a registration by which a company has ended. An active branch or establishment beside it is not verified, and neither is one
 * without a registration of its company. A foreign company has no other one in Colombia, so that its branch stands for it.
 */
const isEnded = (one: Registration): boolean => !isPart(one) && one.possibleMeanings.some((meaning) => ENDED.includes(meaning));

/** Returns the registrations that count for the first date: those of the company, or all if none has a state of the company. */
function weighty(all: readonly NamedRegistration[]): readonly NamedRegistration[] {
  const own = all.filter(({ meaning }) => meaning !== 'none' && meaning !== 'unregistered');
  return own.length > 0 ? own : all;
}

const earliest = (dates: readonly (string | null)[]): string | null => dates.filter((date) => date !== null).toSorted()[0] ?? null;
const latest = (dates: readonly (string | null)[]): string | null =>
  dates
    .filter((date) => date !== null)
    .toSorted()
    .at(-1) ?? null;

/** Month from which the renewal of a year is overdue. It is due by 31 March. */
const OVERDUE_FROM_MONTH = 4;

const NO_RENEWAL_OVERDUE = { notRenewedSince: null, renewalsMissed: null };

/** Returns the year of the last renewal and the number of those that were due since, before `asOf`; null if none was, or if the year is not known. */
function overdueRenewals(lastRenewedYear: number | null, asOf: string): Pick<RuesCompany, 'notRenewedSince' | 'renewalsMissed'> {
  const [year = 0, month = 0] = asOf.split('-').map(Number);
  const due = month >= OVERDUE_FROM_MONTH ? year : year - 1;
  if (lastRenewedYear === null || lastRenewedYear >= due) return NO_RENEWAL_OVERDUE;
  return { notRenewedSince: lastRenewedYear, renewalsMissed: due - lastRenewedYear };
}

const toChamberRegistration = (one: NamedRegistration, isChosen: boolean): ChamberRegistration => ({
  chamber: one.chamber,
  number: one.number,
  state: one.state,
  category: one.category === 'unknown' ? 'other' : one.category,
  registeredOn: one.registeredOn,
  lastRenewedYear: one.lastRenewedYear,
  cancelledOn: one.cancelledOn,
  isChosen,
});
