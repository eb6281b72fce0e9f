import { setImmediate as turn } from 'node:timers/promises';
import type { NameIndex } from '../../src/names/name-index.ts';
import { VARIATIONS } from '../../test/support/name-variants.ts';
import { ordinaryName } from '../../test/support/ordinary-names.ts';
import { randomOf } from '../../test/support/random.ts';
import { built } from '../harness/built.ts';
import { quantile } from '../harness/statistics.ts';
import { type Parties, readLists } from './lists.ts';

/**
 * Program of one run in a separate process, which prints one JSON object. Arguments: names to screen, names to compare with every listed
 * name.
 */

/** Result of one run. Times in ms. */
export interface ScreeningRun {
  readonly what: string;
  readonly names: number;
  readonly buildMs: number;
  /** CPU time of the build, and mean CPU time of a name. Other programs on the machine distort it less than the duration. */
  readonly buildCpuMs: number;
  readonly cpuMsPerName: number;
  /** Maximum time for which the build lets no other work run. */
  readonly longestStepMs: number;
  readonly heapMegabytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Mean time of a name by comparing it with every listed name, divided by that with the index. */
  readonly timesFaster: number;
  /** Names for which the two methods returned different candidates. */
  readonly different: readonly string[];
  /** Time of 500 names in one pass. */
  readonly batchMs: number;
}

const BATCH = 500;

/** Number of searches of each name, of which the shortest time counts, because other programs on the machine interrupt some searches. */
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

/** Alternates ordinary names and listed names with variations. */
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

/** Measures repeatedly, and returns the shortest time at each position. */
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
