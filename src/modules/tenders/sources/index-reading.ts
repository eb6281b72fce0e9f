import type { ListVersion } from '../../../sources/source.ts';
import type { IndexRow, IndexState } from '../store.ts';
import { inRanges, monthAfter, monthsBack } from './months.ts';
import { type IndexPlan, kindOf, monthOf } from './plan.ts';

type Kind = IndexRow['kind'];

/** What the state of an index means, under its plan, in a given month (`YYYY-MM`). */
export interface Reading {
  readonly plan: IndexPlan;
  readonly state: IndexState;
  readonly newestMonth: string;
}

const WORDS: Readonly<Record<Kind, string>> = { order: 'Orders', award: 'Awards' };

/**
 * When the newest slice of a kind was last seen at the publisher, epoch ms: as old as that is the index. Null when it has none of this
 * month or, since a publisher may be days late with a new month, of the last.
 */
export function seenAt({ plan, state, newestMonth }: Reading, kind: Kind): number | null {
  const looks = new Map(state.slices.map(({ name, checkedAt }) => [name, checkedAt]));
  const recent = [newestMonth, monthAfter(newestMonth, -1)].flatMap((month) => plan.slicesOf(month));
  const newest = recent.find((slice) => kindOf(slice) === kind && looks.has(slice));
  return newest === undefined ? null : (looks.get(newest) ?? null);
}

/** The index as one edition; null before the first slice. It was checked when the more neglected of its kinds was, of those that are there. */
export function versionOf(reading: Reading): ListVersion | null {
  const { slices, edition: id, checksum } = reading.state;
  if (slices.length === 0) return null;
  const entries = slices.reduce((sum, { rows }) => sum + rows, 0);
  const loadedAt = Math.max(...slices.map((slice) => slice.loadedAt));
  const seen = reading.plan.kinds.flatMap((kind) => seenAt(reading, kind) ?? []);
  const checkedAt = seen.length > 0 ? Math.min(...seen) : loadedAt;
  return { id, checksum, entries, publishedOn: publishedOn(reading.state), loadedAt, checkedAt };
}

/** ISO day that the newest slice reaches; null where the publisher never says. */
export const publishedOn = ({ slices }: IndexState): string | null =>
  slices.reduce<string | null>((newest, { publishedOn: day }) => (newest === null || (day !== null && day > newest) ? day : newest), null);

/** Which months the index has, whole, and which of those wanted it lacks; sentences for the caller. */
export function coverageOf(reading: Reading, oldestMonth: string, kind: Kind): { readonly sentence: string; readonly lacking: boolean } {
  const { plan, newestMonth } = reading;
  const { there, missing } = monthsOf(reading, oldestMonth, kind);
  const what = WORDS[kind];
  const sentences =
    there.length > 0
      ? [`${what} of ${inRanges(there)} are indexed.`, missing.length > 0 ? `Not indexed yet: ${inRanges(missing)}.` : '']
      : [`No month of ${what.toLowerCase()} is indexed whole yet.`];
  return {
    sentence: [...sentences, plan.note ?? ''].filter(Boolean).join(' '),
    lacking: missing.some((month) => month !== newestMonth), // a publisher may be days late with a new month
  };
}

function monthsOf({ plan, state, newestMonth }: Reading, oldestMonth: string, kind: Kind) {
  const slices = state.slices.map(({ name }) => name).filter((name) => kindOf(name) === kind);
  const loaded = new Set(slices);
  const isWhole = (month: string) => plan.slicesOf(month).every((slice) => kindOf(slice) !== kind || loaded.has(slice));
  const there = [...new Set(slices.map(monthOf))].filter(isWhole);
  return { there, missing: monthsBack(newestMonth, oldestMonth).filter((month) => !there.includes(month)) };
}
