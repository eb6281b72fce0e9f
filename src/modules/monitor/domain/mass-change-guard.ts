import { type ChangedField, type DetectedChange, losesKnownValue, type QuarantineReason } from './change.ts';

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
  /** Companies checked before this batch, at most `recentWindowSize`, and field → those whose change was published then. */
  readonly recentWindow: { readonly checked: number; readonly published: ReadonlyMap<ChangedField, number> };
  /** Companies watched at the source. */
  readonly watched: number;
  /** Field → companies whose change was published within the last interval. */
  readonly published: ReadonlyMap<ChangedField, number>;
  /** Fields with changes that are quarantined as a mass change already. */
  readonly held: ReadonlySet<ChangedField>;
}

/** The changes of a batch, split by the guard. */
export interface GuardResult {
  readonly published: readonly DetectedChange[];
  readonly held: readonly { readonly change: DetectedChange; readonly reason: QuarantineReason }[];
}

/**
 * Number of companies checked before a batch of `checked` over which the share is computed: with the batch, enough for `min` to equal
 * the share. So a broken load is detected after `min` changes, although most companies are still to be checked.
 */
export const recentWindowSize = ({ share, min }: MassChangeLimits, checked: number): number =>
  share === 0 ? 0 : Math.max(0, Math.ceil(min / share) - checked);

/**
 * Splits the changes of one source's batch. A change that loses a known value is held by itself. Any other change is held when one of
 * its fields changes for too many companies: of the batch, of the batch and the recent window, of all watched within the last
 * interval, or when changes of that field are held already, so that a mass change stays together.
 */
export function splitMassChanges(changes: readonly DetectedChange[], stats: BaselineStats, limits: MassChangeLimits): GuardResult {
  const { blank = [], changed = [] } = Object.groupBy(changes, ({ fields }) => (losesKnownValue(fields) ? 'blank' : 'changed'));
  const suspect = suspectFields(changed, stats, limits);
  const isSuspect = ({ fields }: DetectedChange) => fields.some(({ field }) => suspect.has(field));
  const heldFor = (reason: QuarantineReason) => (change: DetectedChange) => ({ change, reason });
  return {
    published: changed.filter((change) => !isSuspect(change)),
    held: [...blank.map(heldFor('blank')), ...changed.filter(isSuspect).map(heldFor('share'))],
  };
}

const suspectFields = (changed: readonly DetectedChange[], stats: BaselineStats, limits: MassChangeLimits): ReadonlySet<ChangedField> => {
  const counts = countBy(changed.flatMap(({ fields }) => fields.map(({ field }) => field)));
  return new Set([...counts].filter(([field, count]) => isMassChange(field, count, stats, limits)).map(([field]) => field));
};

/** True when `count` changes of a field are too many, or changes of it are held as a mass change already. */
export function isMassChange(
  field: ChangedField,
  count: number,
  { checked, recentWindow, watched, published, held }: BaselineStats,
  { share, min }: MassChangeLimits,
): boolean {
  const tooMany = (number: number, of: number) => number >= min && number >= share * of;
  return (
    held.has(field) ||
    tooMany(count, checked) ||
    tooMany(count + (recentWindow.published.get(field) ?? 0), checked + recentWindow.checked) ||
    tooMany(count + (published.get(field) ?? 0), watched)
  );
}

const countBy = (fields: readonly ChangedField[]): ReadonlyMap<ChangedField, number> =>
  new Map([...Map.groupBy(fields, (field) => field)].map(([field, group]) => [field, group.length]));
