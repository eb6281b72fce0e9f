/** The age of an answer, as its registry states it. Dates are ISO dates, null if they are not known. */
export interface AnswerAge {
  /** Day of the registry's extract that the answer was read from. */
  readonly extractedOn: string | null;
  /**
   * Day on which a mirror that stands in for a failed one published its copy. The extract is not newer, and may be weeks older. Null for all
   * other answers.
   */
  readonly publishedOn: string | null;
  /** True if such a mirror answered and its date is tried again soon, because it could not be read. */
  readonly isAwaited: boolean;
}

/**
 * True for an answer of a mirror that stands in and published its copy before the extract of an earlier answer. It has the values of an
 * earlier time, so its differences are no changes. An answer of unknown age counts as outdated only while its date is awaited.
 * @param last extract of the earlier answer, ISO date; null if it is not known
 */
export const isOutdated = (last: string | null, { publishedOn, isAwaited }: AnswerAge): boolean =>
  last !== null && (publishedOn === null ? isAwaited : publishedOn < last);

/**
 * Returns the extract that later answers are compared with: that of this answer if it states one, even an earlier one than before, because a
 * mirror may go back to an earlier extract for good; else the last one. A date in the future is an error of the mirror and not used.
 * @param last extract of the earlier answer, ISO date; null if it is not known
 * @param today ISO date
 */
export const nextExtract = (last: string | null, { extractedOn }: AnswerAge, today: string): string | null =>
  extractedOn !== null && extractedOn <= today ? extractedOn : last;
