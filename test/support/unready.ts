import type { Readiness } from '../../src/server/health.ts';

/** The state of a process that has reached neither its database nor its lists. */
export const UNREADY: Readiness = {
  migrated: () => null,
  database: () => ({ isAvailable: false, respondedMsAgo: Number.POSITIVE_INFINITY, failedMsAgo: 0 }),
  listsTried: () => false,
  jobsRun: () => true,
  notes: () => [],
  schemaProblem: null,
};
