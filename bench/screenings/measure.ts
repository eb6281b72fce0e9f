import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { SanctionsEntry } from '../../src/modules/sanctions/sources/entry.ts';
import type { NameView } from '../../src/modules/sanctions/sources/name-view.ts';
import type { NameIndex } from '../../src/names/name-index.ts';
import type { Registry } from '../../src/sources/registry/registry.ts';
import { VARIATIONS } from '../../test/support/name-variants.ts';
import { ordinaryName } from '../../test/support/ordinary-names.ts';
import { randomOf } from '../../test/support/random.ts';
import { built } from '../harness/built.ts';
import { quantile } from '../harness/statistics.ts';
import { madeUpPeople } from './made-up.ts';
import { openLists } from './stored-lists.ts';

/**
 * Program of one run in a separate process, which prints one JSON object. Arguments: database URL, folder of the files of the lists, names to
 * screen, names to compare with every listed name.
 */

/** Figures of the indexes of one group of lists. Times in ms. */
export interface IndexRun {
  readonly parties: number;
  readonly names: number;
  /** Time from stored rows to the indexes. */
  readonly buildMs: number;
  /** CPU time of the build in this process, and mean CPU time of a name. Other programs on the machine distort it less than the duration. */
  readonly buildCpuMs: number;
  readonly cpuMsPerName: number;
  /** Maximum time for which the build lets no other work run. */
  readonly longestTurnMs: number;
  /** Growth of the heap and of the memory outside of it, after garbage collections: the indexes and the records of their parties. */
  readonly megabytes: number;
  /** Times of one name in all lists of the group. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Mean time of a name by comparing it with every listed name, divided by that with the indexes. */
  readonly timesFaster: number;
  /** Time of 500 names in one pass. */
  readonly batchMs: number;
  /** Names for which the two methods returned different candidates. */
  readonly different: readonly string[];
}

/** Result of one run: companies of the lists that are searched without a choice, companies and people of all lists. */
export interface ScreeningRun {
  readonly unchosen: IndexRun;
  readonly all: IndexRun;
  readonly people: IndexRun;
}

type Index = NameIndex<SanctionsEntry>;

/** Indexes, and what their build took. */
interface Built extends Pick<IndexRun, 'buildMs' | 'buildCpuMs' | 'longestTurnMs' | 'megabytes'> {
  readonly indexes: readonly Index[];
}

const BATCH = 500;
const COLLECTIONS = 3;

/** Number of searches of each name, of which the shortest time counts, because other programs on the machine interrupt some searches. */
const PASSES = 3;

/** Builds the indexes one list after the other, as the first request for each does. */
async function build(lists: readonly Registry<SanctionsEntry>[], view: NameView): Promise<Built> {
  const before = usedBytes();
  const turns = monitorEventLoopDelay({ resolution: 1 });
  turns.enable();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  const indexes: Index[] = [];
  for (const list of lists) indexes.push((await list.view(view)).value);
  const buildMs = performance.now() - startedAt;
  const buildCpuMs = cpuMsSince(cpu);
  turns.disable();
  return { indexes, buildMs, buildCpuMs, longestTurnMs: turns.max / 1e6, megabytes: (usedBytes() - before) / 1e6 };
}

/** Adds up two builds, of which the second one followed the first. */
const together = (one: Built, other: Built): Built => ({
  indexes: [...one.indexes, ...other.indexes],
  buildMs: one.buildMs + other.buildMs,
  buildCpuMs: one.buildCpuMs + other.buildCpuMs,
  longestTurnMs: Math.max(one.longestTurnMs, other.longestTurnMs),
  megabytes: one.megabytes + other.megabytes,
});

/** Searches the names in the indexes, and compares some of them with every listed name. */
function measured({ indexes, ...built }: Built, parties: number, searched: readonly string[], compared: number): IndexRun {
  const search = (name: string) => indexes.flatMap((index) => index.search(name));
  for (const name of searched.slice(0, 2_000)) search(name);
  const cpu = process.cpuUsage();
  const times = shortest(() => searched.map((name) => timed(() => search(name))));
  const cpuMsPerName = cpuMsSince(cpu) / searched.length / PASSES;
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
  return {
    ...built,
    parties,
    names: indexes.reduce((sum, { names }) => sum + names, 0),
    cpuMsPerName,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    timesFaster: mean(slow.map(({ ms }) => ms)) / mean(times),
    batchMs,
    different: slow.flatMap(({ name, isSame }) => (isSame ? [] : [name])),
  };
}

/** Alternates ordinary names and listed names with variations. */
function mixedNames(listed: readonly SanctionsEntry[], ordinary: readonly string[], count: number): readonly string[] {
  const random = randomOf(5);
  const variations = Object.values(VARIATIONS);
  return Array.from({ length: count }, (_, i) => {
    if (i % 2 === 0) return ordinary[i / 2] ?? '';
    const name = listed[Math.floor(random() * listed.length)]?.name ?? '';
    return variations[Math.floor(random() * variations.length)]?.(name, random) ?? name;
  });
}

/** Reads the parties of a kind from copies that keep no index. */
async function partiesOf(lists: readonly Registry<SanctionsEntry>[], kind: SanctionsEntry['kind']): Promise<readonly SanctionsEntry[]> {
  const read = async (list: Registry<SanctionsEntry>) =>
    (await list.view({ name: `parties_${kind}`, where: { kind }, build: async (parties) => parties })).value;
  return (await Promise.all(lists.map(read))).flat();
}

function usedBytes(): number {
  for (let time = 1; time <= COLLECTIONS; time += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const cpuMsSince = (start: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
};

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;

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

async function measure(url: string, dir: string, count: number, compared: number): Promise<ScreeningRun> {
  const { nameView, personView } = await built<typeof import('../../src/modules/sanctions/sources/name-view.ts')>(
    'src/modules/sanctions/sources/name-view',
  );
  const { SANCTIONS_LISTS } = await built<typeof import('../../src/domain/catalogue.ts')>('src/domain/catalogue');
  const isUnchosen = ([name]: readonly [string, unknown]): boolean => SANCTIONS_LISTS.some((list) => list === name);
  const stored = await openLists(url, dir);
  const named = [...stored.lists];
  const valuesOf = <T>(entries: readonly (readonly [string, T])[]): readonly T[] => entries.map(([, value]) => value);
  const unchosen = await build(valuesOf(named.filter(isUnchosen)), nameView);
  const all = together(unchosen, await build(valuesOf(named.filter((one) => !isUnchosen(one))), nameView));
  const people = await build(valuesOf(named), personView);
  const others = await openLists(url, dir);
  const lists = [...others.lists];
  const companies = await partiesOf(valuesOf(lists), 'entity');
  const unchosenCompanies = await partiesOf(valuesOf(lists.filter(isUnchosen)), 'entity');
  const persons = await partiesOf(valuesOf(lists), 'individual');
  await Promise.all([stored.close(), others.close()]);
  const random = randomOf(6);
  const ordinary = Array.from({ length: Math.ceil(count / 2) }, () => ordinaryName(random).name);
  const ordinaryPeople = madeUpPeople(Math.ceil(count / 2), random).map(({ name }) => name);
  const run = (built: Built, listed: readonly SanctionsEntry[], unlisted: readonly string[]) =>
    measured(built, listed.length, mixedNames(listed, unlisted, count), compared);
  return {
    unchosen: run(unchosen, unchosenCompanies, ordinary),
    all: run(all, companies, ordinary),
    people: run(people, persons, ordinaryPeople),
  };
}

const [url = '', dir = '', count = '20000', compared = '10'] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await measure(url, dir, Number(count), Number(compared))));
