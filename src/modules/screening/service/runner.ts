import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { isRefusedValue } from '../../../db/refused-value.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { insertUsage } from '../../../metering/store/usage-records.ts';
import { usageRecordOf } from '../../../metering/usage-records.ts';
import type { ServiceDeps } from '../../../service.ts';
import { NO_FINDINGS, retryMs, type ScreenedModule } from '../domain/screening.ts';
import {
  advance,
  type ClaimedScreening,
  type CompanyOutcome,
  claimScreening,
  extendLease,
  hasDueScreening,
  lockClaimed,
  type PendingCompany,
  pendingCompanies,
  saveOutcomes,
} from '../store/batches.ts';
import { cancelOfClosedKeys, findScreenings } from '../store/screenings.ts';
import { type Checked, checkCompany, modulesFor } from './questions.ts';
import { publishEnd } from './webhook.ts';

/** Name of the job that looks for due screenings. */
export const TICK = 'screening.tick';
/** Name of the job that checks batches until no screening is due. */
export const RUN = 'screening.run';

/** Checks the companies of screenings in batches. */
export interface Runner {
  /** Enqueues jobs for due screenings, and the next tick. @throws when the queue itself fails */
  tick(): Promise<void>;
  /** Checks batches, of accounts in rotation, until none is due or `signal` aborts. @throws when the database fails */
  run(signal: AbortSignal): Promise<void>;
}

/** Number of companies of a batch, which are committed together, and checked again after a crash. */
const BATCH_SIZE = 500;
/** Number of companies of a batch that are checked concurrently. A live registry answers so many within the time limit of a check. */
const CHECKED_AT_ONCE = 32;
/** Checks of CHECKED_AT_ONCE companies take 10 s at most. Another process may take over after this time. */
const LEASE_MS = 40 * SECOND_MS;
/** Numbers of the queues. Their number is the maximum number of batches that are checked concurrently over all processes. */
const SLOTS = [0, 1];
const TICK_MS = 5 * SECOND_MS;

/** Enqueues a job for each slot. In a transaction, the jobs start after the commit. */
export async function enqueueRuns(db: Knex): Promise<void> {
  for (const slot of SLOTS) {
    const queue = `${RUN}:${slot}`;
    await enqueue(db, RUN, {}, { key: queue, queueName: queue });
  }
}

type RunnerDeps = Pick<ServiceDeps, 'db' | 'loaders' | 'now' | 'log'>;

export const createRunner = (deps: RunnerDeps): Runner => new ScreeningRunner(deps);

