import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { cnpjsFrom } from '../test/support/made-up-cnpjs.ts';
import { newBootstrapKey } from './compliance/contenders.ts';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { cpuMsOf } from './harness/cpu-time.ts';
import { describeMachine, findPinning, type Machine, type Pinning } from './harness/machine.ts';
import { freePort, type RunningServer } from './harness/server.ts';
import { onStage, type Stage } from './harness/stage.ts';
import { quantile, ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, ratioLine, spread, table } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { startQuipu } from './monitors/play.ts';

/** Plan with limits that the benchmark does not reach. */
const UNLIMITED = '{"standard":{"compliance_br":{"rate":null},"kyb":{"rate":null},"graphql":{"perMinute":1000000000,"burst":1000000000}}}';
/** Latencies of the registry. */
const LATENCIES_MS = [50, 300];
/** Number of concurrent calls that the service makes to the registry. */
const AT_ONCE = 16;
/** Number of companies of a list. */
const LIST = 500;
/** Maximum time in ms in which the service answers a list. A list that would take longer is not requested. */
const LIST_MS = 5_000;
const WARM_UP_BURSTS = 20;

/** Requests answers about companies that were never requested before, all at once. It returns after the last answer. */
type Burst = (companies: readonly string[]) => Promise<void>;

/** A way to request answers, in every round of one latency and number of companies. */
interface Measured {
  readonly name: string;
  /** Median time of a burst, ms, by round. */
  readonly ms: readonly number[];
  /** Costs per company, over all rounds; null for the calls that bypass the service. */
  readonly perCompany: { readonly cpuMs: number; readonly statements: number; readonly calls: number; readonly connections: number } | null;
}

interface Case {
  readonly title: string;
  readonly measured: readonly Measured[];
  /** Time of the consolidated check divided by that of each other way, by round. */
  readonly ratios: readonly { readonly to: string; readonly ratio: Summary }[];
}

interface ColdReport {
  readonly bench: 'cold';
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly cases: readonly Case[];
}

export const cold: Bench = {
  name: 'cold',
  description: 'the consolidated check of companies that are in no cache against the slowest single source called alone',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const postgres = await startPostgres(stage.dir);
      try {
        const cases = await postgres.afresh(async (url) => measureAll(await play(stage, pinning, url), options, progress));
        const report: ColdReport = { bench: 'cold', machine, options, cases };
        return { report, text: render(report) };
      } finally {
        await postgres.stop();
      }
    });
  },
};

/** The service and the registry, and the ways to request answers. */
interface Play {
  readonly ways: Readonly<Record<string, Burst>>;
  /** Ways that request a whole list at once, with a separate limit of calls. */
  readonly listWays: Readonly<Record<string, Burst>>;
  setLatency(ms: number): Promise<void>;
  totals(): Promise<Totals>;
  close(): Promise<void>;
}

/** Totals since the start. */
interface Totals {
  /** CPU time of the process of the service, in ms; 0 without /proc. */
  readonly cpuMs: number;
  readonly statements: number;
  readonly calls: number;
  readonly connections: number;
}

const CHECK = 'consolidated check';
const KYB = 'registration alone';
const SOURCE = 'registry alone';

async function play(stage: Stage, pinning: Pinning, url: string): Promise<Play> {
  const registry = await stage.start(
    { name: 'registry', script: 'bench/servers/registry.ts', env: {}, readyPath: '/counts' },
    pinning.load,
  );
  const key = newBootstrapKey();
  const metricsPort = await freePort();
  const quipu = await startQuipu({ stage, url }, 'quipu', {
    QUIPU_BOOTSTRAP_KEY: key,
    QUIPU_PLANS: UNLIMITED,
    QUIPU_LOOP_DELAY: '10000',
    QUIPU_METRICS_PORT: String(metricsPort),
    QUIPU_RECEITA_URL: registry.url,
    QUIPU_RECEITA_FALLBACK_URL: '',
  });
  return playOn({ quipu, registryUrl: registry.url, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, key });
}

interface Servers {
  readonly quipu: RunningServer;
  readonly registryUrl: string;
  readonly metricsUrl: string;
  readonly key: string;
}

