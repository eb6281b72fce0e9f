import { HOUR_MS } from '../../../domain/time.ts';
import { type ChangedField, type DetectedChange, type FieldChange, losesKnownValue, type QuarantineReason } from './change.ts';

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

/**
 * True for a registration that was renewed. All renewals of Colombia are due on one day, and the register publishes them monthly, so most
 * companies change together.
 */
const isRenewal = ({ field, from, to }: FieldChange): boolean =>
  field === 'last_renewed_year' && from !== null && to !== null && Number(to) > Number(from);

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

/**
 * Splits the changes of one registry's batch. A change is held by `share` when one of its fields changes for too many companies: of the
 * batch, of the batch and the recent window, of all watched within the last interval, or when changes of that field are held by share
 * already, so that a mass change stays together, or when an operator has to decide about the field of the company. Any other change that
 * loses a known value is held as `blank` until it is confirmed.
 */
export function splitMassChanges(
  changes: readonly DetectedChange[],
  {
    stats,
    limits,
    isConfirmed,
    needsOperator,
  }: {
    readonly stats: BaselineStats;
    readonly limits: MassChangeLimits;
    readonly isConfirmed: (change: DetectedChange) => boolean;
    /** True if a value of the field waits for an operator already. A renewal never does. */
    readonly needsOperator: (change: DetectedChange, field: ChangedField) => boolean;
  },
): GuardResult {
  const suspect = suspectFields(changes, stats, limits);
  const reasonOf = (change: DetectedChange): QuarantineReason | 'none' => {
    const isHeld = (one: FieldChange) => suspect.has(one.field) || (needsOperator(change, one.field) && !isRenewal(one));
    if (change.fields.some(isHeld)) return 'share';
    return losesKnownValue(change.fields) && !isConfirmed(change) ? 'blank' : 'none';
  };
  const { none: published = [], ...held } = Object.groupBy(changes, reasonOf);
  const heldFor = (reason: QuarantineReason) => (held[reason] ?? []).map((change) => ({ change, reason }));
  return { published, held: [...heldFor('blank'), ...heldFor('share')] };
}

const suspectFields = (changes: readonly DetectedChange[], stats: BaselineStats, limits: MassChangeLimits): ReadonlySet<ChangedField> => {
  const counts = countBy(changes.flatMap(({ fields }) => fields.filter((one) => !isRenewal(one)).map(({ field }) => field)));
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
