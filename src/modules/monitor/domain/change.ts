import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, RegistrationStatus } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { CompanySize } from '../../enrich/domain.ts';

/** The watched registration fields of a company. For a company that the registry does not have: `not_found`, the rest null. */
export interface Snapshot {
  readonly status: RegistrationStatus;
  readonly size: CompanySize | null;
  /** Main economic activity as `/v1/enrich` words it, else its code. */
  readonly activity: string | null;
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
  /** Of field `candidate`, until it is published: the candidates that are new or whose record changed, as `recordText` names them. */
  readonly added?: readonly string[];
}

/** What a source reports of a company: its registration, the fingerprints of the list entries that name it, or its candidates. */
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
 * Why a change is quarantined. `share`: too many companies changed alike, an operator decides; `blank`: known fields became empty, a second
 * check decides.
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
  REGISTRATION_FIELDS.filter((field) => before[field] !== after[field]).map((field) => ({
    field,
    from: before[field],
    to: after[field],
  }));

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

/** Key of what a list is compared for. */
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
 * A part of the change log. A new epoch begins when the database was restored to an earlier moment: the positions after `after`, which
 * callers may know from before, are given out again, for other changes.
 */
export interface Epoch {
  readonly id: string;
  /** The last position when it began. */
  readonly after: number;
}

/** A position, and the epoch in which it was given out; null for the first epoch, which has no id. */
export interface LogPosition {
  readonly position: number;
  readonly epoch: string | null;
}

/** The range of positions that a stream has: its last position, and the first that is still kept. */
export interface StreamHead {
  readonly position: number;
  readonly keptFrom: number;
  /** All but the first one, in their order. */
  readonly epochs: readonly Epoch[];
}

/** Adds the epoch in which the log gave out a position. */
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
