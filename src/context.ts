import type { Answer, Awaitable } from './domain/answer.ts';
import type { ModuleName, SourceName } from './domain/catalogue.ts';
import type { AccountLists } from './domain/optional-lists.ts';
import type { LimitedAction, ModuleLimit, RateLimitStatus, Refusals, WatchTerms } from './domain/plan.ts';
import type { Role } from './domain/roles.ts';
import type { Clock } from './domain/time.ts';
import type { ModuleUsage, UsageDay } from './domain/usage.ts';
import type { Offered } from './loaders/loader.ts';
import type { Read } from './loaders/rows.ts';
import type { Language } from './messages/message.ts';
import type { RequestSlices } from './scheduling/slices.ts';
import type { OfferedService } from './service.ts';
import type { SourceReport } from './sources/build.ts';
import type { SourceHour } from './sources/call-hours/store.ts';

/** A person who signed in by OpenID Connect, and acts through an API key. */
export interface CallerPerson {
  /** Keyed hash of the issuer and of its identifier of the person, in hexadecimal. */
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** Name of the key. */
  readonly keyName: string;
}

/** The valid API key behind a request. */
export interface Caller {
  readonly keyId: string;
  /** Name of the key, or of the person who acts through it. Decisions, notes and receipts carry it. */
  readonly name: string;
  /** The person who acts through the key; absent for a request with the key itself. */
  readonly person?: CallerPerson;
  readonly modules: ReadonlySet<ModuleName>;
  /** Role, which states the changes that the key may make. */
  readonly role: Role;
  readonly accountId: string;
  /** True if decisions of the account about candidates take effect when a second person approves them. */
  readonly needsApproval: boolean;
  /** Optional lists that the account has chosen. */
  readonly lists: AccountLists;
  /** Name of the plan with its limits and prices. */
  readonly plan: string;
  /** Epoch ms; null for never. */
  readonly expiresAt: number | null;
  /** True for a key that may run trusted GraphQL documents only. */
  readonly trustedOnly: boolean;
  /** True for a key whose consolidated check is an error if no source answered. */
  readonly failsIncomplete: boolean;
  /** Keyed hash of the secret that the client sent, or of the session of its person, in base64. A key has several secrets during a rotation. */
  readonly secretHash: string;
}

/**
 * Loads an answer for the caller. It is the only way from GraphQL and REST to a loader. It checks module and rate limit, and counts the
 * answer once per request and key of a loader. `execute` waits until the counts are written. An answer in memory is returned without a
 * promise. It rejects with AppError MODULE_NOT_ENABLED, RATE_LIMITED, or the loader's own failure, and never throws.
 */
export type Ask = <K, V>(loader: Offered<K, V>, key: K) => Awaitable<Answer<V>>;

/** Modules, answers and services that a request has used so far. */
export interface Uses {
  /** Modules that this request has used. */
  readonly modules: ReadonlySet<ModuleName>;
  /** Number of counted answers so far, by module. */
  readonly counted: ReadonlyMap<ModuleName, number>;
  /** True once a service was opened. */
  readonly hasOpened: boolean;
}

/** The request that an answer is written for: its id, and the language of the texts. */
export type Reader = Pick<RequestContext, 'requestId' | 'language'>;

/** Context of one request for resolvers and routes. */
export interface RequestContext {
  readonly requestId: string;
  /** Aborts at the request's deadline, or when its client has disconnected. The reason is an AppError. */
  readonly signal: AbortSignal;
  /** Epoch ms. It determines the month of the request's usage. */
  readonly startedAt: number;
  readonly caller: Caller;
  /** Language of the texts that people read, by the request's Accept-Language. */
  readonly language: Language;
  /**
   * Runs the execution that this request is for, in a slot of the caller's key, and waits until the counted usage is written. Work with
   * `mustWait` is never refused a slot.
   * @throws AppError RATE_LIMITED or SERVICE_UNAVAILABLE when the queue is full; SERVICE_UNAVAILABLE when usage cannot be written
   */
  readonly execute: <T>(work: () => Promise<T>, options?: { readonly mustWait?: boolean }) => Promise<T>;
  readonly ask: Ask;
  /** Returns true for an answer in memory, which `ask` loads without a batch. It checks and counts nothing. */
  readonly isKept: <K, V>(loader: Offered<K, V>, key: K) => boolean;
  /** Reads rows of our own tables by key, in one batch per tick. @throws AppError MODULE_NOT_ENABLED */
  readonly read: Read;
  /** Returns a service for the caller. @throws AppError MODULE_NOT_ENABLED */
  readonly open: <T>(service: OfferedService<T>) => T;
  readonly uses: Uses;
  /** Resolves when all usage so far is written. @throws AppError SERVICE_UNAVAILABLE when it cannot be */
  readonly usageWritten: () => Promise<void>;
  /** Schedules in-memory work in slices. Loads that are requested meanwhile wait for the last slice, so that they share batches. */
  readonly slices: RequestSlices;
  /** The rate limits of the caller's plan, for the modules on the key. */
  readonly limits: readonly ModuleLimit[];
  /** Limits of the caller's plan on what a key may watch. */
  readonly watch: WatchTerms;
  /** Takes one token, or `count`, for an action with a rate limit of its own. @throws AppError RATE_LIMITED */
  readonly limitAction: (action: LimitedAction, count?: number) => Promise<void>;
  /** Waits before a refusal is sent to the caller, if its key is refused very often. */
  readonly paceRefusal: () => Promise<void>;
  /** Returns the state of the rate limits that this request was checked against. */
  readonly rateLimits: () => readonly RateLimitStatus[];
  /** Returns the number of refusals of the caller's key by rate limits in this process. */
  readonly refusals: () => Refusals;
  /** Returns the usage of the caller's key in a month, such as `2026-11`. */
  readonly usage: (month: string) => Promise<readonly ModuleUsage[]>;
  /** Returns the usage of the caller's key by day since a day, such as `2026-11-01`. */
  readonly usageByDay: (from: string) => Promise<readonly UsageDay[]>;
  /** Returns the health of every upstream. */
  readonly sources: () => Promise<readonly SourceReport[]>;
  /** Returns the hours since a time (epoch ms) in which a source was called. */
  readonly sourceHours: (source: SourceName, from: number) => Promise<readonly SourceHour[]>;
  readonly now: Clock;
}

/** Returns the author of a change, as the audit log names it: a key, and the person who acts through it. */
export const actorOf = ({ keyId, person }: Pick<Caller, 'keyId' | 'person'>): string => actorNamed(keyId, person?.id ?? null);

/** Returns the author of a change by its ids. @param personId null for a change by the key itself */
export const actorNamed = (keyId: string, personId: string | null): string =>
  personId === null ? `key ${keyId}` : `key ${keyId} person ${personId}`;
