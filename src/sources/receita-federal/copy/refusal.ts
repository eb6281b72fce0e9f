/**
 * Reasons to refuse an import. not_found: no such folder or month. incomplete: a file is missing. dates_differ: the files are of several
 * extracts. no_date: a file's name has no extract date. damaged: a zip or its rows. no_space: the disk has no room for another version.
 * implausible: the guard. no_previous: nothing to roll back to. busy: another process imports. share: the publisher's share failed.
 */
export type RefusalReason =
  | 'not_found'
  | 'incomplete'
  | 'dates_differ'
  | 'no_date'
  | 'damaged'
  | 'no_space'
  | 'implausible'
  | 'no_previous'
  | 'busy'
  | 'share';

/** An import that is refused. The version that answers stays as it is. The message is a sentence for operators and quotes no row. */
export class ImportRefusal extends Error {
  override readonly name = 'ImportRefusal';
  readonly reason: RefusalReason;
  /** Time in ms for which the publisher asked to wait; null for none. */
  readonly retryAfterMs: number | null;

  constructor(reason: RefusalReason, message: string, { retryAfterMs = null, ...options }: RefusalOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

interface RefusalOptions extends ErrorOptions {
  readonly retryAfterMs?: number | null;
}
