/** How a download failed, beyond its message. */
export interface DownloadFacts {
  /** The publisher says that there is no such file: 403 or 404, or nothing at that path. */
  readonly absent?: boolean;
  /** Another try may well succeed. */
  readonly retryable?: boolean;
  /** The publisher asked for that long a silence; ms. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

/**
 * A file that could not be fetched whole. `kind` is one word for operators, e.g. `timeout`, `status_404`, `cut_short`.
 * The message holds no address: it may be signed.
 */
export class DownloadFailure extends Error {
  override readonly name = 'DownloadFailure';
  readonly kind: string;
  readonly absent: boolean;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor(kind: string, message: string, { absent = false, retryable = false, retryAfterMs = null, cause }: DownloadFacts = {}) {
    super(message, { cause });
    this.kind = kind;
    this.absent = absent;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}
