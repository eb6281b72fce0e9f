import { type CompanyKey, REGISTRY_OF } from '../../../domain/company.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';
import { type DetectedChange, diffSnapshots, type Snapshot } from './change.ts';
import type { WATCHED_COUNTRIES } from './monitor.ts';
import { withKnown } from './record.ts';
import { undecidedFields, withPending } from './undecided.ts';

/** A watched company after its last check. Times are epoch ms. */
export interface WatchedCompany {
  readonly company: CompanyKey;
  /** Id of the legal person, `COUNTRY:root`, as list entries name it. */
  readonly legalPerson: string;
  /** Sequence number of the company, which spreads the checks over the interval. */
  readonly number: number;
  /** Null before the first check. */
  readonly snapshot: Snapshot | null;
  /** The observation that an operator discarded; null without one. */
  readonly ignored: Snapshot | null;
  /** Day of the extract from which it was read last, ISO date; null if it is not known. */
  readonly extractedOn: string | null;
  /** One of its regular check times; the others lie a multiple of the interval away. */
  readonly anchorAt: number;
  /** Failed checks in a row. */
  readonly failures: number;
}

/** The next check of a company. Times are epoch ms. */
export interface CheckSchedule {
  readonly anchorAt: number;
  readonly dueAt: number;
  readonly failures: number;
}

export interface ScheduleInput {
  /** Interval between two checks, in ms: QUIPU_MONITOR_INTERVAL. */
  readonly interval: number;
  /** Current time, epoch ms. */
  readonly now: number;
  /** Random number from 0 to 1. */
  readonly random: number;
}

export type WatchedCountry = (typeof WATCHED_COUNTRIES)[number];

/** Returns an observation with the values that it keeps from the snapshot (`withKnown`). */
export const settled = ({ snapshot }: WatchedCompany, observed: Snapshot): Snapshot =>
  snapshot === null ? observed : withKnown(snapshot, observed);

/** True when an operator discarded the same observation. A field that is unknown now does not differ. */
const isIgnored = ({ ignored }: WatchedCompany, observed: Snapshot): boolean =>
  ignored !== null && diffSnapshots(ignored, observed).length === 0;

/**
 * Returns the discarded observation that is kept after another one that is not held: the same, if that repeats it; its values in the fields
 * about which that tells nothing; or null.
 * @param next snapshot after the observation
 */
export function stillIgnored(watched: WatchedCompany, observed: Snapshot, next: Snapshot): Snapshot | null {
  const { snapshot, ignored } = watched;
  if (ignored === null || snapshot === null || isIgnored(watched, observed)) return ignored;
  const fields = undecidedFields(snapshot, ignored, observed);
  return fields.length === 0 ? null : withPending(next, ignored, fields);
}

/** The change from the snapshot to an observation (`settled`); empty without a difference, for a baseline and for an ignored observation. */
export function detectChanges(watched: WatchedCompany, observed: Snapshot): readonly DetectedChange[] {
  const { company, snapshot } = watched;
  if (snapshot === null || isIgnored(watched, observed)) return [];
  const after = settled(watched, observed);
  const fields = diffSnapshots(snapshot, after);
  return fields.length === 0 ? [] : [{ company, source: REGISTRY_OF[company.country], fields, observed: after }];
}

/**
 * Schedule after a successful check: the first one sets the regular check times, later ones keep them.
 * @param confirmAt epoch ms, when a second check confirms a lost value; infinite where none waits
 */
export function scheduleAfterSuccess(
  { snapshot, number, anchorAt }: WatchedCompany,
  { interval, now }: ScheduleInput,
  confirmAt = Number.POSITIVE_INFINITY,
): CheckSchedule {
  const isFirst = snapshot === null;
  const dueAt = isFirst ? firstRegularCheck(now, number, interval) : nextRegularCheck(anchorAt, interval, now);
  return { anchorAt: isFirst ? dueAt - interval : anchorAt, dueAt: Math.min(dueAt, confirmAt), failures: 0 };
}

/** Schedule after a failed check. */
export function scheduleAfterFailure({ anchorAt, ...watched }: WatchedCompany, { interval, now, random }: ScheduleInput): CheckSchedule {
  const failures = watched.failures + 1;
  return { anchorAt, dueAt: nextCheckAfterFailure({ failures, anchorAt }, { interval, now, random }), failures };
}

const LONGEST_TICK_MS = 15 * SECOND_MS;
const SHORTEST_TICK_MS = 250;
/** With an interval up to this, checks are not spread: all companies are checked together. */
const UNSPREAD_INTERVAL_MS = MINUTE_MS;
const LONGEST_RETRY_MS = 30 * MINUTE_MS;
const GOLDEN_RATIO = 0.618_033_988_749_895;

/** Delay between two polls for due companies, in ms. */
export const tickMs = (interval: number): number => Math.min(Math.max(interval / 4, SHORTEST_TICK_MS), LONGEST_TICK_MS);

/**
 * Time of the first regular check, in the second half of an interval after the baseline. Multiples of the golden ratio fall evenly
 * between earlier ones, so any number of companies is spread, also companies that were added together.
 * @param number sequence number of the company
 */
export function firstRegularCheck(baselineAt: number, number: number, interval: number): number {
  const spread = interval <= UNSPREAD_INTERVAL_MS ? 1 : (1 + ((number * GOLDEN_RATIO) % 1)) / 2;
  return baselineAt + interval * spread;
}

/** The next regular check time in the future. Missed checks are skipped. */
export const nextRegularCheck = (anchorAt: number, interval: number, now: number): number =>
  anchorAt + interval * (Math.floor(Math.max(0, now - anchorAt) / interval) + 1);

/** Time of the next check after `failures` in a row: after 1, 2, 4, … minutes, at most 30, and no later than the next regular check. */
export function nextCheckAfterFailure(
  { failures, anchorAt }: { readonly failures: number; readonly anchorAt: number },
  { interval, now, random }: ScheduleInput,
): number {
  const delay = Math.min(MINUTE_MS * 2 ** (failures - 1), LONGEST_RETRY_MS, interval) * (0.9 + 0.2 * random);
  return Math.min(now + delay, nextRegularCheck(anchorAt, interval, now));
}
