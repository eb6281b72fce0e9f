import type { Answer } from './domain/answer.ts';
import type { ModuleName } from './domain/modules.ts';
import type { ModuleLimit, Standing } from './domain/plan.ts';
import type { Clock } from './domain/time.ts';
import type { ModuleUsage } from './domain/usage.ts';
import type { Offered } from './loaders/loader.ts';
import type { Read } from './loaders/rows.ts';
import type { Open } from './service.ts';
import type { SourceStatus } from './sources/source.ts';

/** Who is calling: an API key that opened. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly modules: ReadonlySet<ModuleName>;
  readonly accountId: string;
  /** Name of the plan whose limits and prices hold. */
  readonly plan: string;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** True for a key that runs trusted GraphQL documents alone. */
  readonly trustedOnly: boolean;
}

/**
 * Asks a question on the caller's behalf: the only way from a face to a loader. Its answer is counted, once a request, before it is given.
 * @throws AppError MODULE_NOT_ENABLED, RATE_LIMITED, SERVICE_UNAVAILABLE when it cannot be counted, or the question's own failure
 */
export type Ask = <K, V>(loader: Offered<K, V>, key: K) => Promise<Answer<V>>;

/** A source's health and what must be said wherever its data is shown. */
export interface SourceReport extends SourceStatus {
  readonly attribution: string;
  /** Changes of watched companies that it told and that an operator must decide on. */
  readonly heldChanges: number;
}

/** What one request carries. Functions, not services. */
export interface RequestContext {
  readonly requestId: string;
  /** Aborted when the answer must leave as it is, or nobody waits for it any more; its reason is an AppError. */
  readonly signal: AbortSignal;
  /** Epoch ms: the month of its usage is the one it lies in. */
  readonly startedAt: number;
  readonly caller: Caller;
  readonly ask: Ask;
  /** Reads rows of our own tables. @throws AppError MODULE_NOT_ENABLED */
  readonly read: Read;
  /** Reaches a service on the caller's behalf. @throws AppError MODULE_NOT_ENABLED */
  readonly open: Open;
  /** What limits the caller's plan has, of the modules on the key. */
  readonly limits: readonly ModuleLimit[];
  /** State of the rate limits that this request was checked against. */
  readonly rateLimits: () => readonly Standing[];
  /** What the caller used in a month, such as `2026-11`. */
  readonly usage: (month: string) => Promise<readonly ModuleUsage[]>;
  /** Health of every upstream. */
  readonly sources: () => Promise<readonly SourceReport[]>;
  readonly now: Clock;
}
