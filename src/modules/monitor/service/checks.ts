import { randomUUID } from 'node:crypto';
import { bulkhead } from 'cockatiel';
import type { Knex } from 'knex';
import { isRefusedValue } from '../../../db/refused-value.ts';
import { type CompanyKey, companyKeyText, REGISTRY_OF } from '../../../domain/company.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { companyNamesLoader } from '../../../loaders/company-names.ts';
import type { ServiceDeps } from '../../../service.ts';
import { NITS_PER_CALL } from '../../../sources/rues/rues.ts';
import { enqueueSending } from '../../../webhooks/service/messages.ts';
import { isOutdated } from '../domain/extract.ts';
import { tickMs, type WatchedCountry } from '../domain/watched-company.ts';
import { answerAge } from '../loaders/answer-age.ts';
import { observedLoader } from '../loaders/observed.ts';
import { hasJoinedSince } from '../store/registry-extracts.ts';
import {
  bringForward,
  type Claimed,
  type ClaimedCompanies,
  claimDueCompanies,
  countDue,
  countWatched,
  lockClaimedCompanies,
  saveCheckResults,
} from '../store/watched-companies.ts';
import { type CompanyObservation, type RegisteredCompany, toCheckResult } from './check-results.ts';
import type { Listings } from './list-baselines.ts';
import { CHECK_LIST, type ListChecks } from './list-checks.ts';
import { withoutDoubtfulDepartures } from './lost-partners.ts';
import { publish } from './publish.ts';
import type { Quarantine } from './quarantine.ts';
import type { RegistryExtracts } from './registry-extracts.ts';
import type { MonitorSettings } from './settings.ts';

/*
 * Checks watched companies at their registries. The tick counts due companies and enqueues at most one job per queue of a country. A
 * job claims a batch under a lease, loads the registrations past the cache, and records all results in one transaction: snapshots,
 * schedules, changes, deliveries. A claim costs one statement and a batch one transaction. A company that fails keeps its snapshot and is
 * due again soon. A process to which a registry gave no answer for a whole batch tries one company at each tick until one answers,
 * beside those that lack the baseline of a list. It leaves the other due companies to processes that reach the registry, or to its return.
 * If a process dies, the claim expires after 40 s, and results under an expired claim are not stored.
 */

/** Name of the job that polls for due work. */
export const TICK = 'monitor.tick';
/** Name of the job that checks the due companies of a country. */
export const CHECK = 'monitor.check';
/** Name of the same job for Colombia. Versions that do not check Colombian companies leave it to others during an update. */
export const CHECK_CO = 'monitor.check_co';

/** Checks watched companies at their registries. */
export interface Checks {
  /** Interval between two checks of a company, in ms. */
  readonly intervalMs: number;
  /** Enqueues jobs for due companies, list versions and deliveries, and the next tick. @throws when the queue itself fails */
  tick(): Promise<void>;
  /** Checks companies of a country in batches until none is due, a batch has no answer, or `signal` aborts. @throws when the database fails */
  check(country: WatchedCountry, signal: AbortSignal): Promise<void>;
}

/** Number of companies in a batch. BR: concurrent calls of the registry's API. CL: one statement on each copy. CO: one call. */
const BATCH_SIZE = { BR: 64, CL: 500, CO: NITS_PER_CALL } as const satisfies Record<WatchedCountry, number>;
/** A batch takes 15 s at most. Another process may claim its companies after this time. */
const LEASE_MS = 40 * SECOND_MS;
/** Queue numbers of a country. Their number is the maximum number of its jobs that run in parallel over all processes. */
const QUEUES = { BR: [0, 1, 2], CL: [3], CO: [4] } as const satisfies Record<WatchedCountry, readonly number[]>;

const oneAtATime = () => bulkhead(1, Number.POSITIVE_INFINITY);

export interface CheckDeps extends Pick<ServiceDeps, 'db' | 'loaders' | 'random' | 'now' | 'log'> {
  readonly settings: Pick<MonitorSettings, 'intervalMs'>;
  readonly quarantine: Pick<Quarantine, 'filterMassChanges'>;
  readonly lists: Pick<ListChecks, 'pending' | 'loaded' | 'baseline'>;
  readonly extracts: RegistryExtracts;
}

