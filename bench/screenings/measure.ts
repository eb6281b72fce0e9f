import { setImmediate as turn } from 'node:timers/promises';
import type { NameIndex } from '../../src/names/name-index.ts';
import { VARIATIONS } from '../../test/support/name-variants.ts';
import { ordinaryName } from '../../test/support/ordinary-names.ts';
import { randomOf } from '../../test/support/random.ts';
import { built } from '../harness/built.ts';
import { quantile } from '../harness/statistics.ts';
import { type Parties, readLists } from './lists.ts';

/** One run, in a process of its own: it prints one JSON object. Arguments: names to screen, names to compare with every listed name. */

/** Result of one run. Times in ms. */
export interface ScreeningRun {
  readonly what: string;
  readonly names: number;
  readonly buildMs: number;
  /** CPU time, which other programs on the machine disturb less: of the build, and the mean of a name. */
  readonly buildCpuMs: number;
  readonly cpuMsPerName: number;
  /** The longest time in which the build lets no other work run. */
  readonly longestStepMs: number;
  readonly heapMegabytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Mean time of a name by comparing it with every listed name, divided by that of the index. */
  readonly timesFaster: number;
  /** Names of those for which the two gave different candidates. */
  readonly different: readonly string[];
  /** 500 names, in one pass. */
  readonly batchMs: number;
}

const BATCH = 500;

/** Each name is searched so often, and its shortest time counts: other programs on the machine interrupt some searches. */
const PASSES = 3;

async function measure(count: number, compared: number): Promise<ScreeningRun> {
  const { buildNameIndex } = await built<typeof import('../../src/names/name-index.ts')>('src/names/name-index');
  const { what, lists } = await readLists();
  const searched = mixedNames(lists, count);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  let longestStepMs = 0;
  let buildMs = 0;
  const buildCpu = process.cpuUsage();
  const indexes: NameIndex<string>[] = [];
  for (const parties of lists) {
    const work = buildNameIndex(parties);
    for (;;) {
      const from = performance.now();
      const step = work.next();
      const took = performance.now() - from;
      buildMs += took;
      longestStepMs = Math.max(longestStepMs, took);
      if (step.done) {
        indexes.push(step.value);
        break;
      }
      await turn();
    }
  }
  const buildCpuMs = cpuMsSince(buildCpu);
  globalThis.gc?.();
  const heapMegabytes = (process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers - heap) / 1e6;
  const search = (name: string) => indexes.flatMap((index) => index.search(name));
  for (const name of searched.slice(0, 2_000)) search(name);
  const searchCpu = process.cpuUsage();
  const times = shortest(() => searched.map((name) => timed(() => search(name))));
  const cpuMsPerName = cpuMsSince(searchCpu) / searched.length / PASSES;
  const [batchMs = 0] = shortest(() => [
    timed(() => {
      for (const name of searched.slice(-BATCH)) search(name);
    }),
  ]);
  const few = searched.filter((_, i) => i % Math.floor(searched.length / compared) === 0).slice(0, compared);
  const slow = few.map((name) => {
    let every: unknown;
    const [ms = 0] = shortest(() => [
      timed(() => {
        every = indexes.flatMap((index) => index.searchAll(name));
      }),
    ]);
    return { name, ms, isSame: JSON.stringify(every) === JSON.stringify(search(name)) };
  });
  const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
  return {
    what,
    names: indexes.reduce((sum, { names }) => sum + names, 0),
    buildMs,
    buildCpuMs,
    cpuMsPerName,
    longestStepMs,
    heapMegabytes,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    timesFaster: mean(slow.map(({ ms }) => ms)) / mean(times),
    different: slow.flatMap(({ name, isSame }) => (isSame ? [] : [name])),
    batchMs,
  };
}

/** Ordinary names, and listed names with variations, in turn. */
function mixedNames(lists: readonly Parties[], count: number): readonly string[] {
  const random = randomOf(5);
  const listed = lists.flat();
  const variations = Object.values(VARIATIONS);
  return Array.from({ length: count }, (_, i) => {
    if (i % 2 === 0) return ordinaryName(random).name;
    const name = listed[Math.floor(random() * listed.length)]?.names[0]?.text ?? '';
    return variations[Math.floor(random() * variations.length)]?.(name, random) ?? name;
  });
}

const cpuMsSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

/** Measures so often, and takes the shortest time at each place. */
function shortest(measureOnce: () => readonly number[]): readonly number[] {
  const passes = Array.from({ length: PASSES }, measureOnce);
  return (passes[0] ?? []).map((_, i) => Math.min(...passes.map((times) => times[i] ?? Number.POSITIVE_INFINITY)));
}

function timed(work: () => void): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

const [count = '20000', compared = '20'] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure(Number(count), Number(compared))));
