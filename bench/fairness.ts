import { createOtherKey, fillCaches, quipu, startShared } from './compliance/contenders.ts';
import { complianceOf } from './compliance/questions.ts';
import { type Bench, BenchFailure, type BenchOptions, type Ratio } from './harness/bench.ts';
import { startAll, targetOf } from './harness/contender.ts';
import { describeFailures, load } from './harness/interleave.ts';
import type { LoadResult } from './harness/load.ts';
import { describeMachine, findPinning, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf, summarise } from './harness/statistics.ts';
import { conditions, ratioLine, spread, table, withVerdict } from './harness/table.ts';
import { TARGETS } from './targets.ts';

const MANY = 500;
const ALONE = 'one company, nobody else asks';
const BESIDE = `one company, another key asks lists of ${MANY}`;
const LISTS = `the lists of ${MANY}`;

interface FairnessReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly runs: Readonly<Record<string, readonly LoadResult[]>>;
  /** The p99 while lists are requested, divided by the p99 alone. */
  readonly ratio: Ratio;
}

export const fairness: Bench = {
  name: 'fairness',
  description: 'latency for a caller of one company while another key asks lists of 500 without pause, against its latency alone',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const shared = await startShared(stage);
      const started = await startAll(stage, [quipu(shared)], progress);
      const [ours] = started;
      if (!ours) throw new BenchFailure('no server was started');
      await fillCaches(MANY, started);
      const { request: one } = targetOf(complianceOf(1))(ours);
      const { request } = targetOf(complianceOf(MANY))(ours);
      const lists = { ...request, headers: { ...request.headers, 'x-api-key': createOtherKey(shared) } };

      const [alone, beside, heavy] = [[], [], []] as [LoadResult[], LoadResult[], LoadResult[]];
      const lengths = { seconds: options.seconds, warmupSeconds: options.warmupSeconds };
      for (let round = 1; round <= options.rounds; round += 1) {
        const idle = await load({ request: one, connections: 1, ...lengths }, pinning.load);
        const longer = { warmupSeconds: 0, seconds: lengths.warmupSeconds + lengths.seconds + 1 };
        const both = [
          load({ request: one, connections: 1, ...lengths }, pinning.load),
          load({ request: lists, connections: 1, ...longer }, pinning.load),
        ] as const;
        const [busy, large] = await Promise.all(both);
        for (const result of [idle, busy, large]) if (result.failures > 0) throw new BenchFailure(describeFailures(result));
        alone.push(idle);
        beside.push(busy);
        heavy.push(large);
        progress(`round ${round}/${options.rounds} · p99 alone ${idle.p99Ms.toFixed(1)} ms · beside the lists ${busy.p99Ms.toFixed(1)} ms`);
      }
      const runs = { [ALONE]: alone, [BESIDE]: beside, [LISTS]: heavy };
      const p99s = (of: readonly LoadResult[]) => of.map(({ p99Ms }) => p99Ms);
      const ratio = {
        of: 'p99 beside the lists',
        to: 'p99 alone',
        ratio: ratioOf(p99s(beside), p99s(alone)),
        target: TARGETS.fairRatio.target,
      };
      const report: FairnessReport = { bench: 'fairness', machine, options, runs, ratio };
      return { report, text: render(report) };
    });
  },
};

function render({ machine, options, runs, ratio }: FairnessReport): string {
  const { rounds, seconds, warmupSeconds } = options;
  const how = `Rounds: ${rounds}, each ${seconds} s after ${warmupSeconds} s of warm-up; one connection for each key; ${machine.pinning}.`;
  const rows = Object.entries(runs).map(([name, results]) => [
    name,
    spread(summarise(results.map(({ requestsPerSecond }) => requestsPerSecond)), 1),
    spread(summarise(results.map(({ p50Ms }) => p50Ms)), 1),
    spread(summarise(results.map(({ p99Ms }) => p99Ms)), 1),
  ]);
  const beside = summarise((runs[BESIDE] ?? []).map(({ p99Ms }) => p99Ms));
  return [
    ...conditions(machine, how),
    ...table(['', 'req/s', 'p50 ms', 'p99 ms'], rows),
    '',
    `- ${withVerdict(`p99 beside the lists: **${beside.median.toFixed(1)}** ms`, beside.median, TARGETS.fairP99.target)}`,
    ratioLine(1)(ratio),
    '',
  ].join('\n');
}
