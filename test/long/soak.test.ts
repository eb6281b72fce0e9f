import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { capacityOf, type Load } from '../../bench/capacity/model.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { endCursorOf } from '../../src/modules/monitor/domain/log-position.ts';
import { readStreamHead } from '../../src/modules/monitor/store/change-log.ts';
import { appendUntil } from '../modules/monitor/feed-support.ts';
import { testDb } from '../support/db.ts';
import { loadBalancer } from '../support/load-balancer.ts';
import { needsPooler, testPooler } from '../support/pooler.ts';
import { receiver } from '../support/receiver.ts';
import { needsRedis, redisOfTest } from '../support/redis.ts';
import { isFull, rounds } from '../support/rounds.ts';
import { silentProxy } from '../support/silent-proxy.ts';
import { until } from '../support/until.ts';
import { changeCompanies, createMonitor, perCompany, readLog, WATCHED } from './changed-companies.ts';
import { startClient } from './load/clients.ts';
import { busyCores, sampleCpu } from './load/cpu.ts';
import { type Asked, requester } from './load/requests.ts';
import { paced, quantile, residentBytes, slopeOf, startService } from './load/service.ts';

const SECONDS = Math.max(60, rounds(1_800));
const REQUESTS_PER_SECOND = isFull ? 100 : 20;
const SOCKETS = isFull ? 2_000 : 100;
const SOCKETS_PER_KEY = 20;
const BETWEEN_EVENTS_MS = 5_000;
const BETWEEN_KILLS_MS = isFull ? 60_000 : 15_000;
/** How long Redis and Postgres are away, each once. */
const AWAY_MS = isFull ? 20_000 : 5_000;
/** After a fault, requests may still be refused for this long. */
const RECOVERY_MS = 10_000;

const CHECKED_EVERY_S = 5;

/** Settings of every process. The watched companies are checked, and lists downloaded, many times. */
const OFTEN = {
  QUIPU_MONITOR_INTERVAL: `${CHECKED_EVERY_S}s`,
  QUIPU_MONITOR_GUARD_MIN: '100000',
  QUIPU_LIST_INTERVAL: '1m',
  QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8',
};

describe('a deployment', { ...needsPooler, ...needsRedis }, () => {
  it(`loses and repeats nothing in ${SECONDS} s: three web processes and two workers behind a load balancer, PgBouncer and Redis, under requests, ${SOCKETS} sockets, webhooks and list loads, while processes are killed, and Redis and Postgres are away`, async () => {
    const deployment = await startDeployment();
    const { db, balancer, webs, newKey } = deployment;
    const operator = await newKey();
    const owners = await Promise.all(Array.from({ length: SOCKETS / SOCKETS_PER_KEY }, newKey));
    const inbox = await receiver();
    await createMonitor(balancer.url, operator.key, inbox.url);
    const after = endCursorOf(await readStreamHead(db));
    const clients = Array.from({ length: SOCKETS }, (_, n) => startClient(() => balancer.url, owners[n % owners.length]?.key ?? '', after));
    await until(() => clients.every(({ at }) => at !== null));

    const begin = Date.now();
    const isOver = () => Date.now() - begin >= 1_000 * SECONDS;
    const changing = changeCompanies(db, deployment.upstreams);
    const events = appendUntil(isOver, db, owners, BETWEEN_EVENTS_MS);
    const memory = sampleMemory(() => webs[0]?.process.pid ?? 0, isOver);
    const cpu = sampleCpu(db, () => webs.map(({ process }) => process.pid), isOver);
    const asking = paced(REQUESTS_PER_SECOND, isOver, requester(balancer.url, operator.key));
    const faults = await deployment.breakThings(isOver);
    const [written, asked, growth, cpuSamples] = await Promise.all([events, asking, memory, cpu]);
    await sleep(RECOVERY_MS);
    const expected = await changing.finish();

    const log = await readLog(db);
    expect(perCompany(log)).toEqual(expected);
    const ids = log.filter(({ tax_id }) => WATCHED.includes(tax_id)).map(({ id }) => `evt_${id.replaceAll('-', '')}`);
    const sent = () => new Set(inbox.received.map(({ headers }) => headers['webhook-id']));
    await until(() => ids.every((id) => sent().has(id)));
    expect(sent().size).toBe(ids.length);

    await until(() => clients.every(({ received }, n) => received.length >= (written[n % owners.length]?.length ?? 0)));
    await sleep(2_000); // a repeated event would follow
    for (const [n, { received }] of clients.entries()) expect(received).toEqual(written[n % owners.length]);

    const refused = asked.filter(({ result }) => result !== 'right');
    expect(refused.filter(({ result }) => !result.startsWith('refused'))).toEqual([]);
    const isDuring = ({ from, to }: Pick<Asked, 'from' | 'to'>) =>
      faults.some((fault) => to >= fault.from && from <= fault.to + RECOVERY_MS);
    expect(refused.filter((one) => !isDuring(one))).toEqual([]);
    const right = asked.length - refused.length;
    const counted = async () =>
      Number((await db('usage_counters').where({ key_id: operator.id, module: 'kyb' }).sum({ used: 'used' }).first())?.used);
    await expect.poll(counted, { timeout: 40_000 }).toBeGreaterThanOrEqual(right); // others drain the usage of killed processes
    expect(await counted()).toBeLessThanOrEqual(asked.length); // a process may be killed after it counted, before it answered

    const busy = busyCores(cpuSamples.filter((one) => !isDuring(one)));
    const { web } = capacityOf(soakLoad(ids.length, written.flat().length));
    const predicted = web.busyCores + (webs.length - web.processes) * web.ownCores;
    console.log(
      `outside of faults web processes used ${busy.web.toFixed(2)} cores, ${(busy.web / predicted).toFixed(2)} of what the capacity model says; ` +
        `Postgres ${busy.postgres.toFixed(2)}, with the statements of this test`,
    );

    const times = asked.filter((one) => one.result === 'right' && !isDuring(one)).map(({ from, to }) => to - from);
    console.log(
      `${right} right answers, ${refused.length} refused; p99 ${quantile(times, 0.99)} ms outside of faults; ${ids.length} webhooks, ` +
        `${written.flat().length} events to ${SOCKETS_PER_KEY} sockets each; ${faults.length} faults; memory of a web process ${growth.toFixed(2)} MB/min${isFull ? '' : ' while its caches fill'}`,
    );
  }, 3_600_000);
});

