import { isoDate } from '../../../domain/time.ts';
import { diffSnapshots, type Snapshot } from '../domain/change.ts';
import { type AnswerAge, nextExtract } from '../domain/extract.ts';
import {
  type ScheduleInput,
  scheduleAfterFailure,
  scheduleAfterSuccess,
  settled,
  stillIgnored,
  type WatchedCompany,
} from '../domain/watched-company.ts';
import type { CheckResult } from '../store/watched-companies.ts';
import type { Listings } from './list-baselines.ts';

/** The answer of the registry about a company. */
export interface RegisteredCompany {
  readonly snapshot: Snapshot;
  readonly names: readonly string[];
  readonly age: AnswerAge;
}

/** A claimed company, and what its check found. */
export interface CompanyObservation {
  readonly watched: WatchedCompany;
  /** Null when the registry failed, or when its answer is outdated, which counts as a failure. */
  readonly answer: RegisteredCompany | null;
  readonly listings: Listings | undefined;
}

/** The decision of the quarantine about the observation of a company. */
interface Decision {
  /** True when the observation was published as a change, so that it becomes the snapshot. */
  readonly isPublished: boolean;
  /** Epoch ms at which a second check confirms the observation; undefined if none is needed. */
  readonly confirmAt: number | undefined;
}

/** Returns what is stored about a company after its check. */
export function toCheckResult(
  { watched, answer, listings }: CompanyObservation,
  { isPublished, confirmAt }: Decision,
  input: ScheduleInput,
): CheckResult {
  const { company, snapshot, ignored, extractedOn } = watched;
  if (answer === null) {
    return { company, snapshot, ignored, extractedOn, listings, names: [], checkedAt: null, ...scheduleAfterFailure(watched, input) };
  }
  // An equal observation may have the code of the activity and the record, which snapshots of earlier versions lack.
  const after = settled(watched, answer.snapshot);
  const isAccepted = snapshot === null || isPublished || diffSnapshots(snapshot, after).length === 0;
  return {
    company,
    snapshot: isAccepted ? after : snapshot,
    // An observation that is held, and may be an error of the source, ends no decision of the operator.
    ignored: isAccepted ? stillIgnored(watched, answer.snapshot, after) : ignored,
    extractedOn: nextExtract(extractedOn, answer.age, isoDate(input.now)),
    listings,
    names: answer.names,
    checkedAt: input.now,
    ...scheduleAfterSuccess(watched, input, confirmAt),
  };
}
