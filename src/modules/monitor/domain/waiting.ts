import { companyKeyText } from '../../../domain/company.ts';
import { DAY_MS } from '../../../domain/time.ts';
import {
  type ChangedField,
  type DetectedChange,
  diffSnapshots,
  type FieldChange,
  type HeldChange,
  type QuarantineReason,
  type Snapshot,
} from './change.ts';
import { CONFIRM_AFTER_MS, type GuardResult } from './mass-change.ts';
import type { RecordField } from './record.ts';
import { undecidedFields, withPending } from './undecided.ts';
import { settled, type WatchedCompany } from './watched-company.ts';

/** A company after a successful check. */
export interface CheckedCompany {
  readonly watched: WatchedCompany;
  /** The answer of its registry. */
  readonly observed: Snapshot;
}

/** A held change of a company, and a later observation of the company. */
export interface WaitingChange {
  readonly held: HeldChange;
  /** Snapshot before the observation. */
  readonly before: Snapshot;
  /** The observation (`settled`). */
  readonly after: Snapshot;
  /** The observation with the held values in the fields about which it tells nothing. */
  readonly pending: Snapshot;
  /** These fields. Their change stays held, each for its own reason. */
  readonly undecided: readonly RecordField[];
}

/** Compares a held change with a later observation of its company. */
export function waitingChange({ watched, observed }: CheckedCompany, held: HeldChange): WaitingChange {
  const after = settled(watched, observed);
  const before = watched.snapshot ?? after;
  const heldValues = held.observed as Snapshot;
  const undecided = undecidedFields(before, heldValues, observed);
  return { held, before, after, pending: withPending(after, heldValues, undecided), undecided };
}

const repeats = ({ held, pending }: WaitingChange): boolean => diffSnapshots(held.observed as Snapshot, pending).length === 0;

/** True if a check at `now` (epoch ms) repeats an observation that waits for its second check, in all fields that the check could read. */
export const isConfirmed = (waiting: WaitingChange, now: number): boolean =>
  waiting.held.reason === 'blank' && now - waiting.held.heldAt >= CONFIRM_AFTER_MS && repeats(waiting);

/** True if the value of a field waits for an operator. */
export const waitsForOperator = ({ fields, reason }: HeldChange, wanted: ChangedField): boolean =>
  fields.some(({ field, undecided = reason }) => field === wanted && undecided === 'share');

/** Time in ms after which a lost value ends that no answer has confirmed or reverted. */
const UNDECIDED_KEPT_MS = 30 * DAY_MS;

/** A change that is to be held. */
export interface ChangeToHold {
  readonly change: DetectedChange;
  readonly reason: QuarantineReason;
  /** Epoch ms, since when it is held. */
  readonly since: number;
}

/**
 * Returns all changes that are held after a batch: those that the guard holds, with the held values about which the batch tells nothing, and
 * the changes of these values alone. The latter end with a company that its registry does not have any more, because no further answer would
 * decide them, and 30 days after a value was lost. A later answer is compared with the snapshot.
 * @param waiting earlier held changes of the batch's companies, by `companyKeyText`
 */
export function changesToHold(
  held: GuardResult['held'],
  waiting: ReadonlyMap<string, WaitingChange>,
  now: number,
): readonly ChangeToHold[] {
  const detected = new Set(held.map(({ change }) => companyKeyText(change.company)));
  const undecided = [...waiting]
    .filter(([company, one]) => one.undecided.length > 0 && !detected.has(company) && one.after.status !== 'not_found')
    .map(([, one]) => alone(one));
  return [
    ...held.map(({ change, reason }) => joined(change, reason, waiting.get(companyKeyText(change.company)), now)),
    ...undecided.filter(({ reason, since }) => reason === 'share' || now - since < UNDECIDED_KEPT_MS),
  ];
}

/** Returns the fields of a held change. Those about which the observation tells nothing keep the reason for which they are held. */
const marked = (fields: readonly FieldChange[], { held, undecided }: WaitingChange): readonly FieldChange[] =>
  fields.map((one) =>
    (undecided as readonly ChangedField[]).includes(one.field)
      ? { ...one, undecided: waitsForOperator(held, one.field) ? 'share' : 'blank' }
      : one,
  );

/** The values of a held change about which the observation tells nothing, as a change of their own. */
function alone(one: WaitingChange): ChangeToHold {
  const { held, after, pending } = one;
  const fields = marked(diffSnapshots(after, pending), one);
  return {
    change: { company: held.company, source: held.source, fields, observed: pending },
    reason: fields.some(({ undecided }) => undecided === 'share') ? 'share' : 'blank',
    since: held.heldAt,
  };
}

/**
 * A change that the guard holds, together with the values of the earlier held change about which the observation tells nothing. A second check
 * publishes none of these.
 */
function joined(change: DetectedChange, reason: QuarantineReason, earlier: WaitingChange | undefined, now: number): ChangeToHold {
  if (!earlier) return { change, reason, since: now };
  const { held, before, pending } = earlier;
  return {
    change: { ...change, fields: marked(diffSnapshots(before, pending), earlier), observed: pending },
    reason,
    since: repeats(earlier) ? held.heldAt : now,
  };
}
