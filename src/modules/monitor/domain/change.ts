import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, RegistrationStatus } from '../../../domain/company.ts';
import { isSameDescription, mended } from '../../../domain/encoding.ts';
import type { CompanySize } from '../../enrich/domain.ts';
import type { LogPosition } from './log-position.ts';
import { diffRecords, RECORD_FIELDS, type RecordField, type RecordSnapshot } from './record.ts';

/**
 * The watched fields of a company at its registry. For a company that the registry does not have: `not_found`, size and activity null,
 * and the record unknown.
 */
export interface Snapshot extends RecordSnapshot {
  readonly status: RegistrationStatus;
  readonly size: CompanySize | null;
  /** Main economic activity as `/v1/enrich` words it, else its code. */
  readonly activity: string | null;
  /** Code of the activity, by which activities are compared; null without one. Absent in snapshots that earlier versions stored. */
  readonly activityCode?: string | null;
}

/** Fields of a registration. Every monitor reports them. */
const REGISTRATION_FIELDS = ['status', 'size', 'activity'] as const;
/** All fields of a registry, in the order of the webhook payload. */
export const REGISTRY_FIELDS = [...REGISTRATION_FIELDS, ...RECORD_FIELDS] as const;
/** Fields of lists, named after the check that reads them. */
export const LIST_FIELDS = ['sanctions', 'debarment', 'labor', 'contract_fines'] as const;
/** Field of the listed parties with a name similar to the company's. */
export const CANDIDATE = 'candidate';
export type ListField = (typeof LIST_FIELDS)[number] | typeof CANDIDATE;
export type ChangedField = (typeof REGISTRATION_FIELDS)[number] | RecordField | ListField;

/**
 * The old and the new value of one field. For a list, both count the entries that name the company, or the candidates. For `owners`, `from`
 * names the partners that left and `to` those that joined.
 */
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
  /** Set in a held change if the last answer told nothing about the field: the reason for which its value is held. */
  readonly undecided?: QuarantineReason;
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
export const diffSnapshots = (before: Snapshot, after: Snapshot): readonly FieldChange[] => [
  ...REGISTRATION_FIELDS.filter((field) => (field === 'activity' ? !isSameActivity(before, after) : before[field] !== after[field])).map(
    (field) => ({ field, from: before[field] && mended(before[field]), to: after[field] }),
  ),
  ...diffRecords(before, after),
];

/** Returns the fields of a change that a webhook without `recordNews` gets. */
export const withoutRecord = (fields: readonly FieldChange[]): readonly FieldChange[] =>
  fields.filter(({ field }) => !(RECORD_FIELDS as readonly string[]).includes(field));

/** True for equal codes, however the activities are described. Without two codes, the descriptions are compared regardless of spelling. */
function isSameActivity(before: Snapshot, after: Snapshot): boolean {
  if (before.activity === after.activity) return true;
  if (before.activity === null || after.activity === null) return false;
  if (before.activityCode && after.activityCode) return before.activityCode === after.activityCode;
  return before.activity === after.activityCode || isSameDescription(before.activity, after.activity);
}

const isBlank = (value: string | null): boolean => value === null || value === '' || value === 'unknown' || value === 'not_found';

/** Fields that the registry empties when it closes a company. */
const CLEARED: readonly ChangedField[] = ['owners', 'special_situation'];

/**
 * True when a known value became blank. Partners and the special situation may end together with the registration; the change of the status
 * does not wait for a second check then.
 */
export function losesKnownValue(changes: readonly FieldChange[]): boolean {
  const isClosed = changes.some(({ field, to }) => field === 'status' && to === 'inactive');
  return changes.some((change) => isLost(change) && !(isClosed && CLEARED.includes(change.field)));
}

/** `to` of `owners` is null if nobody joined, and empty if no partner is registered any more. */
const isLost = ({ field, from, to }: FieldChange): boolean => (field === 'owners' ? to === '' : !isBlank(from) && isBlank(to));
