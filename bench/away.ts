import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchOptions, Ratio } from './harness/bench.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { quantile, type Summary, summarise } from './harness/statistics.ts';
import { conditions, definitions, ratioLine, spread, table, withVerdict } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { type Accounts, accountsOf, recordedQuantity } from './outage/accounting.ts';
import { type AwayServer, BY_HAND, QUIPU, startServers } from './outage/contenders.ts';
import { frozen, type Outage, restarted } from './outage/postgres.ts';
import { type Sent, steadily } from './outage/steady.ts';
import { TARGETS } from './targets.ts';

const UNPINNED = { server: [], load: [], note: 'not pinned' };
/** Requests a second of each stream. It is far below what a server can answer, so that no request is refused for the load. */
const PER_SECOND = 50;
/** Maximum time to an answer that counts. A request that waits until Postgres is back was not answered while it was away. */
const IN_TIME_MS = 2_000;
/** Pause between two rounds, in which each server opens its connections again. */
const PAUSE_MS = 3_000;

const WHAT: Readonly<Record<string, string>> = {
  [QUIPU]: 'our server as shipped, with the database in `DATABASE_URL`: API key, limits, each answer counted, log at its default level',
  [BY_HAND]: 'the baseline: the server of `rest` that commits a usage row for each answer',
  frozen: 'every process of Postgres is stopped by SIGSTOP; connections stay open, and nothing answers',
  stopped: 'Postgres is shut down, and started again on the same port',
};

/** The answers of one stream in one round. */
interface StreamRun {
  /** Share of requests that were answered in time with 200, in percent: before Postgres was away, meanwhile, and afterwards. */
  readonly before: number;
  readonly away: number;
  readonly after: number;
  /** 99th percentile of the time to the answers with 200 while Postgres was away, in ms; null without such answers. */
  readonly p99Ms: number | null;
  /** Status → number of other requests while Postgres was away; `late` for answers with 200, `none` for requests without an answer. */
  readonly otherStatuses: Readonly<Record<string, number>>;
}

interface AwayReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Outage → stream → its rounds. */
  readonly runs: Readonly<Record<string, Readonly<Record<string, StreamRun[]>>>>;
  /** Outage → server → its rounds. */
  readonly accounts: Readonly<Record<string, Readonly<Record<string, Accounts[]>>>>;
}

export const away: Bench = {
  name: 'away',
  description: 'answers from warm caches while Postgres is frozen or stopped for 20 s, and whether all are counted afterwards',
  run: (options, progress) =>
    onStage(UNPINNED, async (stage) => {
      const machine = describeMachine(UNPINNED);
      const folder = path.join(stage.dir, 'postgres');
      const postgres = await startPostgres(folder);
      const dataDir = path.join(folder, 'data');
      try {
        return await postgres.afresh(async (url) => {
          const outages = [frozen(dataDir), restarted(dataDir, url)];
          const servers = await startServers(stage, url, progress);
          const report: AwayReport = { bench: 'away', machine, options, ...(await measure({ url, outages, servers, options, progress })) };
          return { report, text: render(report) };
        });
      } finally {
        await restarted(dataDir, '').stop();
        await postgres.stop();
      }
    }),
};

interface Setup {
  readonly url: string;
  readonly outages: readonly Outage[];
  readonly servers: readonly AwayServer[];
  readonly options: BenchOptions;
  readonly progress: (line: string) => void;
}

async function measure({ outages, servers, options, progress, ...setup }: Setup): Promise<Pick<AwayReport, 'runs' | 'accounts'>> {
  const names = servers.flatMap(({ name, requests }) => Object.keys(requests).map((kind) => `${name}, ${kind}`));
  const emptyFor = <T>(of: readonly string[]) =>
    Object.fromEntries(outages.map(({ name }) => [name, Object.fromEntries(of.map((one) => [one, [] as T[]]))]));
  const runs = emptyFor<StreamRun>(names);
  const accounts = emptyFor<Accounts>(servers.map(({ name }) => name));
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const outage of outages) {
      const measured = await measureOutage({ ...setup, servers, options, outage });
      for (const [stream, run] of Object.entries(measured.runs)) {
        runs[outage.name]?.[stream]?.push(run);
        progress(`round ${round}/${options.rounds} · ${outage.name} · ${stream} · ${run.away.toFixed(1)} % answered`);
      }
      for (const [server, account] of Object.entries(measured.accounts)) accounts[outage.name]?.[server]?.push(account);
      await delay(PAUSE_MS);
    }
  }
  return { runs, accounts };
}

interface OutageSetup extends Pick<Setup, 'url' | 'servers' | 'options'> {
  readonly outage: Outage;
}

