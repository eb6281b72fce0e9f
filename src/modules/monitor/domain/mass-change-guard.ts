import { type ChangedField, type Finding, type HoldReason, losesFields } from './change.ts';

/** From when on changes of one field are too many. */
export interface GuardLimits {
  /** Of the companies looked at, and of those watched: 0 to 1. */
  readonly share: number;
  /** Fewer are never too many. */
  readonly min: number;
}

/** What one source has been saying. */
export interface Census {
  /** Companies that were looked at together, those unchanged included. */
  readonly checked: number;
  /** Companies that were looked at last before these, as many as `looksBack` says, and field → those whose change was published then. */
  readonly lately: { readonly checked: number; readonly published: ReadonlyMap<ChangedField, number> };
  /** Companies watched at the source. */
  readonly watched: number;
  /** Field → companies whose change was published within the last interval. */
  readonly published: ReadonlyMap<ChangedField, number>;
  /** Fields of which changes are held already for being too many. */
  readonly held: ReadonlySet<ChangedField>;
}

export interface Verdict {
  readonly published: readonly Finding[];
  readonly held: readonly { readonly finding: Finding; readonly reason: HoldReason }[];
}

/**
 * Companies over which the share is looked at, however thinly they are spread: as many as it takes for the least number to be the share.
 * A broken load is noticed at the least number of changes, although most companies are still to be looked at.
 */
export const looksBack = ({ share, min }: GuardLimits, checked: number): number =>
  share === 0 ? 0 : Math.max(0, Math.ceil(min / share) - checked);

/**
 * Judges the findings of one source that were made together. One that loses what was known is held by itself. The others are held
 * where one of their fields changes for too many companies: among those looked at, among them and those before, among those watched
 * since the last round, or while changes of that field are held already, so that a mass change stays together.
 */
export function judge(findings: readonly Finding[], census: Census, limits: GuardLimits): Verdict {
  const { blank = [], changed = [] } = Object.groupBy(findings, ({ fields }) => (losesFields(fields) ? 'blank' : 'changed'));
  const suspect = suspectFields(changed, census, limits);
  const isSuspect = ({ fields }: Finding) => fields.some(({ field }) => suspect.has(field));
  const hold = (reason: HoldReason) => (finding: Finding) => ({ finding, reason });
  return {
    published: changed.filter((finding) => !isSuspect(finding)),
    held: [...blank.map(hold('blank')), ...changed.filter(isSuspect).map(hold('share'))],
  };
}

function suspectFields(changed: readonly Finding[], census: Census, { share, min }: GuardLimits): ReadonlySet<ChangedField> {
  const together = countBy(changed.flatMap(({ fields }) => fields.map(({ field }) => field)));
  const { lately } = census;
  const tooMany = (count: number, of: number) => count >= min && count >= share * of;
  const suspect = [...together].filter(
    ([field, count]) =>
      census.held.has(field) ||
      tooMany(count, census.checked) ||
      tooMany(count + (lately.published.get(field) ?? 0), census.checked + lately.checked) ||
      tooMany(count + (census.published.get(field) ?? 0), census.watched),
  );
  return new Set(suspect.map(([field]) => field));
}

const countBy = (fields: readonly ChangedField[]): ReadonlyMap<ChangedField, number> =>
  new Map([...Map.groupBy(fields, (field) => field)].map(([field, group]) => [field, group.length]));