/** Returns the ways to request answers from a service whose registry is at `registryUrl`. */
function playOn({ quipu, registryUrl, metricsUrl, key }: Servers): Play {
  const ours = new Agent({ connections: AT_ONCE, keepAliveTimeout: 60_000 });
  const theirs = new Agent({ connections: AT_ONCE, keepAliveTimeout: 60_000 });
  const get = async (url: string): Promise<string> => (await request(url, { dispatcher: theirs })).body.text();
  const post = async (path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const answer = await request(quipu.url + path, { dispatcher: ours, method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new BenchFailure(`${path} answered ${answer.statusCode}: ${text.slice(0, 500)}`);
    return text;
  };
  const each =
    (ask: (cnpj: string) => Promise<unknown>): Burst =>
    async (companies) =>
      void (await Promise.all(companies.map(ask)));
  const source = each((cnpj) => get(`${registryUrl}/${cnpj}`));
  const query =
    'query ($ids: [String!]!) { companies(identifiers: $ids) { compliance { riskLevel completeness checks { kyb { companyName } owners { count } } } } }';
  return {
    ways: {
      [SOURCE]: source,
      [KYB]: each((identifier) => post('/v1/kyb', { identifier, country: 'BR' })),
      [CHECK]: each(async (cnpj) => requireComplete(await post('/v1/compliance-br', { cnpj }), 1)),
    },
    listWays: {
      [SOURCE]: source,
      [CHECK]: async (ids) => requireComplete(await post('/graphql', { query, variables: { ids } }), ids.length),
    },
    setLatency: async (ms) => {
      await (await request(`${registryUrl}/latency/${ms}`, { method: 'PUT' })).body.dump();
    },
    async totals() {
      const { calls, connections } = JSON.parse(await get(`${registryUrl}/counts`)) as Pick<Totals, 'calls' | 'connections'>;
      return { cpuMs: cpuMsOf(quipu.pid), statements: statementsIn(await get(metricsUrl)), calls, connections };
    },
    close: async () => {
      await Promise.all([ours.destroy(), theirs.destroy()]);
    },
  };
}

function requireComplete(answer: string, companies: number): void {
  const complete = answer.match(/"completeness":"complete"/gi) ?? [];
  if (complete.length !== companies) throw new BenchFailure(`an answer is not complete: ${answer.slice(0, 1_000)}`);
}

/** Returns the number of statements of the pool of the service, from its metrics. */
const statementsIn = (metrics: string): number =>
  [...metrics.matchAll(/^quipu_sql_\w*_count\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);

async function measureAll(
  play: Play,
  { rounds, seconds }: Pick<BenchOptions, 'rounds' | 'seconds'>,
  progress: (line: string) => void,
): Promise<readonly Case[]> {
  const cases: Case[] = [];
  try {
    for (const latencyMs of LATENCIES_MS) {
      for (const companies of latencyMs * LIST > AT_ONCE * LIST_MS ? [1, AT_ONCE] : [1, AT_ONCE, LIST]) {
        const title = `${companies === LIST ? `companies(${LIST}), ${AT_ONCE} calls at once` : `${companies} at once`}, registry of ${latencyMs} ms`;
        progress(title);
        cases.push(await measureCase(play, { title, latencyMs, companies, rounds, seconds }, progress));
      }
    }
  } finally {
    await play.close();
  }
  return cases;
}

interface Setup {
  readonly title: string;
  readonly latencyMs: number;
  readonly companies: number;
  readonly rounds: number;
  readonly seconds: number;
}

async function measureCase(
  play: Play,
  { title, latencyMs, companies, rounds, seconds }: Setup,
  progress: (line: string) => void,
): Promise<Case> {
  const ways = Object.entries(companies === LIST ? play.listWays : play.ways).map(([name, burst]) => {
    return { name, burst, ms: [] as number[], spent: { cpuMs: 0, statements: 0, calls: 0, connections: 0 }, asked: 0 };
  });
  await play.setLatency(0);
  for (const { burst } of ways) for (let i = 0; i < (companies === LIST ? 2 : WARM_UP_BURSTS); i += 1) await burst(newCompanies(companies));
  await play.setLatency(latencyMs);
  for (let round = 1; round <= rounds; round += 1) {
    for (const way of ways) {
      await delay(200); // until the last usage records are written
      const before = await play.totals();
      const times: number[] = [];
      for (const start = performance.now(); performance.now() - start < seconds * 1_000; ) {
        const asked = newCompanies(companies);
        const startedAt = performance.now();
        await way.burst(asked);
        times.push(performance.now() - startedAt);
      }
      const after = await play.totals();
      way.ms.push(quantile(times, 0.5));
      way.asked += times.length * companies;
      for (const what of ['cpuMs', 'statements', 'calls', 'connections'] as const) way.spent[what] += after[what] - before[what];
      progress(`round ${round}/${rounds} · ${way.name} · ${way.ms.at(-1)?.toFixed(1)} ms`);
    }
  }
  const measured = ways.map(({ name, ms, spent: { cpuMs, statements, calls, connections }, asked }) => ({
    name,
    ms,
    perCompany:
      name === SOURCE
        ? null
        : { cpuMs: cpuMs / asked, statements: statements / asked, calls: calls / asked, connections: connections / asked },
  }));
  const check = measured.find(({ name }) => name === CHECK)?.ms ?? [];
  const ratios = measured.filter(({ name }) => name !== CHECK).map(({ name, ms }) => ({ to: name, ratio: ratioOf(check, ms) }));
  return { title, measured, ratios };
}

let lastCompany = 0;
/** Returns companies with other roots than all before, so that no cache and no list answer has them. */
function newCompanies(count: number): readonly string[] {
  const first = lastCompany + 1;
  lastCompany += count;
  return cnpjsFrom(10_000_000 + first, count);
}

function render({ machine, options, cases }: ColdReport): string {
  const how = `Rounds: ${options.rounds}, interleaved; each run ${options.seconds} s; ${machine.pinning}; Postgres is not pinned.`;
  const rowOf = ({ name, ms, perCompany }: Measured) => [
    name,
    spread(summarise(ms), 1),
    ...(perCompany
      ? [perCompany.cpuMs.toFixed(2), perCompany.statements.toFixed(2), perCompany.calls.toFixed(2), perCompany.connections.toFixed(3)]
      : []),
  ];
  const tables = cases.flatMap(({ title, measured, ratios }) => [
    '',
    `**${title}**; ms until the last answer, the rest for each company`,
    '',
    ...table(['', 'ms', 'ms CPU', 'SQL statements', 'calls', 'new connections'], measured.map(rowOf)),
    '',
    ...ratios.map(({ to, ratio }) => ratioLine(2)({ of: CHECK, to, ratio })),
  ]);
  return [...conditions(machine, how), ...tables, ''].join('\n');
}
