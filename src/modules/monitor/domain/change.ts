import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, RegistrationStatus } from '../../../domain/company.ts';
import { isSameDescription, mended } from '../../../domain/encoding.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { CompanySize } from '../../enrich/domain.ts';

/** The watched registration fields of a company. For a company that the registry does not have: `not_found`, the rest null. */
export interface Snapshot {
  readonly status: RegistrationStatus;
  readonly size: CompanySize | null;
  /** Main economic activity as `/v1/enrich` words it, else its code. */
  readonly activity: string | null;
  /** Code of the activity, by which activities are compared; null without one. Absent in snapshots that earlier versions stored. */
  readonly activityCode?: string | null;
}

/** Fields of a tax registry, in the order of the webhook payload. */
export const REGISTRATION_FIELDS = ['status', 'size', 'activity'] as const;
/** Fields of lists, named after the check that reads them. */
export const LIST_FIELDS = ['sanctions', 'debarment', 'labor'] as const;
/** Field of the listed parties with a name similar to the company's. */
export const CANDIDATE = 'candidate';
export type ListField = (typeof LIST_FIELDS)[number] | typeof CANDIDATE;
export type ChangedField = (typeof REGISTRATION_FIELDS)[number] | ListField;

/** The old and the new value of one field. For a list, both count the entries that name the company, or the candidates. */
export interface FieldChange {
  readonly field: ChangedField;
  readonly from: string | null;
  readonly to: string | null;
  readonly list?: SourceName;
  /**
   * Set for field `candidate` until the change is published: the candidates that are new or whose record changed, as `recordText` names
   * them.
   */
  readonly added?: readonly string[];
}

/** An observation of a company at a source: its registration, the fingerprints of the list entries that name it, or its candidates. */
export type Observation = Snapshot | readonly string[];

/** A difference between the snapshot of a company and what a source reports now. */
export interface DetectedChange {
  readonly company: CompanyKey;
  readonly source: SourceName;
  /** Set for candidates, which are stored and held apart from the list entries that name the company. */
  readonly kind?: typeof CANDIDATE;
  readonly fields: readonly FieldChange[];
  readonly observed: Observation;
}

/** Names what is observed of a company: its source, such as `OFAC_SDN`, or `OFAC_SDN:candidate`. Observations are stored and held under it. */
export type ObservationKey = SourceName | `${SourceName}:${typeof CANDIDATE}`;

export const observationKey = ({ source, kind }: Pick<DetectedChange, 'source' | 'kind'>): ObservationKey =>
  kind ? `${source}:${kind}` : source;

/**
 * Reason of a quarantine. `share`: too many companies changed alike, and an operator decides. `blank`: known fields became empty, and a
 * second check decides.
 */
export type QuarantineReason = 'share' | 'blank';

/** A quarantined change. */
export interface HeldChange extends DetectedChange {
  readonly reason: QuarantineReason;
  /** Epoch ms, when this observation was first made. */
  readonly heldAt: number;
}

/** A row of the change log: a change as one monitor receives it. Positions follow the order of commits, without gaps. */
export interface Change extends LogPosition {
  /** UUID; the event id on every transport. */
  readonly id: string;
  /** UUID, the same for every monitor that reports the observation. */
  readonly observationId: string;
  readonly monitorId: string;
  readonly keyId: string;
  readonly company: CompanyKey;
  /** The tax id as the monitor's creator wrote it. */
  readonly identifier: string;
  /** The registry or list that reported it. */
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  /** Epoch ms. */
  readonly detectedAt: number;
  /** Epoch ms, when the source was asked: an answer requested since then contains the change. */
  readonly observedAt: number;
}

/** The fields that differ, in their fixed order; empty for equal snapshots. */
export const diffSnapshots = (before: Snapshot, after: Snapshot): readonly FieldChange[] =>
  REGISTRATION_FIELDS.filter((field) => (field === 'activity' ? !isSameActivity(before, after) : before[field] !== after[field])).map(
    (field) => ({ field, from: before[field] && mended(before[field]), to: after[field] }),
  );

/** True for equal codes, however the activities are described. Without two codes, the descriptions are compared regardless of spelling. */
function isSameActivity(before: Snapshot, after: Snapshot): boolean {
  if (before.activity === after.activity) return true;
  if (before.activity === null || after.activity === null) return false;
  if (before.activityCode && after.activityCode) return before.activityCode === after.activityCode;
  return before.activity === after.activityCode || isSameDescription(before.activity, after.activity);
}

