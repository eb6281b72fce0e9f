import type { Bench, BenchOptions } from './harness/bench.ts';
import { describeMachine, findPinning, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, definitions, spread, table } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { PER_KEY, PER_SECOND } from './monitors/live.ts';
import { liveness } from './monitors/liveness.ts';
import { BARE, type Compared, HTTP, POSTS, QUIPU, SQL } from './monitors/play.ts';
import { socketsAllowed } from './monitors/sockets.ts';
import { sweeps } from './monitors/sweeps.ts';

interface MonitorReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Contender → its description. */
  readonly contenders: Readonly<Record<string, string>>;
  readonly measured: readonly (Compared & { readonly ratio: Summary })[];
}

const CONTENDERS = {
  [QUIPU]: 'our server as shipped: dist/src/main.js, one process with both roles, API keys, log at its default level',
  [SQL]: 'the same rows of the same copy, read in the same batches of 500, one after another; nothing compared or written',
  [HTTP]: 'the same companies asked of the same stand-in in the same batches of 64 over 16 connections; nothing compared or written',
  [BARE]: 'graphql-ws as documented, one schema of one field: no key, no log, no resuming; pushes what Postgres notifies',
  [POSTS]: 'the change inserted into a table and posted by its finder; not signed, not recorded',
};

export const monitor: Bench = {
  name: 'monitor',
  description: 'sweeps of watched companies, changes to sockets and webhooks, crowds of subscribers; each against a plain way',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const sockets = Math.floor(Math.min(options.subscribers, socketsAllowed()) / PER_KEY) * PER_KEY;
    return onStage(pinning, async (stage) => {
      const postgres = await startPostgres(stage.dir);
      try {
        const play = { stage, pinning, options, sockets, progress };
        const swept = await postgres.afresh((url) => sweeps({ ...play, url }));
        const livenessResults = await postgres.afresh((url) => liveness({ ...play, url }));
        const measured = [...swept, ...livenessResults].map((one) => ({ ...one, ratio: ratioOf(one.ours, one.theirs) }));
        const report: MonitorReport = { bench: 'monitor', machine, options, contenders: CONTENDERS, measured };
        return { report, text: render(report) };
      } finally {
        await postgres.stop();
      }
    });
  },
};

function render({ machine, options, contenders, measured }: MonitorReport): string {
  const { rounds, seconds, warmupSeconds, companies } = options;
  return [
    ...conditions(
      machine,
      `${companies.toLocaleString('en-US')} companies; rounds: ${rounds}, interleaved; latency over ${seconds} s each after ${warmupSeconds} s of warm-up, ${PER_SECOND} changes a second; ${machine.pinning}.`,
    ),
    ...definitions(contenders),
    '',
    ...table(
      ['', QUIPU, 'baseline', 'which', `${QUIPU} / baseline`],
      measured.map(({ title, baseline, ours, theirs, decimals, ratio }) => [
        title,
        spread(summarise(ours), decimals),
        spread(summarise(theirs), decimals),
        baseline,
        spread(ratio, 2),
      ]),
    ),
    '',
  ].join('\n');
}