export const createChecks = (deps: CheckDeps): Checks => new RegistryChecks(deps);

class RegistryChecks implements Checks {
  readonly intervalMs: number;
  readonly #deps: CheckDeps;
  /** One batch per process and country, so that callers get slots of the registry's client, too. */
  readonly #slots = { BR: oneAtATime(), CL: oneAtATime(), CO: oneAtATime() } satisfies Record<WatchedCountry, unknown>;
  /** Countries for whose last batch this process got no answer. */
  readonly #unanswered = new Set<WatchedCountry>();

  constructor(deps: CheckDeps) {
    this.#deps = deps;
    this.intervalMs = deps.settings.intervalMs;
  }

  async tick(): Promise<void> {
    const { db, log, now } = this.#deps;
    await this.#enqueueDueWork().catch((error: Error) => log.error({ err: error }, 'polling for due work failed'));
    await enqueue(db, TICK, {}, { key: TICK, runAt: now() + tickMs(this.intervalMs) });
  }

  async check(country: WatchedCountry, signal: AbortSignal): Promise<void> {
    let more = true;
    while (more && !signal.aborted) more = await this.#slots[country].execute(() => this.#checkBatch(country));
  }

  async #enqueueDueWork(): Promise<void> {
    const { db, now, lists, extracts } = this.#deps;
    await extracts.makeChangedDue();
    await bringForward(db, now(), this.intervalMs);
    const { companies, partitions } = await countDue(db, now());
    if (partitions) await enqueueSending(db);
    for (const country of Object.keys(BATCH_SIZE) as WatchedCountry[]) {
      const batches = Math.ceil(companies[country] / BATCH_SIZE[country]);
      for (const number of QUEUES[country].slice(0, batches)) {
        const queue = `${CHECK}:${number}`;
        await enqueue(db, country === 'CO' ? CHECK_CO : CHECK, { country }, { key: queue, queueName: queue });
      }
    }
    for (const list of await lists.pending()) {
      await enqueue(db, CHECK_LIST, { list }, { key: `${CHECK_LIST}:${list}`, queueName: CHECK_LIST });
    }
  }

  /** Checks one batch. @returns false when no company was due, or the registry answered for none of them */
  async #checkBatch(country: WatchedCountry): Promise<boolean> {
    const lease = randomUUID();
    const claimed = await this.#claim(country, lease);
    if (claimed.length === 0) return false;
    const observations = await this.#observe(claimed);
    const isAnswered = observations.registered.size > 0;
    if (isAnswered) this.#unanswered.delete(country);
    else this.#unanswered.add(country);
    await this.#record(country, { lease, companies: claimed.map(({ company }) => company) }, observations);
    return isAnswered;
  }

  async #claim(country: WatchedCountry, lease: string): Promise<readonly Claimed[]> {
    const { db, now, lists } = this.#deps;
    const claim = (limit: number, onlyWithoutBaseline: boolean) => {
      const at = now();
      return claimDueCompanies(db, {
        country,
        limit,
        now: at,
        lease,
        until: at + LEASE_MS,
        lists: lists.loaded(country),
        onlyWithoutBaseline,
      });
    };
    if (!this.#unanswered.has(country)) return claim(BATCH_SIZE[country], false);
    const withoutBaseline = await claim(BATCH_SIZE[country], true);
    return withoutBaseline.length > 0 ? withoutBaseline : claim(1, false);
  }

  /** Reads the registrations and names of all companies, and the list entries of those that lack a baseline. */
  async #observe(claimed: readonly Claimed[]): Promise<BatchObservations> {
    const observedAt = this.#deps.now();
    const load = this.#deps.loaders.scope({ since: observedAt });
    const read = async (company: CompanyKey): Promise<RegisteredCompany> => {
      const [{ value: snapshot }, { value: names }, age] = await Promise.all([
        load(observedLoader, company),
        load(companyNamesLoader, company),
        answerAge(company, load),
      ]);
      return { snapshot, names, age };
    };
    const [answers, listings] = await Promise.all([
      Promise.allSettled(claimed.map(({ company }) => read(company))),
      this.#deps.lists.baseline(claimed.flatMap(({ company, lacksBaseline }) => (lacksBaseline ? [company] : []))),
    ]);
    const found = claimed.flatMap(({ company, extractedOn }, i) => {
      const answer = answers[i];
      return answer?.status === 'fulfilled' ? [{ company, extractedOn, answer: answer.value }] : [];
    });
    const current = found.filter(({ extractedOn, answer }) => !isOutdated(extractedOn, answer.age));
    const outdated = found.length - current.length;
    if (outdated > 0) this.#deps.log.info({ companies: outdated }, 'answers of an outdated copy count as failed');
    return { registered: new Map(current.map(({ company, answer }) => [companyKeyText(company), answer])), listings, observedAt };
  }

  /** Stores the observations of companies whose claim is still valid, and publishes their changes. */
  async #record(country: WatchedCountry, claim: ClaimedCompanies, observations: BatchObservations): Promise<void> {
    const { db, log } = this.#deps;
    try {
      await db.transaction((trx) => this.#recordIn(trx, country, claim, observations));
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      const refused = await this.#refusedCompanies(country, claim, observations);
      log.error({ country, companies: refused.length, code: error.code }, 'observations cannot be stored');
      if (refused.length === 0) throw error;
      const registered = new Map([...observations.registered].filter(([company]) => !refused.includes(company)));
      await db.transaction((trx) => this.#recordIn(trx, country, claim, { ...observations, registered }));
    }
  }

  /** Returns the companies whose own observation the database refuses. They are checked again like those whose registry failed. */
  async #refusedCompanies(country: WatchedCountry, claim: ClaimedCompanies, all: BatchObservations): Promise<readonly string[]> {
    const refused: string[] = [];
    for (const company of claim.companies) {
      const trx = await this.#deps.db.transaction();
      try {
        await this.#recordIn(trx, country, { ...claim, companies: [company] }, all);
      } catch (error) {
        if (!isRefusedValue(error)) throw error;
        refused.push(companyKeyText(company));
      } finally {
        await trx.rollback();
      }
    }
    return refused;
  }

  async #recordIn(
    trx: Knex,
    country: WatchedCountry,
    claim: ClaimedCompanies,
    { registered, listings, observedAt }: BatchObservations,
  ): Promise<void> {
    const now = this.#deps.now();
    const observations = (await lockClaimedCompanies(trx, claim)).map((watched): CompanyObservation => {
      const answer = registered.get(companyKeyText(watched.company));
      return {
        watched,
        answer: answer ? { ...answer, snapshot: withoutDoubtfulDepartures(watched.snapshot, answer.snapshot) } : null,
        listings: listings.get(watched.legalPerson),
      };
    });
    const { published, confirmAt } = await this.#deps.quarantine.filterMassChanges(trx, {
      source: REGISTRY_OF[country],
      country,
      checked: observations.flatMap(({ watched, answer }) => (answer ? [{ watched, observed: answer.snapshot }] : [])),
      watched: () => countWatched(trx, country),
      isSelected: async () => country !== 'CO' && (await hasJoinedSince(trx, country, now - this.intervalMs)),
      now,
    });
    const publishedKeys = new Set(published.map(({ company }) => companyKeyText(company)));
    const results = observations.map((one) => {
      const key = companyKeyText(one.watched.company);
      const decision = { isPublished: publishedKeys.has(key), confirmAt: confirmAt.get(key) };
      return toCheckResult(one, decision, { interval: this.intervalMs, now, random: this.#deps.random() });
    });
    await saveCheckResults(trx, results);
    if (published.length > 0) await publish(trx, published, now, observedAt);
  }
}

/** The answers of the sources for a batch. */
interface BatchObservations {
  /** Answers by `companyKeyText`, without companies whose registry failed or gave an outdated answer. */
  readonly registered: ReadonlyMap<string, RegisteredCompany>;
  /** Legal person → its list entries, for companies that lack the baseline of a list. */
  readonly listings: ReadonlyMap<string, Listings>;
  /** Epoch ms, before the registries were called. */
  readonly observedAt: number;
}