const isBlank = (value: string | null): boolean => value === null || value === '' || value === 'unknown' || value === 'not_found';

/** True when a known value became blank. */
export const losesKnownValue = (changes: readonly FieldChange[]): boolean => changes.some(({ from, to }) => !isBlank(from) && isBlank(to));

/** True when every field belongs to a list. */
export const isListChange = (changes: readonly FieldChange[]): boolean => changes.every(({ list }) => list !== undefined);

/** A watched list, and the field that its changes have. */
export interface WatchedList {
  readonly list: SourceName;
  readonly field: ListField;
}

/** Returns the key under which the observations of a list are stored. */
export const listKey = ({ list, field }: WatchedList): ObservationKey =>
  observationKey({ source: list, ...(field === CANDIDATE && { kind: field }) });

/** Compares two sorted lists of fingerprints. */
export const sameEntries = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, i) => entry === b[i]);

/** The change between two sorted lists of fingerprints; empty when they are equal. */
export const diffListEntries = (
  { list, field }: WatchedList,
  before: readonly string[],
  after: readonly string[],
): readonly FieldChange[] => (sameEntries(before, after) ? [] : [{ field, from: String(before.length), to: String(after.length), list }]);

/** The change of candidates: empty unless one is new or its record changed. Those that an operator discarded are not new. */
export function diffCandidates(
  { list, field }: WatchedList,
  {
    before,
    ignored,
    after,
  }: { readonly before: readonly string[]; readonly ignored: readonly string[]; readonly after: readonly string[] },
): readonly FieldChange[] {
  const known = new Set([...before, ...ignored]);
  const added = after.filter((candidate) => !known.has(candidate));
  return added.length === 0 ? [] : [{ field, from: String(before.length), to: String(after.length), list, added }];
}

/**
 * A part of the change log. A restore of the database to an earlier moment begins a new epoch: the log assigns the positions after `after`
 * again, to other changes, although callers may know them.
 */
export interface Epoch {
  readonly id: string;
  /** Last position of the log when the epoch began. */
  readonly after: number;
}

/** A position, and the epoch in which the log assigned it; null for the first epoch, which has no id. */
export interface LogPosition {
  readonly position: number;
  readonly epoch: string | null;
}

/** The range of positions of a stream: its last position, and the first one that is still kept. */
export interface StreamHead {
  readonly position: number;
  readonly keptFrom: number;
  /** All epochs except the first one, oldest first. */
  readonly epochs: readonly Epoch[];
}

/** Adds the epoch in which the log assigned a position. */
export const atPosition = (position: number, { epochs }: Pick<StreamHead, 'epochs'>): LogPosition => ({
  position,
  epoch: epochs.findLast(({ after }) => after < position)?.id ?? null,
});

/**
 * Checks that every event after a position is still in the log, and that the log has not been restored to a moment before that position.
 * @param cursorOf makes the cursor that the error offers instead
 * @throws AppError CURSOR_TOO_OLD; INVALID_INPUT on `after` for a position that does not exist yet
 */
export function requireKept(after: LogPosition, head: StreamHead, cursorOf: (at: LogPosition) => string): void {
  const oldest = head.keptFrom - 1;
  if (after.epoch !== atPosition(after.position, head).epoch) {
    const restored = Math.max(head.epochs.at(-1)?.after ?? 0, oldest);
    throw new AppError(
      'CURSOR_TOO_OLD',
      'The change log was restored to a moment before this cursor. Read the current state of the companies, then continue from the cursor in this error.',
      { cursor: cursorOf(atPosition(restored, head)) },
    );
  }
  if (after.position > head.position)
    throw invalidInput('after', 'This cursor is ahead of the change log: it comes from another installation.');
  if (after.position >= oldest) return;
  throw new AppError(
    'CURSOR_TOO_OLD',
    'Changes after this cursor have been deleted. Read the current state of the companies, then continue from the cursor in this error.',
    { cursor: cursorOf(atPosition(oldest, head)) },
  );
}

/** Threshold above which changes of one field count as a mass change. Both conditions must hold. */
export interface MassChangeLimits {
  /** Share of the compared companies: 0 to 1. */
  readonly share: number;
  /** Minimum number of companies. */
  readonly min: number;
}

