import { randomUUID } from 'node:crypto';
import { bulkhead } from 'cockatiel';
import { companyKeyText } from '../../../domain/company.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import type { Snapshot } from '../domain/change.ts';
import {
  afterFailure,
  afterSuccess,
  findingsOf,
  isIgnored,
  type Moment,
  REGISTRY_OF,
  tickMs,
  type Watched,
  type WatchedCountry,
} from '../domain/watched-company.ts';
import { observedLoader } from '../loader.ts';
import {
  bringForward,
  type Checked,
  type Claimed,
  claimDue,
  countDue,
  countWatched,
  lockClaimed,
  type Ours,
  saveChecked,
} from '../store/watched-companies.ts';
import { JUDGE_LIST, type Listings, listNewsService } from './list-checks.ts';
import { DELIVER, publish } from './publish.ts';
import { guardService } from './quarantine.ts';
import { monitorSettings, readMonitorSettings } from './settings.ts';

/** Companies that are checked together: live calls, or one statement on a copy. */
export const BATCH = { BR: 64, CL: 500 } as const satisfies Record<WatchedCountry, number>;
/** A batch ends within 15 s; a claim that is older is anybody's. */
const LEASE_MS = 40 * SECOND_MS;

/** Checks companies of a country until none is due, or the process must stop. @throws when the database fails */
export type Check = (country: WatchedCountry, signal: AbortSignal) => Promise<void>;

/** Claims what is due, looks at it, and writes down what was seen, a batch at a time. */
export function createCheck(deps: ServiceDeps): Check {
  const { db, loaders, random, open } = deps;
  const { intervalMs: interval } = readMonitorSettings(deps);
  const guard = open(guardService);
  // Callers need the places of the registry's client, too: a process asks for one batch at a time.
  const turns = { BR: bulkhead(1, Number.POSITIVE_INFINITY), CL: bulkhead(1, Number.POSITIVE_INFINITY) };

  /** What the registry says now, and of new companies the lists, too. */
  async function observe(claimed: readonly Claimed[]): Promise<Seen> {
    const load = loaders.scope({ since: deps.now() });
    const [answers, listings] = await Promise.all([
      Promise.allSettled(claimed.map(({ company }) => load(observedLoader, company))),
      open(listNewsService).baseline(claimed.flatMap(({ company, isNew }) => (isNew ? [company] : []))),
    ]);
    const snapshots = claimed.flatMap(({ company }, i) => {
      const answer = answers[i];
      return answer?.status === 'fulfilled' ? [[companyKeyText(company), answer.value.value] as const] : [];
    });
    return { snapshots: new Map(snapshots), listings };
  }

  /** Writes down what was seen of the companies that are still ours. */
  const record = (country: WatchedCountry, ours: Ours, { snapshots, listings }: Seen) =>
    db.transaction(async (trx) => {
      const now = deps.now();
      const looks = (await lockClaimed(trx, ours)).map((watched) => ({
        watched,
        observed: snapshots.get(companyKeyText(watched.company)) ?? null,
        listings: listings.get(watched.legalPerson),
      }));
      const published = await guard.sift(trx, {
        source: REGISTRY_OF[country],
        country,
        checked: looks.flatMap(({ watched, observed }) => (observed ? [watched.company] : [])),
        watched: () => countWatched(trx, country),
        findings: looks.flatMap(({ watched, observed }) => (observed ? findingsOf(watched, observed) : [])),
        now,
      });
      const news = new Set(published.map(({ company }) => companyKeyText(company)));
      await saveChecked(
        trx,
        looks.map((look) => toChecked(look, { isNews: news.has(companyKeyText(look.watched.company)), interval, now, random: random() })),
      );
      if (published.length > 0)
        await publish(
          trx,
          published.map(({ company, source, fields }) => ({ company, source, fields, detectedAt: now })),
          now,
        );
    });

  /** True when there was something due. */
  async function batch(country: WatchedCountry): Promise<boolean> {
    const now = deps.now();
    const lease = randomUUID();
    const claimed = await claimDue(db, { country, limit: BATCH[country], now, lease, until: now + LEASE_MS });
    const companies = claimed.map(({ company }) => company);
    if (companies.length > 0) await record(country, { lease, companies }, await observe(claimed));
    return companies.length > 0;
  }

  return async (country, signal) => {
    let more = true;
    while (more && !signal.aborted) more = await turns[country].execute(() => batch(country));
  };
}

/** What a batch has brought to light. */
interface Seen {
  /** Company → what its registry says; one that could not be read is left out. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Legal person → what the lists say, of new companies. */
  readonly listings: ReadonlyMap<string, Listings>;
}

interface Look {
  readonly watched: Watched;
  /** Null where the registry could not be read. */
  readonly observed: Snapshot | null;
  readonly listings: Listings | undefined;
}

interface Judged extends Moment {
  /** True when the observation was published as a change. */
  readonly isNews: boolean;
}

function toChecked({ watched, observed, listings }: Look, { isNews, ...moment }: Judged): Checked {
  const { company, snapshot, ignored } = watched;
  if (observed === null) return { company, snapshot, ignored, checkedAt: null, ...afterFailure(watched, moment) };
  return {
    company,
    snapshot: snapshot === null || isNews ? observed : snapshot,
    ignored: isIgnored(watched, observed) ? ignored : null,
    listings,
    checkedAt: moment.now,
    ...afterSuccess(watched, moment),
  };
}

/** The jobs of the sweep. */
export const TICK = 'monitor.tick';
export const CHECK = 'monitor.check';

/** Looks at what is watched, over and over. */
export interface Sweep {
  /** Puts what is due into the queue, and itself again. @throws when the queue itself fails */
  tick(): Promise<void>;
  readonly check: Check;
}

/** Lines of the queue, so the most jobs that check side by side. */
const LINES = { BR: [0, 1, 2], CL: [3] } as const satisfies Record<WatchedCountry, readonly number[]>;

export const sweepService = defineService<Sweep>({
  name: 'sweep',
  module: 'monitor',
  settings: monitorSettings,
  create(deps) {
    const { db, now, log, open } = deps;
    const { intervalMs } = readMonitorSettings(deps);

    async function look(): Promise<void> {
      await bringForward(db, now(), intervalMs);
      const { companies, lanes } = await countDue(db, now());
      if (lanes) await enqueue(db, DELIVER, {}, { key: DELIVER });
      for (const country of Object.keys(BATCH) as WatchedCountry[]) {
        const batches = Math.ceil(companies[country] / BATCH[country]);
        for (const line of LINES[country].slice(0, batches)) {
          const name = `${CHECK}:${line}`;
          await enqueue(db, CHECK, { country }, { key: name, queueName: name });
        }
      }
      for (const list of await open(listNewsService).waiting()) {
        await enqueue(db, JUDGE_LIST, { list }, { key: `${JUDGE_LIST}:${list}`, queueName: JUDGE_LIST });
      }
    }

    return {
      check: createCheck(deps),

      async tick() {
        await look().catch((error: Error) => log.error({ err: error }, 'a look at what is due failed'));
        await enqueue(db, TICK, {}, { key: TICK, runAt: now() + tickMs(intervalMs) });
      },
    };
  },
});
