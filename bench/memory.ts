import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { quipu, type Shared, startShared } from './compliance/contenders.ts';
import { madeUpCnpjs } from './compliance/made-up.ts';
import { complianceQuery } from './compliance/questions.ts';
import { send } from './harness/answers.ts';
import { type Bench, BenchFailure } from './harness/bench.ts';
import { type CollectedHeap, collectHeap, inspectable } from './harness/heap.ts';
import { describeMachine, type Machine } from './harness/machine.ts';
import { freePort } from './harness/server.ts';
import { onStage, type Stage } from './harness/stage.ts';
import { conditions, table, withVerdict } from './harness/table.ts';
import { TARGETS } from './targets.ts';

const UNPINNED = { server: [], load: [], note: 'not pinned' };
/** Number of companies in one request. */
const EACH = 100;
/** Number of companies for which the report also states the growth. */
const STATED_COMPANIES = 100_000;
/** Factor by which the companies exceed the bounded caches. */
const OVERFLOW = 3;
/** `QUIPU_CACHE_BYTES` that no measured number of companies reaches. */
const UNBOUNDED = 2_000_000_000;
const MEGABYTE = 1e6;

interface Growth {
  readonly name: string;
  readonly companies: number;
  /** Growth of the heap, in bytes. */
  readonly heapBytes: number;
  /** Bytes that the server counts, or its setting; null for the baseline. */
  readonly statedBytes: number | null;
  /** Duration of a full garbage collection at the end, in ms. */
  readonly collectionMs: number;
}

interface MemoryReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly measured: readonly Growth[];
}

export const memory: Bench = {
  name: 'memory',
  description: 'growth of the heap for companies kept in the caches, without and with a bound, against a Map of the same answers',
  run: ({ companies }, progress) =>
    onStage(UNPINNED, async (stage) => {
      const machine = describeMachine(UNPINNED);
      const shared = await startShared(stage);
      progress(`asking ${companies} companies without a bound`);
      const free = await growthOf(stage, shared, { name: 'quipu, without a bound', companies, cacheBytes: UNBOUNDED });
      const bound = Math.max(MEGABYTE, Math.floor((free.statedBytes ?? 0) / OVERFLOW));
      progress(`the same with ${Math.round(bound / MEGABYTE)} MB`);
      const bounded = await growthOf(stage, shared, { name: 'quipu, bounded', companies, cacheBytes: bound });
      const measured = [free, { ...bounded, statedBytes: bound }, { ...free.baseline, name: 'a Map of the parsed answers' }];
      const report: MemoryReport = { bench: 'memory', machine, measured };
      return { report, text: render(report) };
    }),
};

interface Setup {
  readonly name: string;
  readonly companies: number;
  readonly cacheBytes: number;
}

/** Requests companies that a new server does not know, and reads its heap before and after. */
async function growthOf(stage: Stage, shared: Shared, { name, companies, cacheBytes }: Setup) {
  const [inspector, metrics] = [await freePort(), await freePort()];
  const contender = quipu(shared);
  const env = { ...contender.env, ...inspectable(inspector), QUIPU_METRICS_PORT: String(metrics), QUIPU_CACHE_BYTES: String(cacheBytes) };
  const server = await stage.start({ ...contender, name, env });
  try {
    const ask = async (cnpjs: readonly string[]): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', ...contender.headers };
      return JSON.parse(await send({ url: `${server.url}/graphql`, headers, body: complianceQuery(cnpjs) }));
    };
    const [warmUp, ...lists] = listsOf(madeUpCnpjs(companies + EACH));
    for (let time = 1; time <= 20; time += 1) await ask(warmUp ?? []); // compiles the code and fills the pools
    const before = await collectHeap(inspector);
    const countedBefore = await countedBytes(metrics);
    const kept = new Map<number, unknown>();
    const own = collected();
    for (const [i, list] of lists.entries()) {
      await ask(list); // the first answer is written from fetched data, the second from cached texts
      const answer = await ask(list);
      if (i * EACH < BASELINE) kept.set(i, answer);
    }
    const all = collected();
    const baseline = {
      companies: kept.size * EACH,
      heapBytes: all.usedBytes - own.usedBytes,
      statedBytes: null,
      collectionMs: all.collectionMs,
    };
    kept.clear();
    const { usedBytes, collectionMs } = await collectHeap(inspector);
    const statedBytes = (await countedBytes(metrics)) - countedBefore;
    return { name, companies, heapBytes: usedBytes - before.usedBytes, statedBytes, collectionMs, baseline };
  } finally {
    await server.stop();
  }
}

/** Number of companies whose answers the benchmark itself keeps, for the baseline. */
const BASELINE = 10_000;

const listsOf = (cnpjs: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(cnpjs.length / EACH) }, (_, i) => cnpjs.slice(i * EACH, (i + 1) * EACH));

/** Collects the garbage of this process. */
function collected(): CollectedHeap {
  setFlagsFromString('--expose-gc');
  const startedAt = performance.now();
  (runInNewContext('gc') as () => void)();
  return { usedBytes: process.memoryUsage().heapUsed, collectionMs: performance.now() - startedAt };
}

/** Returns the sum of `quipu_cache_bytes`. @throws BenchFailure when it is missing */
async function countedBytes(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = [...text.matchAll(/^quipu_cache_bytes\{.*\} (\S+)$/gm)].map(([, value]) => Number(value));
  if (values.length === 0) throw new BenchFailure('there is no metric quipu_cache_bytes');
  return values.reduce((sum, value) => sum + value, 0);
}

function render({ machine, measured }: MemoryReport): string {
  const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`;
  const rows = measured.map(({ name, companies, heapBytes, statedBytes, collectionMs }) => [
    name,
    companies.toLocaleString('en-US'),
    megabytes(heapBytes),
    `${Math.round((heapBytes / companies) * (STATED_COMPANIES / MEGABYTE)).toLocaleString('en-US')} MB`,
    statedBytes === null ? '' : megabytes(statedBytes),
    statedBytes === null ? '' : (heapBytes / statedBytes).toFixed(2),
    `${collectionMs.toFixed(0)} ms`,
  ]);
  const share = ({ heapBytes, statedBytes }: Growth): number => heapBytes / (statedBytes ?? Number.NaN);
  const verdicts = measured
    .filter(({ statedBytes }) => statedBytes !== null)
    .map((growth) => {
      const line = withVerdict(
        `- ${growth.name}, growth / that: **${share(growth).toFixed(2)}**`,
        share(growth),
        TARGETS.leastCacheBytes.target,
      );
      return withVerdict(line, share(growth), TARGETS.greatestCacheBytes.target);
    });
  const how = `Companies are asked for all five checks, ${EACH} in a request and twice each; the heap is read after full garbage collections.`;
  return [
    ...conditions(machine, how, 'One run of each.'),
    ...table(['', 'companies', 'growth of heap', 'per 100,000', 'counted, or bound', 'growth / that', 'full collection'], rows),
    '',
    ...verdicts,
    '',
  ].join('\n');
}
