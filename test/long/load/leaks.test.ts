import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import { openSocket, subscribe } from '../../server/sockets/support.ts';
import { freePort } from '../../support/ports.ts';
import { isFull, isQuick, rounds } from '../../support/rounds.ts';
import { openFiles, quantile, residentBytes, slopeOf, startService } from './service.ts';

/** The first minutes, in which caches fill, are not measured. A quick run measures nothing. */
const WARM_UP_S = isQuick ? 1 : rounds(300);
/** In a quick run two checks of each watched company. */
const SECONDS = isQuick ? 25 : rounds(1_500);
const SAMPLE_S = Math.max(1, rounds(10));
/** About half of what the service answers on two cores beside its load generator; a tenth of it on a machine that does other work. */
const PER_SECOND = isFull ? 400 : 40;
/** Most requests of one kind under way: a service that falls behind gets no more. */
const UNDER_WAY = 50;
const SOCKETS = rounds(1_000);
const MONITORS = 20;
/** Test deliveries of one key: it may request 30 a minute. */
const TESTS_PER_SECOND = 0.4;

const cnpjs = companies.filter(({ knownTo }) => knownTo === 'both').map(({ cnpj }) => cnpj);
const READ = 'kyb { companyName status } compliance { riskLevel sourcesFailed } owners { owners { name role } }';
/** Watched companies are checked and lists downloaded many times. */
const OFTEN = { QUIPU_ROLES: 'server,worker', QUIPU_MONITOR_INTERVAL: '10s', QUIPU_LIST_INTERVAL: '1m' };

interface Sample {
  readonly atS: number;
  readonly bytes: number;
  readonly files: number;
  readonly connections: number;
}

it(`LD-04 ${SECONDS} s of requests, sockets, checks of watched companies, deliveries and downloads of lists give no error; in a full run memory grows by at most 1 MB/min, open files and connections do not grow, and p99 of the event loop delay is at most 50 ms`, async () => {
  const metricsPort = String(await freePort());
  const env = { ...OFTEN, QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8', QUIPU_METRICS_PORT: metricsPort };
  const { db, upstreams, processes, newKey } = await startService({ env });
  const [{ url, pid } = { url: '', pid: 0 }] = processes;
  const keys = await Promise.all(Array.from({ length: 50 }, newKey));
  const failures: string[] = [];
  let answered = 0;
  const post = async (path: string, body: object, key: string) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok || text.includes('"errors"')) failures.push(`${path} ${answer.status} ${text.slice(0, 200)}`);
    answered += 1;
    return JSON.parse(text);
  };
  const keyOf = (n: number) => keys[n % keys.length]?.key ?? '';
  const cnpjOf = (n: number) => cnpjs[n % cnpjs.length];
  const webhook_url = `${upstreams.url}/_control/webhooks/leaks`;
  const monitors: string[] = [];
  for (let n = 0; n < MONITORS; n += 1) {
    const identifiers = cnpjs.slice(n, n + 20);
    monitors.push((await post('/v1/monitor/subscriptions', { country: 'BR', identifiers, webhook_url }, keyOf(0))).subscription_id);
  }

  const until = performance.now() + 1_000 * (WARM_UP_S + SECONDS);
  /** Repeats work until the time is over, so many times a second. */
  const repeat = async (perSecond: number, work: (n: number) => Promise<unknown>) => {
    const startedAt = performance.now();
    const under = new Set<Promise<unknown>>();
    for (let n = 0; performance.now() < until; n += 1) {
      const one: Promise<unknown> = work(n).finally(() => under.delete(one));
      under.add(one);
      if (under.size >= UNDER_WAY) await Promise.race(under);
      await sleep(Math.max(0, startedAt + (n * 1_000) / perSecond - performance.now()));
    }
    await Promise.all(under);
  };
  const samples: Sample[] = [];
  const sample = async () => {
    const { rows } = await db.raw('SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()');
    samples.push({ atS: performance.now() / 1_000, bytes: await residentBytes(pid), files: await openFiles(pid), connections: rows[0].n });
  };
  const startedS = performance.now() / 1_000;
  await Promise.all([
    repeat(PER_SECOND / 2, (n) => post('/v1/compliance-br', { cnpj: cnpjOf(n) }, keyOf(n))),
    repeat(PER_SECOND / 2, (n) => post('/graphql', { query: `{ company(identifier: "${cnpjOf(n)}") { ${READ} } }` }, keyOf(n))),
    repeat(TESTS_PER_SECOND, (n) => post(`/v1/monitor/subscriptions/${monitors[n % MONITORS]}/test`, {}, keyOf(0))),
    repeat(SOCKETS / (WARM_UP_S + SECONDS), async (n) => {
      const socket = await openSocket(new URL(url).host, keyOf(n));
      socket.send(subscribe('1'));
      await sleep(2_000);
      if (n % 2 === 0) socket.net().resetAndDestroy();
      else socket.ws.close();
      await socket.closed;
    }),
    repeat(1 / SAMPLE_S, sample),
    sleep(1_000 * WARM_UP_S).then(() => eventLoopDelayP99(metricsPort)), // each reading starts a new histogram
  ]);
  const delayP99 = await eventLoopDelayP99(metricsPort);

  const kept = samples.filter(({ atS }) => atS - startedS >= WARM_UP_S);
  const growth = slopeOf(kept.map(({ atS, bytes }) => [atS / 60, bytes / 1e6]));
  const half = (of: (one: Sample) => number) => {
    const values = kept.map(of);
    const middle = Math.ceil(values.length / 2);
    return [quantile(values.slice(0, middle), 0.5), quantile(values.slice(middle), 0.5)] as const;
  };
  const files = half((one) => one.files);
  const connections = half((one) => one.connections);
  console.log(
    `${answered} answers, ${growth.toFixed(2)} MB/min, files ${files}, connections ${connections}, event loop delay p99 ${delayP99} ms`,
  );
  expect(failures).toEqual([]);
  const delivered = await db('deliveries').where({ state: 'delivered' }).count('* as n').first();
  expect(Number(delivered?.n)).toBeGreaterThan(0);
  expect(await db('deliveries').whereIn('state', ['failed', 'dropped']).select('id')).toEqual([]);
  if (!isFull) return;
  expect(delayP99).toBeLessThanOrEqual(50);
  expect(growth).toBeLessThanOrEqual(1);
  expect(files[1]).toBeLessThanOrEqual(files[0] + 5);
  expect(connections[1]).toBeLessThanOrEqual(connections[0] + 1);
}, 2_400_000);

/** p99 of the event loop delay since the last call, in ms. It includes the resolution of 10 ms at which Node measures. */
async function eventLoopDelayP99(metricsPort: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return 1_000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]);
}
