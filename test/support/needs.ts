declare module 'vitest' {
  interface TaskMeta {
    /** Reason for which the test, or each test of the group, is skipped. The end of the run prints it (`test-report.ts`). */
    skippedBecause?: string;
  }
}

/** Returns options of a test or a group, which is skipped if its requirement is missing. The end of the run prints the reason. */
export const needs = (isThere: boolean, reason: string) => (isThere ? {} : { skip: true, meta: { skippedBecause: reason } });
