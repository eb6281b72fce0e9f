import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { ChangedField, FieldChange } from './change.ts';

/** A change of a company in a mail. */
export interface DigestChange {
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  /** Epoch ms. */
  readonly detectedAt: number;
}

/** A company in a mail. */
export interface NamedCompany {
  readonly company: CompanyKey;
  /** Name at its registry; null if it is not known. */
  readonly name: string | null;
}

/** A company that has changed. */
export interface ChangedCompany extends NamedCompany {
  /** Number of all its changes. */
  readonly total: number;
  /** The newest changes, at most `MAX_CHANGES`, the newest first. */
  readonly changes: readonly DigestChange[];
  /** Lists that name the company now. */
  readonly lists: readonly string[];
}

/** A company without a recent successful check. */
export interface UncheckedCompany extends NamedCompany {
  /** Epoch ms of its last successful check; null for none. */
  readonly checkedAt: number | null;
}

/** A list whose last download failed. */
export interface UnreadList {
  readonly list: SourceName;
  /** Epoch ms of its last successful download; null for none. */
  readonly readAt: number | null;
}

/** A part of a list, with the number of all its items. */
export interface Part<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** The content of a mail about the watched companies of an account. */
export interface Digest {
  /** Number of companies that the account watches. */
  readonly watched: number;
  /** The companies that changed, the most serious first. */
  readonly changed: Part<ChangedCompany>;
  readonly unchecked: Part<UncheckedCompany>;
  readonly unreadLists: readonly UnreadList[];
  /** Number of changes that wait for a second check or for the operator. */
  readonly held: number;
  /** Candidates by name without a decision; null if no monitor of the account compares names. */
  readonly openCandidates: number | null;
  /** True if changes of the period were deleted before the mail was sent, because the mails before it failed for days. */
  readonly lostChanges: boolean;
}

/** Maximum number of companies in a mail, of changes of a company, and of companies that are named as not checked. */
export const MAX_COMPANIES = 50;
export const MAX_CHANGES = 5;
export const MAX_UNCHECKED = 20;

/** True if nothing changed, and nothing is missing that would have shown a change. */
export const isQuiet = ({ changed, unchecked, unreadLists, held, lostChanges }: Digest): boolean =>
  changed.total === 0 && unchecked.total === 0 && unreadLists.length === 0 && held === 0 && !lostChanges;

/** Stands for a change by which a company left a list. */
export const LEFT_LIST = 'left_list';

/** The fields in the order of their weight in a mail. The first ones are new entries of lists. */
export const BY_WEIGHT: readonly (ChangedField | typeof LEFT_LIST)[] = [
  'sanctions',
  'debarment',
  'labor',
  'candidate',
  'status',
  'special_situation',
  'contract_fines',
  'owners',
  'name',
  'address',
  'activity',
  'capital',
  'size',
  'last_renewed_year',
  LEFT_LIST,
];
/** Number of fields at the start of `BY_WEIGHT` that are lists which name the company. */
export const LIST_WEIGHTS = 3;
