import path from 'node:path';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { type Summary, summarise } from './harness/statistics.ts';
import { conditions, spread, table, withVerdict } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { output } from './imports/runs.ts';
import { writeLists } from './screenings/files.ts';
import type { IndexRun, ScreeningRun } from './screenings/measure.ts';
import { readSamples } from './screenings/samples.ts';
import { loadLists } from './screenings/stored-lists.ts';
import { type NamedTarget, TARGETS } from './targets.ts';

const NAMES = 20_000;
/** Number of names that are also compared with every listed name, which takes about a second each. */
const COMPARED = 10;

type Group = keyof ScreeningRun;
type Metric = Exclude<keyof IndexRun, 'different'>;

interface ScreeningReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: Pick<BenchOptions, 'rounds'>;
  /** Origin of the names of people. */
  readonly people: string;
  readonly screened: number;
  readonly measured: Readonly<Record<Group, Readonly<Record<Metric, Summary>>>>;
  /** The indexes of companies and of people of all lists together. */
  readonly together: { readonly buildSeconds: Summary; readonly megabytes: Summary };
  readonly runs: readonly ScreeningRun[];
}

const GROUPS: readonly (readonly [Group, string])[] = [
  ['unchosen', 'OFAC SDN and UN, companies'],
  ['all', 'all lists, companies'],
  ['people', 'all lists, people'],
];

const ROWS: readonly (readonly [Metric, string, number])[] = [
  ['parties', 'listed parties', 0],
  ['names', 'names of the indexes', 0],
  ['buildMs', 'build from stored rows, ms', 0],
  ['buildCpuMs', 'CPU time of the build, ms', 0],
  ['longestTurnMs', 'longest turn of the event loop, ms', 0],
  ['megabytes', 'memory, MB', 0],
  ['p50Ms', 'one name, p50 ms', 3],
  ['p99Ms', 'one name, p99 ms', 3],
  ['cpuMsPerName', 'CPU time of one name, mean ms', 3],
  ['batchMs', '500 names, ms', 1],
  ['timesFaster', 'times faster than comparing every name', 0],
];

const UNPINNED = { server: [], load: [], note: 'not pinned' };

export const screening: Bench = {
  name: 'screening',
  description: 'candidates by name in all lists: ms a name, build and memory of the indexes, against comparing every listed name',
  run: ({ rounds }, progress) =>
    onStage(UNPINNED, async ({ dir }) => {
      const machine = describeMachine(UNPINNED);
      const files = path.join(dir, 'lists');
      const samples = await readSamples(dir);
      await writeLists(files, samples, Date.now());
      const postgres = await startPostgres(dir);
      try {
        return await postgres.afresh(async (url) => {
          progress(`${count(await loadLists(url, files))} parties loaded`);
          const runs: ScreeningRun[] = [];
          for (let round = 1; round <= rounds; round += 1) {
            const run = await measured(url, files);
            progress(`round ${round}/${rounds} · ${GROUPS.map(([group, name]) => `${name}: ${inShort(run[group])}`).join(' · ')}`);
            runs.push(run);
          }
          const report = reportOf(machine, samples.people, runs);
          return { report, text: render(report) };
        });
      } finally {
        await postgres.stop();
      }
    }),
};

const count = (number: number): string => number.toLocaleString('en-US');

const inShort = ({ p50Ms, buildMs, megabytes }: IndexRun): string =>
  `p50 ${p50Ms.toFixed(3)} ms, build ${Math.round(buildMs)} ms, ${Math.round(megabytes)} MB`;

/** Measures once, in a new process. @throws BenchFailure when the indexes miss a candidate that comparing every name finds */
async function measured(url: string, files: string): Promise<ScreeningRun> {
  const script = path.join(import.meta.dirname, 'screenings/measure.ts');
  const args = ['--expose-gc', '--import', 'tsx', script, url, files, String(NAMES), String(COMPARED)];
  const run = JSON.parse(await output(process.execPath, args)) as ScreeningRun;
  const different = GROUPS.flatMap(([group]) => run[group].different);
  if (different.length > 0) throw new BenchFailure(`the indexes and the comparison with every name differ: ${different.join('; ')}`);
  return run;
}

function reportOf(machine: Machine, people: string, runs: readonly ScreeningRun[]): ScreeningReport {
  const summaries = (group: Group) =>
    Object.fromEntries(ROWS.map(([metric]) => [metric, summarise(runs.map((run) => run[group][metric]))])) as Record<Metric, Summary>;
  return {
    bench: 'screening',
    machine,
    options: { rounds: runs.length },
    people,
    screened: NAMES,
    measured: { unchosen: summaries('unchosen'), all: summaries('all'), people: summaries('people') },
    together: {
      buildSeconds: summarise(runs.map((run) => (run.all.buildMs + run.people.buildMs) / 1_000)),
      megabytes: summarise(runs.map((run) => run.all.megabytes + run.people.megabytes)),
    },
    runs,
  };
}

function render({ machine, options, people, screened, measured, together }: ScreeningReport): string {
  const seconds = ({ median, min, max }: Summary): Summary => ({ median: median / 1_000, min: min / 1_000, max: max / 1_000 });
  const { screeningBuild, screeningMemory } = TARGETS;
  return [
    ...conditions(
      machine,
      `Lists of the size of the real ones; ${people}; ${count(screened)} names screened in each group, half of them on no list and half variants of listed ones; rounds: ${options.rounds}; ${machine.pinning}.`,
    ),
    ...table(
      ['', ...GROUPS.map(([, name]) => name)],
      ROWS.map(([metric, name, decimals]) => [name, ...GROUPS.map(([group]) => spread(measured[group][metric], decimals))]),
    ),
    '',
    verdict('companies, build', seconds(measured.all.buildMs), 's', screeningBuild, 2),
    verdict('companies, memory', measured.all.megabytes, 'MB', screeningMemory, 0),
    verdict('companies and people, build', together.buildSeconds, 's', screeningBuild, 2),
    verdict('companies and people, memory', together.megabytes, 'MB', screeningMemory, 0),
    '',
  ].join('\n');
}

/** Writes the figure of all lists beside its target. */
const verdict = (name: string, summary: Summary, unit: string, { target }: NamedTarget, decimals: number): string =>
  withVerdict(`- all lists, ${name}: ${spread(summary, decimals).replace(/^\S+/, '**$&**')} ${unit}`, summary.median, target);
