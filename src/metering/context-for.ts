import type { Knex } from 'knex';
import type { Caller, RequestContext } from '../context.ts';
import type { Loaders, ScopeOptions } from '../loaders/loader.ts';
import { createReader } from '../loaders/rows.ts';
import type { Open } from '../service.ts';
import { admissionTo } from './admission.ts';
import { gateFor } from './ask.ts';
import { type Meter, useOf } from './meter.ts';
import { limitsOf, type PlanOf } from './plans.ts';
import type { Rates } from './rates.ts';
import { usageOf } from './usage.ts';

export interface ContextOptions extends ScopeOptions {
  /** Epoch ms: when the request began; now where left out. */
  readonly startedAt?: number;
  /** The claim of the request's Idempotency-Key. */
  readonly claim?: string;
}

/** One for each context: what listens to it goes with it. */
const never = (): AbortSignal => new AbortController().signal;

/** Makes what one request, or one event of a subscription, works with: loaders of its own, behind the caller's gate. */
export type ContextFor = (caller: Caller, requestId: string, options?: ContextOptions) => RequestContext;

export interface ContextParts extends Pick<RequestContext, 'sources' | 'now'> {
  readonly loaders: Loaders;
  readonly open: Open;
  readonly db: Knex;
  readonly planOf: PlanOf;
  readonly rates: Pick<Rates, 'take'>;
  readonly meter: Meter;
}

export const createContextFor =
  ({ loaders, open, db, sources, now, planOf, rates, meter }: ContextParts): ContextFor =>
  (caller, requestId, { since, startedAt = now(), claim, signal = never() } = {}) => {
    const { keyId, modules, plan } = caller;
    const limits = limitsOf(planOf(plan), modules);
    const admission = admissionTo(limits, (limit) => rates.take(keyId, limit));
    return {
      requestId,
      signal,
      startedAt,
      caller,
      ...gateFor(caller, {
        load: loaders.scope({ since, signal }),
        read: createReader(db),
        open,
        admit: admission.pass,
        count: (module, question) => meter.count(useOf({ keyId, requestId, startedAt, claim }, module, question)),
      }),
      limits,
      standings: admission.standings,
      usage: (month) => usageOf(db, planOf, caller, month),
      sources,
      now,
    };
  };