/** Sends all streams before, during and after one outage, and compares the answers with the usage. */
async function measureOutage({ url, servers, options, outage }: OutageSetup) {
  const earlier = new Map(await Promise.all(servers.map(async ({ name, table }) => [name, await recordedQuantity(url, table)] as const)));
  const streams = servers.flatMap(({ name, requests }) =>
    Object.entries(requests).map(([kind, request]) => ({ server: name, name: `${name}, ${kind}`, stream: steadily(request, PER_SECOND) })),
  );
  await delay(options.warmupSeconds * 1_000);
  const from = performance.now();
  await outage.begin();
  await delay(options.outageSeconds * 1_000);
  const to = performance.now();
  await outage.end();
  const backAt = performance.now();
  await delay(options.seconds * 1_000);
  const ended = await Promise.all(streams.map(async ({ stream, ...names }) => ({ ...names, sent: await stream.end() })));

  const runs = Object.fromEntries(ended.map(({ name, sent }) => [name, runOf(sent, { from, to, backAt })]));
  const accounts: Record<string, Accounts> = {};
  for (const { name, table } of servers) {
    const sent = ended.filter(({ server }) => server === name).flatMap((stream) => stream.sent);
    accounts[name] = await accountsOf(url, table, sent, earlier.get(name) ?? 0);
  }
  return { runs, accounts };
}

const isInTime = ({ status, ms }: Sent): boolean => status === 200 && ms <= IN_TIME_MS;

/** @param times the outage begins, its end begins, and Postgres is back; by `performance.now()` */
function runOf(sent: readonly Sent[], { from, to, backAt }: Readonly<Record<'from' | 'to' | 'backAt', number>>): StreamRun {
  const share = (of: readonly Sent[]) => (of.length === 0 ? 100 : (of.filter(isInTime).length / of.length) * 100);
  const meanwhile = sent.filter(({ at }) => at >= from && at < to);
  const latencies = meanwhile.filter(isInTime).map(({ ms }) => ms);
  const others = meanwhile.filter((one) => !isInTime(one));
  const byStatus = Map.groupBy(others, ({ status }) => (status === 200 ? 'late' : String(status ?? 'none')));
  return {
    before: share(sent.filter(({ at }) => at < from)),
    away: share(meanwhile),
    after: share(sent.filter(({ at }) => at >= backAt)),
    p99Ms: latencies.length > 0 ? quantile(latencies, 0.99) : null,
    otherStatuses: Object.fromEntries([...byStatus].map(([status, all]) => [status, all.length])),
  };
}

function render({ machine, options, runs, accounts }: AwayReport): string {
  const { rounds, warmupSeconds, outageSeconds, seconds } = options;
  const how = `Rounds: ${rounds}, each ${warmupSeconds} s before, ${outageSeconds} s while Postgres is away, ${seconds} s afterwards; ${PER_SECOND} requests a second of each kind, whatever becomes of them; the share of requests that got status 200 within ${IN_TIME_MS / 1_000} s; ${machine.pinning}.`;
  const rows = Object.entries(runs).flatMap(([outage, streams]) =>
    Object.entries(streams).map(([stream, all]) => [
      stream,
      outage,
      ...(['before', 'away', 'after'] as const).map((when) => spread(summarise(all.map((run) => run[when])), 1)),
      latencyOf(all),
      othersOf(all),
    ]),
  );
  const head = ['', 'Postgres', '% before', '% while away', '% after', 'p99 ms while away', 'others while away'];
  const verdicts = Object.entries(runs).flatMap(([outage, streams]) =>
    Object.entries(streams).map(([stream, all]) => {
      const ratio: Summary = summarise(all.map((run) => run.away));
      const line: Ratio = {
        of: `${stream}, ${outage}, answers with 200 within ${IN_TIME_MS / 1_000} s`,
        to: 'requests, in percent',
        ratio,
      };
      return ratioLine(1)(stream.startsWith(QUIPU) ? { ...line, target: TARGETS.awayAnswers.target } : line);
    }),
  );
  return [...conditions(machine, how), ...definitions(WHAT), '', ...table(head, rows), '', ...verdicts, ...accountLines(accounts), ''].join(
    '\n',
  );
}

function latencyOf(runs: readonly StreamRun[]): string {
  const known = runs.flatMap(({ p99Ms }) => p99Ms ?? []);
  return known.length > 0 ? spread(summarise(known), 1) : '';
}

/** Writes the other answers of all rounds, e.g. `503: 12`. */
function othersOf(runs: readonly StreamRun[]): string {
  const sums = new Map<string, number>();
  for (const { otherStatuses } of runs)
    for (const [status, count] of Object.entries(otherStatuses)) sums.set(status, (sums.get(status) ?? 0) + count);
  return [...sums].map(([status, count]) => `${status}: ${count}`).join(', ');
}

const accountLines = (accounts: AwayReport['accounts']): readonly string[] =>
  Object.entries(accounts).flatMap(([outage, servers]) =>
    Object.entries(servers).map(([server, all]) => {
      const sum = (of: keyof Accounts) => all.reduce((total, one) => total + one[of], 0);
      const line = `- ${server}, ${outage}, of ${sum('answers').toLocaleString('en-US')} answers with 200 not counted: **${sum('uncounted')}**`;
      const counted = withVerdict(line, sum('uncounted'), server === QUIPU ? TARGETS.awayUncounted.target : undefined);
      return `${counted}; counted twice: ${sum('countedTwice')}; counted without an answer with 200: ${sum('countedUnanswered')}`;
    }),
  );
