import { numberOfRut, rutOfNumber } from '../../domain/tax-id.ts';
import { decimalText } from '../../domain/text.ts';
import { MAX_ROUNDED, type ShareProblem } from './share.ts';

/** Kinds of stored rows, as numbers of the column `kind`. */
export const KINDS = { company: 0, people: 1, unread: 2 } as const;

/** A stored row about the owners of a company. */
export interface StoredRow {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly partner: number | null;
  readonly share: string | null;
  readonly problem: ShareProblem | null;
  /** Text of a share that is no percentage; absent or null for others. */
  readonly text?: string | null;
}

/**
 * published: the file has the owners. unread: some rows that are about the company, or may be, could not be read, so an owner may be
 * missing. not_published: the file has no row of the company, which does not mean that it has no owners.
 */
export type CompositionStatus = 'published' | 'unread' | 'not_published';

/** A company that owns a part of another one. */
export interface CompanyShare {
  /** Bare RUT. */
  readonly rut: string;
  /** Percentage of the capital as a decimal; null if it is not known. */
  readonly share: string | null;
  /** Text of the file that is no percentage, because of which the share is not known; absent for another reason. */
  readonly text?: string;
}

/** The owners of a company as declared to the registry. */
export interface Composition {
  /** False if the file has no row of the company. */
  readonly isListed: boolean;
  readonly status: CompositionStatus;
  /** Owners that are companies: the largest share first, unknown ones last, then by RUT. */
  readonly companies: readonly CompanyShare[];
  /** All natural persons among the owners together; null if there are none, or none is on record. */
  readonly people: Omit<CompanyShare, 'rut'> | null;
  /** True if every share is known and they add up to 100 %. */
  readonly isComplete: boolean;
}

/** Sums of shares that are 100 % after rounding. */
const WHOLE = { min: 99.5, max: MAX_ROUNDED } as const;
/** Maximum difference from 100 % if rows could not be read: what is missing from the sum may be their share. */
const EXACT = 0.01;

/**
 * Combines the rows of a company. Rows of one owner, which may have several series of shares, are added up.
 * @param hasLost true if the file has rows of which nothing says what company they are about
 */
export function toComposition(rows: readonly StoredRow[], hasLost: boolean): Composition {
  const companies = [...Map.groupBy(ofKind(rows, KINDS.company), ({ partner }) => partner ?? 0)].map(([partner, its]) => ({
    rut: rutOfNumber(partner),
    ...shareOf(its),
  }));
  const people = ofKind(rows, KINDS.people);
  const unread = ofKind(rows, KINDS.unread);
  const read = rows.filter(({ kind }) => kind !== KINDS.unread);
  const isComplete = read.length > 0 && isWhole(sumOf(read), unread, hasLost);
  return {
    isListed: rows.length > 0,
    status: isComplete ? 'published' : statusOf(read.length > 0, unread.length > 0 || hasLost),
    companies: companies.toSorted(bySize),
    people: people.length > 0 ? shareOf(people) : null,
    isComplete,
  };
}

const statusOf = (isListed: boolean, hasUnread: boolean): CompositionStatus => {
  if (hasUnread) return 'unread';
  return isListed ? 'published' : 'not_published';
};

const ofKind = (rows: readonly StoredRow[], wanted: StoredRow['kind']) => rows.filter(({ kind }) => kind === wanted);

/**
 * True if the shares of the rows that were read are the whole. Rows that were not read change nothing if the others are exactly 100 % and
 * they state a share of their own: they are then superfluous, as the row of a person beside the joint row of all persons.
 */
function isWhole(sum: string | null, unread: readonly StoredRow[], hasLost: boolean): boolean {
  if (sum === null) return false;
  const total = Number(sum);
  if (unread.length === 0 && !hasLost) return total >= WHOLE.min && total <= WHOLE.max;
  return Math.abs(total - 100) <= EXACT && unread.every(({ share }) => share !== null && Number(share) > EXACT);
}

/** Adds the shares of one owner. Rows that are more than all of the capital are no share of it. */
function shareOf(rows: readonly StoredRow[]): Omit<CompanyShare, 'rut'> {
  const sum = sumOf(rows);
  if (sum === null)
    return {
      share: null,
      ...textOf(
        rows
          .map(({ text }) => text ?? '')
          .toSorted()
          .at(-1),
      ),
    };
  if (Number(sum) > WHOLE.max) return { share: null };
  return { share: Number(sum) > 100 ? '100' : sum };
}

/** Returns the text of a share that is no percentage as a property; none for a blank one. */
export const textOf = (text: string | null | undefined): Pick<CompanyShare, 'text'> => (text ? { text } : {});

/** Adds percentages; null if one of them is not known. */
function sumOf(rows: readonly Pick<StoredRow, 'share'>[]): string | null {
  if (rows.some(({ share }) => share === null)) return null;
  if (rows.length === 1) return rows[0]?.share ?? null;
  return decimalText(rows.reduce((sum, { share }) => sum + Number(share), 0));
}

const bySize = (one: CompanyShare, other: CompanyShare): number =>
  Number(other.share ?? -1) - Number(one.share ?? -1) || numberOfRut(one.rut) - numberOfRut(other.rut);
