import { AppError } from '../../domain/errors.ts';
import { rutOfNumber } from '../../domain/tax-id.ts';
import { isoDate } from '../../domain/time.ts';
import { companyMessages } from '../../messages/companies.ts';
import type { ListVersion } from '../source.ts';
import { type OwnershipField, PEOPLE, WITHDRAWN } from './change-field.ts';
import { type Composition, KINDS, type StoredRow, toComposition } from './composition.ts';
import type { FoundOwnershipChanges, OwnershipSince, StoredOwnershipChange } from './store/changes.ts';

/** A page of the differences between the files, of one company. */
export interface OwnershipHistoryQuery {
  /** Bare RUT. */
  readonly rut: string;
  /** Names of fields; those of other registries have no changes. */
  readonly fields: readonly string[];
  readonly first: number;
  /** `seq` of the last change of the previous page; null for the newest changes. */
  readonly after: number | null;
}

/** A difference of a company between two files. Dates are ISO. */
export interface OwnershipChange {
  /** Order of the changes, oldest first; unique over all registries. */
  readonly seq: number;
  readonly field: OwnershipField;
  /** The owner, by its bare RUT, or all natural persons together; null for the company as a whole. */
  readonly owner: { readonly rut: string } | 'people' | null;
  /** Percentages of the owner; null if they are not known, or there are none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly extractFrom: string;
  readonly extractTo: string;
}

/** Changes of a company, newest first. */
export interface OwnershipHistory {
  readonly changes: readonly OwnershipChange[];
  readonly hasMore: boolean;
  /** Dates of the first and the last file between which every change is known. */
  readonly coveredFrom: string;
  readonly coveredTo: string;
  /** False if the file that answers has no owners of the company. */
  readonly isListed: boolean;
}

/** The owners of a company in the last file up to a date, and the ISO date of that file. */
export interface PastComposition {
  readonly composition: Composition;
  readonly filedOn: string;
}

const dateOf = ({ publishedOn, loadedAt }: ListVersion): string => publishedOn ?? isoDate(loadedAt);

/** @param isEarlierMissing true if the file of an earlier year is to be loaded, and could not be yet */
const beganOn = (date: string, isEarlierMissing: boolean): AppError =>
  new AppError('NO_RECORD_THEN', (isEarlierMissing ? companyMessages.ownersFileMissing : companyMessages.ownersFileBegins)({ date }));

/** Converts a page. Without two files to compare, or with a gap between the last two, the history has not begun. */
export function toHistory(
  { first }: OwnershipHistoryQuery,
  found: FoundOwnershipChanges | undefined,
  version: ListVersion,
  isEarlierMissing: boolean,
): OwnershipHistory | AppError {
  const { coveredFrom, coveredTo, isListed = false, changes = [] } = found ?? {};
  if (!coveredFrom || !coveredTo || (coveredFrom === coveredTo && changes.length === 0)) return beganOn(dateOf(version), isEarlierMissing);
  const page = changes.slice(0, first).filter(isReported).map(toChange);
  return { changes: page, hasMore: changes.length > first, coveredFrom, coveredTo, isListed };
}

type ReportedChange = StoredOwnershipChange & { readonly field: OwnershipField };

const isReported = (change: StoredOwnershipChange): change is ReportedChange => change.field !== WITHDRAWN;

const toChange = ({ partner, ...change }: ReportedChange): OwnershipChange => ({
  ...change,
  owner: partner === null ? null : partner === PEOPLE ? 'people' : { rut: rutOfNumber(partner) },
});

/**
 * Returns the owners of a company in the last file up to a date.
 * @param rows rows of the company in the version that answers
 */
export function compositionAsOf(
  { asOf }: { readonly asOf: string },
  rows: readonly StoredRow[],
  version: ListVersion,
  since: OwnershipSince | undefined,
  isEarlierMissing: boolean,
): PastComposition | AppError {
  const filedOn = dateOf(version);
  const coveredFrom = since?.coveredFrom ?? filedOn;
  if (!since || asOf < coveredFrom) return beganOn(coveredFrom, isEarlierMissing);
  if (since.extractedOn === null) return { composition: toComposition(rows, version.rowsUnmatched > 0), filedOn };
  const untexted = rows.map((row) => ({ ...row, text: null })); // the texts are those of the later file
  return { composition: toComposition(undoChanges(untexted, since.changes), since.hadLost), filedOn: since.extractedOn };
}

/** Undoes changes, the newest first, to the rows of a later file. Rows of one owner become one row, whose share is their sum. */
export const undoChanges = (rows: readonly StoredRow[], changes: readonly StoredOwnershipChange[]): readonly StoredRow[] =>
  changes.reduce(undo, rows);

function undo(rows: readonly StoredRow[], { field, partner, before }: StoredOwnershipChange): readonly StoredRow[] {
  if (field === 'registered') return [];
  if (partner === null) return rows; // a company that was removed: its owners are changes of their own
  const kind = partner === PEOPLE ? KINDS.people : KINDS.company;
  const others = rows.filter((row) => row.kind !== kind || (row.partner ?? PEOPLE) !== partner);
  if (field === 'partner_joined') return others;
  return [...others, { kind, partner: partner === PEOPLE ? null : partner, share: before, problem: null }];
}
