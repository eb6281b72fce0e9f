import type { CompanyKey, Country } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';
import { diffSnapshots, type Finding, type Snapshot } from './change.ts';

/** A company that monitors watch, as it was left by its last check. Times are epoch ms. */
export interface Watched {
  readonly company: CompanyKey;
  /** `COUNTRY:root`, as the entries of lists name it. */
  readonly legalPerson: string;
  /** The company's own, counted up. */
  readonly number: number;
  /** What was last reported; null before the first check. */
  readonly snapshot: Snapshot | null;
  /** An observation that an operator discarded. */
  readonly ignored: Snapshot | null;
  /** A moment of its regular rhythm. */
  readonly anchorAt: number;
  /** Checks in a row that failed. */
  readonly failures: number;
}

/** When a company is looked at next. */
export interface Rhythm {
  readonly anchorAt: number;
  readonly dueAt: number;
  readonly failures: number;
}

export interface Moment {
  /** Between two checks, in ms. */
  readonly interval: number;
  /** Epoch ms. */
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/** The tax registry that a country's companies are read from. */
export const REGISTRY_OF = { BR: 'receita_federal', CL: 'sii' } as const satisfies Partial<Record<Country, string>>;
export type WatchedCountry = keyof typeof REGISTRY_OF;

/** The source of a company's registration. Only companies that have one are watched. */
export const registryOf = ({ country }: CompanyKey): SourceName => REGISTRY_OF[country as WatchedCountry];

/** True for what an operator discarded, seen again. */
export const isIgnored = ({ ignored }: Watched, observed: Snapshot): boolean =>
  ignored !== null && diffSnapshots(ignored, observed).length === 0;

/** How an observation differs from what was last reported, if it does; nothing for a baseline, or what is ignored. */
export function findingsOf(watched: Watched, observed: Snapshot): readonly Finding[] {
  const { company, snapshot } = watched;
  if (snapshot === null || isIgnored(watched, observed)) return [];
  const fields = diffSnapshots(snapshot, observed);
  return fields.length === 0 ? [] : [{ company, source: registryOf(company), fields, observed }];
}

/** After a check that succeeded: the first one sets the rhythm, every other keeps to it. */
export function afterSuccess({ snapshot, number, anchorAt }: Watched, { interval, now }: Moment): Rhythm {
  const first = snapshot === null;
  const dueAt = first ? firstRegularCheck(now, number, interval) : nextRegularCheck(anchorAt, interval, now);
  return { anchorAt: first ? dueAt - interval : anchorAt, dueAt, failures: 0 };
}

/** After a check that failed. */
export function afterFailure({ anchorAt, ...watched }: Watched, { interval, now, random }: Moment): Rhythm {
  const failures = watched.failures + 1;
  return { anchorAt, dueAt: nextCheckAfterFailure({ failures, anchorAt }, { interval, now, random }), failures };
}

/** When a watched company is looked at. Times are epoch ms, `interval` is that of QUIPU_MONITOR_INTERVAL in ms. */

const LONGEST_TICK_MS = 15 * SECOND_MS;
const SHORTEST_TICK_MS = 250;
/** Up to here there is nothing to spread: all companies are looked at together. */
const TOGETHER_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Between two looks at what is due. */
export const tickMs = (interval: number): number => Math.min(Math.max(interval / 4, SHORTEST_TICK_MS), LONGEST_TICK_MS);

/**
 * First regular check after the baseline: within the second half of an interval. Multiples of the golden ratio fall evenly between
 * those before them, so any number of companies is spread, also those that were added at once.
 * @param number the company's own, counted up
 */
export function firstRegularCheck(baselineAt: number, number: number, interval: number): number {
  const spread = interval <= TOGETHER_MS ? 1 : (1 + ((number * GOLDEN_RATIO) % 1)) / 2;
  return baselineAt + interval * spread;
}

/** The next moment of a company's rhythm that lies ahead: what was missed meanwhile is not made up for. */
export const nextRegularCheck = (anchorAt: number, interval: number, now: number): number =>
  anchorAt + interval * (Math.floor(Math.max(0, now - anchorAt) / interval) + 1);

/** The next check after `failures` in a row: a minute, two, four, … at most half an hour, and never later than the rhythm has it. */
export function nextCheckAfterFailure(
  { failures, anchorAt }: { readonly failures: number; readonly anchorAt: number },
  { interval, now, random }: { readonly interval: number; readonly now: number; readonly random: number },
): number {
  const wait = Math.min(MINUTE_MS * 2 ** (failures - 1), LONGEST_RETRY_MS, interval) * (0.9 + 0.2 * random);
  return Math.min(now + wait, nextRegularCheck(anchorAt, interval, now));
}