/** Recent numbers of one source, against which new changes are compared. */
export interface BaselineStats {
  /** Companies of this batch, those without a change included. */
  readonly checked: number;
  /** Other companies, checked before this batch, at most `recentWindowSize`, and field → those that changed then. */
  readonly recentWindow: { readonly checked: number; readonly changed: ReadonlyMap<ChangedField, number> };
  /** Companies watched at the source. */
  readonly watched: number;
  /** Field → other companies whose change was published within the last interval, or waits for a second check. */
  readonly changed: ReadonlyMap<ChangedField, number>;
  /** Fields with changes that are quarantined as a mass change already. */
  readonly held: ReadonlySet<ChangedField>;
}

/** The changes of a batch, split by the guard. */
export interface GuardResult {
  readonly published: readonly DetectedChange[];
  readonly held: readonly { readonly change: DetectedChange; readonly reason: QuarantineReason }[];
}

/**
 * Number of companies checked before a batch of `checked` that the share is computed over. Together with the batch they are so many that
 * `min` companies equal the share: a broken load is detected after `min` changes, before most companies have been checked.
 */
export const recentWindowSize = ({ share, min }: MassChangeLimits, checked: number): number =>
  share === 0 ? 0 : Math.max(0, Math.ceil(min / share) - checked);

/** A lost value is confirmed by a check that repeats the observation after this time. */
export const CONFIRM_AFTER_MS = HOUR_MS;

/** True when a check at `now` (epoch ms) repeats an observation that waits for its second check. */
export const isConfirmed = ({ reason, observed, heldAt }: HeldChange, repeated: DetectedChange, now: number): boolean =>
  reason === 'blank' && now - heldAt >= CONFIRM_AFTER_MS && diffSnapshots(observed as Snapshot, repeated.observed as Snapshot).length === 0;

/**
 * Splits the changes of one registry's batch. A change is held by `share` when one of its fields changes for too many companies: of the
 * batch, of the batch and the recent window, of all watched within the last interval, or when changes of that field are held by share
 * already, so that a mass change stays together. Any other change that loses a known value is held as `blank` until it is confirmed.
 */
export function splitMassChanges(
  changes: readonly DetectedChange[],
  {
    stats,
    limits,
    isConfirmed,
  }: { readonly stats: BaselineStats; readonly limits: MassChangeLimits; readonly isConfirmed: (change: DetectedChange) => boolean },
): GuardResult {
  const suspect = suspectFields(changes, stats, limits);
  const reasonOf = (change: DetectedChange): QuarantineReason | 'none' => {
    if (change.fields.some(({ field }) => suspect.has(field))) return 'share';
    return losesKnownValue(change.fields) && !isConfirmed(change) ? 'blank' : 'none';
  };
  const { none: published = [], ...held } = Object.groupBy(changes, reasonOf);
  const heldFor = (reason: QuarantineReason) => (held[reason] ?? []).map((change) => ({ change, reason }));
  return { published, held: [...heldFor('blank'), ...heldFor('share')] };
}

const suspectFields = (changes: readonly DetectedChange[], stats: BaselineStats, limits: MassChangeLimits): ReadonlySet<ChangedField> => {
  const counts = countBy(changes.flatMap(({ fields }) => fields.map(({ field }) => field)));
  return new Set([...counts].filter(([field, count]) => isMassChange(field, count, stats, limits)).map(([field]) => field));
};

/** True when the number `count` of changes of a field reaches the limits, or changes of the field are held as a mass change already. */
export function isMassChange(
  field: ChangedField,
  count: number,
  { checked, recentWindow, watched, changed, held }: BaselineStats,
  { share, min }: MassChangeLimits,
): boolean {
  const tooMany = (number: number, of: number) => number >= min && number >= share * of;
  return (
    held.has(field) ||
    tooMany(count, checked) ||
    tooMany(count + (recentWindow.changed.get(field) ?? 0), checked + recentWindow.checked) ||
    tooMany(count + (changed.get(field) ?? 0), watched)
  );
}

const countBy = (fields: readonly ChangedField[]): ReadonlyMap<ChangedField, number> =>
  new Map([...Map.groupBy(fields, (field) => field)].map(([field, group]) => [field, group.length]));
