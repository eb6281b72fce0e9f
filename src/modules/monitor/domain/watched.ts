import type { CompanyKey, Country } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { Finding } from './finding.ts';
import { firstRegularCheck, nextCheckAfterFailure, nextRegularCheck } from './schedule.ts';
import { diffSnapshots, type Snapshot } from './snapshot.ts';

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