/** The load of this test, for the capacity model. Changes of monitors reach one webhook each, and the other ones the sockets of one key. */
function soakLoad(webhooks: number, events: number): Load {
  const changes = webhooks + events;
  return {
    companies: WATCHED.length,
    changesPerDay: (changes * 86_400) / SECONDS,
    monitorsPerCompany: 1,
    webhooksPerChange: webhooks / changes,
    receiverMs: 1,
    socketsPerChange: (SOCKETS_PER_KEY * events) / changes,
    intervalHours: CHECKED_EVERY_S / 3_600,
    registryMs: 1,
    checksPerSecond: REQUESTS_PER_SECOND,
    companiesPerRequest: 1,
    cacheShare: 1,
    peak: 1,
    subscriptions: SOCKETS,
    cores: 2,
    usageDays: 731,
  };
}

async function startDeployment() {
  const database = await testDb();
  const postgres = await silentProxy(database.url);
  onTestFinished(() => {
    postgres.close();
    return database.close();
  });
  const redis = await redisOfTest();
  const pooler = await testPooler(postgres.url);
  const env = { ...OFTEN, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: postgres.url, REDIS_URL: redis.url };
  const service = await startService({ processes: 0, env, database });
  const balancer = await loadBalancer();

  async function startWeb() {
    const process = await service.startProcess({ QUIPU_ROLES: 'server' });
    const backend = balancer.add(process.url);
    await until(() => backend.isReady);
    return { process, backend };
  }
  const startWorker = () => service.startProcess({ QUIPU_ROLES: 'worker' });
  const webs = await Promise.all([startWeb(), startWeb(), startWeb()]);
  const workers = await Promise.all([startWorker(), startWorker()]);

  /** Kills a web process other than the first, whose memory is measured, and starts another in its place. */
  async function killWeb(i: number): Promise<void> {
    const web = webs[i];
    if (web) balancer.remove(web.backend);
    web?.process.child.kill('SIGKILL');
    await web?.process.ended;
    webs[i] = await startWeb();
  }

  async function killWorker(i: number): Promise<void> {
    workers[i]?.child.kill('SIGKILL');
    await workers[i]?.ended;
    workers[i] = await startWorker();
  }
  const kills = [() => killWeb(1), () => killWorker(0), () => killWeb(2), () => killWorker(1)];

  async function cutPostgres(): Promise<void> {
    postgres.newConnections('refuse');
    postgres.cut();
    await sleep(AWAY_MS);
    postgres.newConnections('pass');
  }

  async function stopRedis(): Promise<void> {
    await redis.kill();
    await sleep(AWAY_MS);
    await redis.start();
  }

  return {
    db: database.knex,
    upstreams: service.upstreams.url,
    balancer,
    webs,
    newKey: () => service.keys.create({ name: 'soak', modules: MODULES }),
    /** Kills a process again and again; Redis is away after a third of the time, Postgres after two. Settles with the times of the faults. */
    async breakThings(isOver: () => boolean): Promise<readonly { readonly from: number; readonly to: number }[]> {
      const begin = Date.now();
      const faults: { from: number; to: number }[] = [];
      const during = async (work: Promise<void>) => {
        const from = Date.now();
        await work;
        faults.push({ from, to: Date.now() });
      };
      const others = [stopRedis, cutPostgres];
      for (let n = 0; ; n += 1) {
        await sleep(BETWEEN_KILLS_MS);
        if (isOver()) return faults;
        const due = Date.now() - begin >= (1_000 * SECONDS * (3 - others.length)) / 3;
        const work = (due ? others.shift() : undefined) ?? kills[n % kills.length];
        if (work) await during(work());
      }
    },
  };
}

/** Settles with the growth of a process in MB per minute. */
async function sampleMemory(pid: () => number, isOver: () => boolean): Promise<number> {
  const samples: [minutes: number, megabytes: number][] = [];
  const begin = Date.now();
  while (!isOver()) {
    samples.push([(Date.now() - begin) / 60_000, (await residentBytes(pid())) / 1e6]);
    await sleep(1_000);
  }
  return slopeOf(samples);
}
