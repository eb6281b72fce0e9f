import { keepByParts } from '../cache/kept-results.ts';
import type { Caller, RequestContext } from '../context.ts';
import { withinLifetime } from '../db/change.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import { AppError, isOutOfTime } from '../domain/errors.ts';
import type { Plan, PlanOf } from '../domain/plan.ts';
import type { Loaders, ScopeOptions } from '../loaders/loader.ts';
import type { Rows } from '../loaders/rows.ts';
import type { Language } from '../messages/message.ts';
import { RequestSlices } from '../scheduling/slices.ts';
import type { Open } from '../service.ts';
import { createAsk, type RequestUses } from './ask.ts';
import type { Executions } from './executions.ts';
import { notRecorded, type UsageJournal } from './journal/journal.ts';
import type { Metering } from './metering.ts';
import { limitsOf } from './plans.ts';
import { createRateLimitScope, type RateLimiter, requireAction } from './rate-limit.ts';
import type { Claim } from './store/idempotency-keys.ts';
import { createRequestUsage } from './usage-records.ts';

export interface ContextOptions extends Omit<ScopeOptions, 'caller' | 'slices'> {
  /** Epoch ms at which the request began; the current time if undefined. */
  readonly startedAt?: number;
  /** Claim of the request's Idempotency-Key. */
  readonly claim?: Claim;
  /** Language of the texts; default English. */
  readonly language?: Language;
}

/** Creates the context of one request, or of one event of a subscription, with DataLoaders of its own. */
export type ContextFor = (caller: Caller, requestId: string, options?: ContextOptions) => RequestContext;

export interface ContextDeps extends Pick<RequestContext, 'sources' | 'sourceHours' | 'now'> {
  readonly loaders: Loaders;
  readonly open: Open;
  /** Rows over the pool for everything except keys and metering. */
  readonly rows: Pick<Rows, 'reader'>;
  readonly planOf: PlanOf;
  readonly executions: Pick<Executions, 'run'>;
  readonly rateLimiter: Pick<RateLimiter, 'isShared' | 'take' | 'takeAction' | 'paceRefusal' | 'refusals'>;
  readonly usage: Pick<UsageJournal, 'record' | 'voidRecords'>;
  readonly usageOf: Metering['usageOf'];
  readonly usageByDay: Metering['usageByDay'];
}

/** Limits of a caller object, which requests share. They are computed once. */
const limitsOfCaller = keepByParts(({ modules }: Caller, plan: Plan) => limitsOf(plan, modules));

/** Returns a new signal for each context, so that its listeners are collected together with the context. */
const neverAborted = (): AbortSignal => new AbortController().signal;

export const createContextFor =
  ({
    loaders,
    open,
    rows,
    sources,
    sourceHours,
    now,
    planOf,
    executions,
    rateLimiter,
    usage,
    usageOf,
    usageByDay,
  }: ContextDeps): ContextFor =>
  (caller, requestId, { since, startedAt = now(), claim, language = 'en', signal = neverAborted() } = {}) => {
    const { keyId, plan } = caller;
    const terms = planOf(plan);
    const limits = limitsOfCaller(caller, terms);
    /** Usage of this request. It is not billed when the answer is SERVICE_UNAVAILABLE or DEADLINE_EXCEEDED, even if it is written later. */
    const ownUsage = createRequestUsage({ keyId, requestId, startedAt, claim }, usage);
    function recordUsage(module: ModuleName, loadKey: string): void {
      if (isOutOfTime(signal)) throw notRecorded();
      ownUsage.count(module, loadKey);
    }
    function refuse(error: unknown): never {
      if (error instanceof AppError && (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'DEADLINE_EXCEEDED')) {
        ownUsage.refuse();
        uses.counted.clear();
      }
      throw error;
    }
    const slices = new RequestSlices();
    const uses: RequestUses = { modules: new Set(), counted: new Map(), hasOpened: false };
    const rateLimits = createRateLimitScope(limits, keyId, rateLimiter);
    return {
      requestId,
      signal,
      startedAt,
      caller,
      language,
      execute: (work, options) =>
        executions.run(keyId, () => withinLifetime(signal, () => ownUsage.writtenAfter(work)), { signal, ...options }).catch(refuse),
      ...createAsk(caller, {
        load: loaders.scope({ caller: keyId, since, signal, slices }),
        uses,
        read: rows.reader(slices),
        open,
        checkRateLimit: rateLimits.check,
        recordUsage,
      }),
      uses,
      usageWritten: ownUsage.written,
      slices,
      limits,
      watch: terms.watch,
      limitAction: (action, count) => requireAction(rateLimiter, keyId, action, count),
      paceRefusal: () => rateLimiter.paceRefusal(keyId),
      rateLimits: rateLimits.statuses,
      refusals: () => rateLimiter.refusals(keyId),
      usage: (month) => usageOf(caller, month),
      usageByDay: (from) => usageByDay(caller, from),
      sources,
      sourceHours,
      now,
    };
  };
