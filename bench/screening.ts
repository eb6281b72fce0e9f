import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { type Summary, summarise } from './harness/statistics.ts';
import { conditions, spread, table } from './harness/table.ts';
import type { ScreeningRun } from './screenings/measure.ts';

const NAMES = 20_000;
/** Number of names that are also compared with every listed name, which takes about half a second each. */
const COMPARED = 20;

type Metric = 'buildMs' | 'buildCpuMs' | 'cpuMsPerName' | 'longestStepMs' | 'heapMegabytes' | 'p50Ms' | 'p99Ms' | 'timesFaster' | 'batchMs';

interface ScreeningReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: Pick<BenchOptions, 'rounds'>;
  readonly what: string;
  /** Number of names of the lists, and of screened names. */
  readonly names: { readonly listed: number; readonly screened: number };
  readonly measured: Readonly<Record<Metric, Summary>>;
  readonly runs: readonly ScreeningRun[];
}

const ROWS: readonly (readonly [Metric, string, number])[] = [
  ['buildMs', 'build of the index, ms', 0],
  ['buildCpuMs', 'CPU time of the build, ms', 0],
  ['longestStepMs', 'longest step of the build, ms', 0],
  ['heapMegabytes', 'memory of the index, MB', 0],
  ['p50Ms', 'one name, p50 ms', 3],
  ['p99Ms', 'one name, p99 ms', 3],
  ['cpuMsPerName', 'CPU time of one name, mean ms', 3],
  ['batchMs', '500 names, ms', 1],
  ['timesFaster', 'times faster than comparing every name', 0],
];

const UNPINNED = { server: [], load: [], note: 'not pinned' };

export const screening: Bench = {
  name: 'screening',
  description: 'candidates by name: ms a name, build and memory of the index, against comparing every listed name',
  async run({ rounds }, progress) {
    const machine = describeMachine(UNPINNED);
    const runs: ScreeningRun[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const run = await measured();
      if (run.different.length > 0)
        throw new BenchFailure(`the index and the comparison with every name differ: ${run.different.join('; ')}`);
      progress(
        `round ${round}/${rounds} · p50 ${run.p50Ms.toFixed(3)} ms · p99 ${run.p99Ms.toFixed(3)} ms · build ${Math.round(run.buildMs)} ms`,
      );
      runs.push(run);
    }
    const [first] = runs;
    if (!first) throw new BenchFailure('no round was run');
    const report: ScreeningReport = {
      bench: 'screening',
      machine,
      options: { rounds },
      what: first.what,
      names: { listed: first.names, screened: NAMES },
      measured: Object.fromEntries(ROWS.map(([metric]) => [metric, summarise(runs.map((run) => run[metric]))])) as Record<Metric, Summary>,
      runs,
    };
    return { report, text: render(report) };
  },
};

async function measured(): Promise<ScreeningRun> {
  const script = path.join(import.meta.dirname, 'screenings/measure.ts');
  const args = ['--expose-gc', '--import', 'tsx', script, String(NAMES), String(COMPARED)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const [code, out] = await Promise.all([exit, text(child.stdout)]);
  if (code !== 0) throw new BenchFailure(`the measuring process ended with ${code}`);
  return JSON.parse(out) as ScreeningRun;
}

function render({ machine, options, what, names, measured }: ScreeningReport): string {
  const count = (number: number): string => number.toLocaleString('en-US');
  return [
    ...conditions(
      machine,
      `${what}: ${count(names.listed)} names; ${count(names.screened)} names screened, half of them ordinary and half variants of listed ones; rounds: ${options.rounds}; ${machine.pinning}.`,
    ),
    ...table(
      ['', 'figure'],
      ROWS.map(([metric, name, decimals]) => [name, spread(measured[metric], decimals)]),
    ),
    '',
  ].join('\n');
}
