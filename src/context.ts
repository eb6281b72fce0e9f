import type { Answer, Awaitable } from './domain/answer.ts';
import type { ModuleName } from './domain/catalogue.ts';
import type { LimitedAction, ModuleLimit, RateLimitStatus, Refusals, WatchTerms } from './domain/plan.ts';
import type { Clock } from './domain/time.ts';
import type { ModuleUsage } from './domain/usage.ts';
import type { Offered } from './loaders/loader.ts';
import type { Read } from './loaders/rows.ts';
import type { Turns } from './scheduling/slices.ts';
import type { OfferedService } from './service.ts';
import type { SourceReport } from './sources/build.ts';

/** The valid API key behind a request. */
export interface Caller {
  readonly keyId: string;
  readonly name: string;
  readonly modules: ReadonlySet<ModuleName>;
  readonly accountId: string;
  /** Name of the plan with its limits and prices. */
  readonly plan: string;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** True for a key that may run trusted GraphQL documents only. */
  readonly trustedOnly: boolean;
  /** True for a key whose consolidated check is an error where no source answered. */
  readonly failsIncomplete: boolean;
  /** Keyed hash of the secret that was sent, in base64. A key has several secrets during a rotation. */
  readonly secretHash: string;
}

/**
 * Loads an answer for the caller: the only way from GraphQL and REST to a loader. Checks module and rate limit, and counts the answer once
 * per request and key of a loader. `execute` waits until what was counted is written. An answer in memory is returned without a promise.
 * Rejects with AppError MODULE_NOT_ENABLED, RATE_LIMITED, or the loader's own failure, and never throws.
 */
export type Ask = <K, V>(loader: Offered<K, V>, key: K) => Awaitable<Answer<V>>;

/** What a request has used so far. */
export interface Uses {
  /** Modules of the loaders and services that the caller was let to. */
  readonly modules: ReadonlySet<ModuleName>;
  /** Answers counted so far, by module. */
  readonly counted: ReadonlyMap<ModuleName, number>;
  /** True once a service was opened. */
  readonly hasOpened: boolean;
}

/** What resolvers and routes use to answer one request. */
export interface RequestContext {
  readonly requestId: string;
  /** Aborts at the request's deadline, or when its client has disconnected. The reason is an AppError. */
  readonly signal: AbortSignal;
  /** Epoch ms. Determines the month of the request's usage. */
  readonly startedAt: number;
  readonly caller: Caller;
  /**
   * Runs the execution that this request is for, in a slot of the caller's key, and waits until the usage that it counted is written. Work
   * that must wait for a slot is never refused one.
   * @throws AppError RATE_LIMITED or SERVICE_UNAVAILABLE when the queue is full; SERVICE_UNAVAILABLE when usage cannot be written
   */
  readonly execute: <T>(work: () => Promise<T>, options?: { readonly mustWait?: boolean }) => Promise<T>;
  readonly ask: Ask;
  /** Reads rows of our own tables by key, batched a tick. @throws AppError MODULE_NOT_ENABLED */
  readonly read: Read;
  /** Returns a service for the caller. @throws AppError MODULE_NOT_ENABLED */
  readonly open: <T>(service: OfferedService<T>) => T;
  readonly uses: Uses;
  /** Resolves when all usage so far is written. @throws AppError SERVICE_UNAVAILABLE when it cannot be */
  readonly usageWritten: () => Promise<void>;
  /** Takes turns for work in memory. Loads that were asked for meanwhile wait for the last turn, so that they share their batches. */
  readonly turns: Turns;
  /** The rate limits of the caller's plan, for the modules on the key. */
  readonly limits: readonly ModuleLimit[];
  /** How much the caller's plan lets a key watch. */
  readonly watch: WatchTerms;
  /** Takes a token for an action that has a rate limit of its own. @throws AppError RATE_LIMITED */
  readonly limitAction: (action: LimitedAction) => Promise<void>;
  /** State of the rate limits that this request was checked against. */
  readonly rateLimits: () => readonly RateLimitStatus[];
  /** How often this process refused the caller's key by a rate limit. */
  readonly refusals: () => Refusals;
  /** Usage of the caller's key in a month, such as `2026-11`. */
  readonly usage: (month: string) => Promise<readonly ModuleUsage[]>;
  /** Health of every upstream. */
  readonly sources: () => Promise<readonly SourceReport[]>;
  readonly now: Clock;
}
