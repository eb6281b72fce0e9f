import { setTimeout as delay } from 'node:timers/promises';
import { createOtherKey, fillCaches, quipu, startShared } from './compliance/contenders.ts';
import { madeUpCnpjs } from './compliance/made-up.ts';
import { complianceOf } from './compliance/questions.ts';
import { type Bench, BenchFailure, type BenchOptions, type Ratio } from './harness/bench.ts';
import { type Contender, startAll, targetOf } from './harness/contender.ts';
import { describeFailures, load } from './harness/interleave.ts';
import type { LoadRequest, LoadResult } from './harness/load.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf, summarise } from './harness/statistics.ts';
import { conditions, ratioLine, spread, table } from './harness/table.ts';

const ALONE = 'nobody else asks';
const CONNECTIONS = 4;
/** Maximum numbers of companies of a monitor, and of monitors of a page. */
const [COMPANIES, MONITORS] = [500, 100];
/** Maximum size of a file in bytes, and maximum number of rows of a portfolio. */
const [FILE_BYTES, ROWS] = [4_000_000, 100_000];
/** Time in which the other key regains some of its points and its rates. */
const PAUSE_MS = 3_000;
/** The generator of the other key stands for another machine, so it takes only the CPU that the service leaves. */
const LOWEST_PRIORITY = ['nice', '-n', '19'];
const NOTE = 'not pinned: the service has both CPUs, and the load of the other key has the lowest priority';

interface HostileReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Latency of the caller of one company, by the requests of the other key. */
  readonly runs: Readonly<Record<string, readonly LoadResult[]>>;
  /** The p99 while each kind of request is sent, divided by the p99 alone. */
  readonly ratios: readonly Ratio[];
}

export const hostile: Bench = {
  name: 'hostile',
  description:
    'latency for a caller of one company while another key sends the most expensive requests as fast as it can, against its latency alone',
  async run(options, progress) {
    const machine = describeMachine({ server: [], load: [], note: NOTE });
    return onStage({ server: [], load: [], note: NOTE }, async (stage) => {
      const shared = await startShared(stage);
      const started = await startAll(stage, [withOrdinaryPlan(quipu(shared))], progress);
      const [ours] = started;
      if (!ours) throw new BenchFailure('no server was started');
      await fillCaches(1, started);
      const { request: one } = targetOf(complianceOf(1))(ours);
      const others = await requestsOf(ours.server.url, () =>
        createOtherKey(shared, { QUIPU_PLANS: ours.contender.env.QUIPU_PLANS ?? '' }, '--plan', 'ordinary'),
      );

      const runs: Record<string, LoadResult[]> = Object.fromEntries([ALONE, ...Object.keys(others)].map((name) => [name, []]));
      const lengths = { seconds: options.seconds, warmupSeconds: options.warmupSeconds };
      for (let round = 1; round <= options.rounds; round += 1) {
        for (const [name, results] of Object.entries(runs)) {
          const request = others[name];
          const longer = { warmupSeconds: 0, seconds: lengths.warmupSeconds + lengths.seconds + 1 };
          const [measured] = await Promise.all([
            load({ request: one, connections: 1, ...lengths }, []),
            request && load({ request, connections: CONNECTIONS, ...longer }, LOWEST_PRIORITY),
          ]);
          if (measured.failures > 0) throw new BenchFailure(`${name}: of the caller, ${describeFailures(measured)}`);
          results.push(measured);
          progress(`round ${round}/${options.rounds} · ${name} · p99 ${measured.p99Ms.toFixed(1)} ms`);
          if (request) await delay(PAUSE_MS);
        }
      }
      const p99s = (name: string) => (runs[name] ?? []).map(({ p99Ms }) => p99Ms);
      const ratios = Object.keys(others).map((name) => ({ of: name, to: ALONE, ratio: ratioOf(p99s(name), p99s(ALONE)) }));
      const report: HostileReport = { bench: 'hostile', machine, options, runs, ratios };
      return { report, text: render(report) };
    });
  },
};

/** The caller has the plan without limits, the other key one with the limits that the service has by default. */
const ORDINARY = { graphql: { ceiling: 10_000, perMinute: 60_000, burst: 50_000 } };
function withOrdinaryPlan({ env, ...contender }: Contender): Contender {
  return { ...contender, env: { ...env, QUIPU_PLANS: JSON.stringify({ ...JSON.parse(env.QUIPU_PLANS ?? '{}'), ordinary: ORDINARY }) } };
}

/**
 * Returns the requests of the other key. Each takes the service much time for what it costs the key. Each kind has a key of its own, because
 * a key that has spent its points on one kind would be refused the others.
 */
async function requestsOf(url: string, createKey: () => string): Promise<Readonly<Record<string, LoadRequest>>> {
  const post = (path: string, body: unknown, key = createKey()): LoadRequest => ({
    url: url + path,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  });
  const graphql = (query: string, key = createKey()) => post('/graphql', { query }, key);
  const cnpjs = madeUpCnpjs(ROWS);
  const monitor = { identifiers: cnpjs.slice(0, COMPANIES), country: 'BR', webhook_url: `${url}/nowhere` };
  const ofMonitors = createKey();
  for (let i = 0; i < MONITORS; i += 1) await send(post('/v1/monitor/subscriptions', monitor, ofMonitors));
  const names = Array.from({ length: 15 }, (_, i) => `n${i}: possibleMatches(name: "BANCO NACIONAL COMERCIO EXTERIOR ${i}") { entryName }`);
  const unknown = Array.from({ length: 1_500 }, (_, i) => `a${i}: nothing${i}(x: 1) { y }`);
  return {
    [`${MONITORS} monitors of ${COMPANIES} companies`]: graphql(`{ monitors(first: ${MONITORS}) { nodes { identifiers } } }`, ofMonitors),
    '15 names compared with the lists': graphql(`{ company(identifier: "${cnpjs[0]}") { sanctions { ${names.join(' ')} } } }`),
    'documents that are refused': graphql(`{ ${unknown.join(' ')} }`),
    'portfolios of 4 MB of commas': post('/v1/screenings', { country: 'BR', csv: ','.repeat(FILE_BYTES) }),
    [`portfolios of ${ROWS} wrong rows`]: post('/v1/screenings', {
      country: 'BR',
      csv: `cnpj\n${cnpjs.map((cnpj) => `${cnpj.slice(1)}x`).join('\n')}`,
    }),
  };
}

/** @throws BenchFailure for an answer other than 200 */
async function send({ url, headers, body }: LoadRequest): Promise<void> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  if (!answer.ok) throw new BenchFailure(`${url} answered ${answer.status}: ${await answer.text()}`);
  await answer.arrayBuffer();
}

function render({ machine, options, runs, ratios }: HostileReport): string {
  const { rounds, seconds, warmupSeconds } = options;
  const how = `Rounds: ${rounds}, each ${seconds} s after ${warmupSeconds} s of warm-up; one connection of the caller, ${CONNECTIONS} of the other key; ${machine.pinning}.`;
  const rows = Object.entries(runs).map(([name, results]) => [
    name,
    spread(summarise(results.map(({ p50Ms }) => p50Ms)), 1),
    spread(summarise(results.map(({ p99Ms }) => p99Ms)), 1),
  ]);
  return [
    ...conditions(machine, how),
    ...table(['the other key sends', 'p50 ms', 'p99 ms'], rows),
    '',
    ...ratios.map(ratioLine(1)),
    '',
  ].join('\n');
}
