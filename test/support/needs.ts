declare module 'vitest' {
  interface TaskMeta {
    /** Why the test, or each test of the group, is skipped. The end of the run prints it (`skipped-tests.ts`). */
    skippedBecause?: string;
  }
}

/** Options of a test or a group: it is skipped unless what it needs is there, and the end of the run says why. */
export const needs = (isThere: boolean, reason: string) => (isThere ? {} : { skip: true, meta: { skippedBecause: reason } });
