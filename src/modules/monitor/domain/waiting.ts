import { companyKeyText } from '../../../domain/company.ts';
import { type DetectedChange, diffSnapshots, type HeldChange, type QuarantineReason, type Snapshot } from './change.ts';
import { CONFIRM_AFTER_MS, type GuardResult } from './mass-change.ts';
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
  /** True if there are such fields. The change of these stays held. */
  readonly isUndecided: boolean;
}

/** Compares a held change with a later observation of its company. */
export function waitingChange({ watched, observed }: CheckedCompany, held: HeldChange): WaitingChange {
  const after = settled(watched, observed);
  const before = watched.snapshot ?? after;
  const heldValues = held.observed as Snapshot;
  const fields = undecidedFields(before, heldValues, observed);
  return { held, before, after, pending: withPending(after, heldValues, fields), isUndecided: fields.length > 0 };
}

const repeats = ({ held, pending }: WaitingChange): boolean => diffSnapshots(held.observed as Snapshot, pending).length === 0;

/** True if a check at `now` (epoch ms) repeats an observation that waits for its second check, in all fields that the check could read. */
export const isConfirmed = (waiting: WaitingChange, now: number): boolean =>
  waiting.held.reason === 'blank' && now - waiting.held.heldAt >= CONFIRM_AFTER_MS && repeats(waiting);

/** A change that is to be held. */
export interface ChangeToHold {
  readonly change: DetectedChange;
  readonly reason: QuarantineReason;
  /** Epoch ms, since when it is held. */
  readonly since: number;
}

/**
 * Returns all changes that are held after a batch: those that the guard holds, with the held values about which the batch tells nothing, and
 * the changes of these values alone. The latter end with a company that its registry does not have any more: no further answer would decide
 * them, and if the company returns, it is compared with its snapshot.
 * @param waiting earlier held changes of the batch's companies, by `companyKeyText`
 */
export function changesToHold(
  held: GuardResult['held'],
  waiting: ReadonlyMap<string, WaitingChange>,
  now: number,
): readonly ChangeToHold[] {
  const detected = new Set(held.map(({ change }) => companyKeyText(change.company)));
  const undecided = [...waiting].filter(
    ([company, { isUndecided, after }]) => isUndecided && !detected.has(company) && after.status !== 'not_found',
  );
  return [
    ...held.map(({ change, reason }) => joined(change, reason, waiting.get(companyKeyText(change.company)), now)),
    ...undecided.map(([, one]) => alone(one)),
  ];
}

/** The values of a held change about which the observation tells nothing, as a change of their own. */
const alone = ({ held, after, pending }: WaitingChange): ChangeToHold => ({
  change: { company: held.company, source: held.source, fields: diffSnapshots(after, pending), observed: pending },
  reason: held.reason,
  since: held.heldAt,
});

/** A change that the guard holds, together with the values of the earlier held change about which the observation tells nothing. */
function joined(change: DetectedChange, reason: QuarantineReason, earlier: WaitingChange | undefined, now: number): ChangeToHold {
  if (!earlier) return { change, reason, since: now };
  const { held, before, pending, isUndecided } = earlier;
  return {
    change: { ...change, fields: diffSnapshots(before, pending), observed: pending },
    // A second check publishes no value that waits for an operator.
    reason: isUndecided && held.reason === 'share' ? 'share' : reason,
    since: repeats(earlier) ? held.heldAt : now,
  };
}
