import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { createDb, urlOf } from '../db/knex.ts';
import { createSealer } from '../db/sealer.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';
import type { Job } from '../jobs/job.ts';
import { forgetJob } from './forget.job.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { createMeter, type Meter } from './meter.ts';
import { createPlans, type GivenPlans, type PlanOf } from './plans.ts';
import { createRates, type Rates } from './rates.ts';
import { reconcileJob } from './reconcile.job.ts';
import { recordUses } from './usage-store.ts';

/** What stands between a caller and an answer, beside the modules of the key: plan, limits, count; and the work of keeping it. */
export interface Toll {
  readonly planOf: PlanOf;
  readonly rates: Rates;
  readonly meter: Meter;
  readonly idempotency: Idempotency;
  readonly jobs: readonly Job[];
  close(): Promise<void>;
}

export interface TollDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
  readonly plans: GivenPlans;
  readonly redisUrl: string | undefined;
  /** Seals the answers that are kept for an Idempotency-Key. */
  readonly keySecret: string;
}

/** A statement that takes longer records nothing: those who wait for it are gone by then. */
const STATEMENT_MS = SECOND_MS;

/** Usage has connections of its own: a write that hangs takes none from those who read. */
export function createToll({ db, now, log, plans, redisUrl, keySecret }: TollDeps): Toll {
  const ledger = createDb(urlOf(db), { log, poolMax: 2, statementTimeoutMs: STATEMENT_MS });
  const rates = createRates({ now, log, redisUrl });
  const idempotency = createIdempotency({ db, now, sealer: createSealer(keySecret, 'quipu idempotency') });
  return {
    planOf: createPlans(plans),
    rates,
    meter: createMeter({ record: (uses) => recordUses(ledger, uses), log }),
    idempotency,
    jobs: [reconcileJob({ db, now }), forgetJob({ db, now, idempotency })],
    async close() {
      await rates.close();
      await ledger.destroy();
    },
  };
}
