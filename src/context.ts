import type { Answer } from './domain/answer.ts';
import type { ModuleName } from './domain/modules.ts';
import type { Clock } from './domain/time.ts';
import type { Offered } from './loaders/loader.ts';
import type { Read } from './loaders/rows.ts';
import type { Open } from './service.ts';
import type { SourceStatus } from './sources/source.ts';

/** Who is calling: an API key that opened. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly modules: ReadonlySet<ModuleName>;
}

/**
 * Asks a question on the caller's behalf: the only way from a face to a loader.
 * @throws AppError MODULE_NOT_ENABLED, or the question's own failure
 */
export type Ask = <K, V>(loader: Offered<K, V>, key: K) => Promise<Answer<V>>;

/** A source's health and what must be said wherever its data is shown. */
export interface SourceReport extends SourceStatus {
  readonly attribution: string;
}

/** What one request carries. Functions, not services. */
export interface RequestContext {
  readonly requestId: string;
  readonly caller: Caller;
  readonly ask: Ask;
  /** Reads rows of our own tables. @throws AppError MODULE_NOT_ENABLED */
  readonly read: Read;
  /** Reaches a service on the caller's behalf. @throws AppError MODULE_NOT_ENABLED */
  readonly open: Open;
  /** Health of every upstream. */
  readonly sources: () => Promise<readonly SourceReport[]>;
  readonly now: Clock;
}