class ScreeningRunner implements Runner {
  readonly #deps: RunnerDeps;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  async tick(): Promise<void> {
    const { db, now, log } = this.#deps;
    await this.#enqueueDueWork().catch((error: Error) => log.error({ err: error }, 'polling for due screenings failed'));
    await enqueue(db, TICK, {}, { key: TICK, runAt: now() + TICK_MS });
  }

  async run(signal: AbortSignal): Promise<void> {
    let more = true;
    while (more && !signal.aborted) more = await this.#runBatch(signal);
  }

  async #enqueueDueWork(): Promise<void> {
    const { db, now } = this.#deps;
    await cancelOfClosedKeys(db, now());
    if (await hasDueScreening(db, now())) await enqueueRuns(db);
  }

  /** @returns false when no screening was due */
  async #runBatch(signal: AbortSignal): Promise<boolean> {
    const { db } = this.#deps;
    const at = this.#deps.now();
    const screening = await claimScreening(db, { now: at, lease: randomUUID(), until: at + LEASE_MS });
    if (!screening) return false;
    const batch = await pendingCompanies(db, screening, { now: at, limit: BATCH_SIZE });
    await this.#record(screening, await this.#checkBatch(screening, batch, signal));
    return true;
  }

  /** Checks the companies of a batch. No further check starts once `signal` aborts or the lease is lost. */
  async #checkBatch(screening: ClaimedScreening, batch: readonly PendingCompany[], signal: AbortSignal): Promise<readonly Outcome[]> {
    const { db, loaders, now, log } = this.#deps;
    const outcomes: Outcome[] = [];
    for (let from = 0; from < batch.length && !signal.aborted; from += CHECKED_AT_ONCE) {
      if (from > 0 && !(await extendLease(db, screening, now() + LEASE_MS))) return [];
      const load = loaders.scope({ caller: screening.keyId, signal });
      const part = batch.slice(from, from + CHECKED_AT_ONCE);
      const checks = part.map(async (company) => {
        const checked = await checkCompany(company, screening.modules, { load, signal, log, lists: screening.lists });
        return { ...outcomeOf(company, checked, now()), modules: modulesFor(company.country, screening.modules), counted: checked.counted };
      });
      const settled = await Promise.allSettled(checks);
      outcomes.push(...settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    }
    return outcomes;
  }

  /** Commits a batch: results, counts and usage, each company once. Stores nothing when the lease is lost. */
  async #record(screening: ClaimedScreening, outcomes: readonly Outcome[]): Promise<void> {
    await this.#deps.db.transaction(async (trx) => {
      if (!(await lockClaimed(trx, screening))) return;
      const at = this.#deps.now();
      const settled = await this.#save(trx, screening, outcomes, at);
      const failed = settled.filter(({ state }) => state === 'failed').length;
      const isDone = await advance(trx, screening, { done: settled.length - failed, failed }, at);
      if (isDone) await publishEndOf(trx, screening, at);
      const usage = usageOf(screening, settled, at);
      if (usage.length > 0) await insertUsage(trx, usage);
    });
  }

  /**
   * Stores the outcomes of a batch: together, or one by one when the database refuses a value. A company whose own outcome is refused is
   * stored as failed, so that it does not block the others. Returns the companies that are settled now.
   */
  async #save(trx: Knex, screening: ClaimedScreening, outcomes: readonly Outcome[], at: number): Promise<readonly Outcome[]> {
    const attempt = async (some: readonly Outcome[]): Promise<readonly Outcome[] | null> => {
      try {
        const settled = await trx.transaction((savepoint) => saveOutcomes(savepoint, screening, some, at));
        return some.filter(({ row }) => settled.has(row));
      } catch (error) {
        if (!isRefusedValue(error)) throw error;
        this.#deps.log.error({ screening: screening.id, rows: some.length, code: error.code }, 'results cannot be stored');
        return null;
      }
    };
    const together = await attempt(outcomes);
    if (together) return together;
    const settled: Outcome[] = [];
    for (const one of outcomes) settled.push(...((await attempt([one])) ?? (await attempt([notStored(one)])) ?? []));
    return settled;
  }
}

/** Returns the usage of settled companies, one record per module. */
function usageOf(screening: ClaimedScreening, settled: readonly Outcome[], startedAt: number) {
  const request = { keyId: screening.keyId, requestId: toPublicId('screening', screening.id), startedAt };
  const byModule = Map.groupBy(
    settled.flatMap(({ counted }) => counted),
    (module) => module,
  );
  return [...byModule].map(([module, { length }]) => ({ ...usageRecordOf(request, module, ''), quantity: length }));
}

/** Publishes the end of a screening with its final counts. */
async function publishEndOf(trx: Knex, screening: ClaimedScreening, now: number): Promise<void> {
  const [ended] = await findScreenings(trx, [screening]);
  if (ended) await publishEnd(trx, ended, now);
}

/** The outcome of a company, and the modules that are counted for it once it is settled. */
interface Outcome extends CompanyOutcome {
  /** Modules that the company is checked with. */
  readonly modules: readonly ScreenedModule[];
  readonly counted: Checked['counted'];
}

/** Returns the outcome of a company whose answers the database refuses: no answer. It is not counted. */
const notStored = ({ row, dueAt, modules }: Outcome): Outcome => ({
  row,
  state: 'failed',
  dueAt,
  findings: NO_FINDINGS,
  failedModules: modules,
  modules,
  counted: [],
});

/** Schedules another check of a company with failed modules, until its last attempt. Then the answers that were received are its result. */
function outcomeOf({ row, attempts }: PendingCompany, { findings, failedModules, isAnswered }: Checked, at: number): CompanyOutcome {
  const wait = failedModules.length === 0 ? null : retryMs(attempts + 1);
  if (wait !== null) return { row, state: 'pending', dueAt: at + wait, findings: NO_FINDINGS, failedModules: [] };
  return { row, state: isAnswered ? 'answered' : 'failed', dueAt: at, findings, failedModules };
}
