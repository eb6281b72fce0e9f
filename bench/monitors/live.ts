import { setTimeout as delay } from 'node:timers/promises';
import { cnpjsFrom } from '../../test/support/made-up-cnpjs.ts';
import { BenchFailure, type BenchOptions } from '../harness/bench.ts';
import type { RunningServer } from '../harness/server.ts';
import { quantile } from '../harness/statistics.ts';
import { createMonitor, type PublishChange, publishSteadily } from './changes.ts';
import { Marks } from './marks.ts';
import { openSockets, residentBytes } from './sockets.ts';

/** Maximum number of sockets per key. */
export const PER_KEY = 20;
/** Number of changes per second while latency is measured, and of the companies that they concern. */
export const PER_SECOND = 10;
const COMPANIES = 20;
/** Time in ms until a server is idle. */
const SETTLE_MS = 3_000;
const MOST_PROBES = 30;

/** Returns companies that no other part of the benchmark watches. */
export const liveCompanies = (root: number): readonly string[] => cnpjsFrom(root, COMPANIES);

/** A server under measurement, its subscribers, and the function that publishes changes to it. */
export interface Side {
  readonly server: RunningServer;
  /** API keys; null for a server without keys. */
  readonly keys: readonly string[] | null;
  readonly publishChange: PublishChange;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const latencyOf = (ms: readonly number[]): Latency => ({ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) });

/** Creates monitors of the same companies for each key. Receivers are assigned by round robin. */
export async function watchedBy(server: RunningServer, keys: readonly string[], taxIds: readonly string[], receivers: readonly string[]) {
  for (const [i, key] of keys.entries()) await createMonitor(server.url, key, taxIds, receivers[i % receivers.length] ?? '');
}

/** Durations of the measurement and of the warm-up before it. */
type Lengths = Pick<BenchOptions, 'seconds' | 'warmupSeconds'>;

/** Measures the latency of changes to `count` sockets at a steady rate. */
export async function toSockets(
  { server, keys, publishChange }: Side,
  count: number,
  taxIds: readonly string[],
  lengths: Lengths,
): Promise<Latency> {
  const marks = new Marks();
  const sockets = await openSockets(server.url, { count, keyOf: keyOf(keys), receive: marks.receive });
  try {
    return await latency(publishChange, marks, count, taxIds, lengths);
  } finally {
    await sockets.close();
  }
}

/** Measures the latency of changes at a steady rate to subscribers that receive each change `times` times. */
export async function latency(
  publishChange: PublishChange,
  marks: Marks,
  times: number,
  taxIds: readonly string[],
  lengths: Lengths,
): Promise<Latency> {
  await probe(publishChange, marks, taxIds, times);
  const load = async (seconds: number) => {
    const made = await publishSteadily(publishChange, marks, { taxIds, seconds, perSecond: PER_SECOND });
    await marks.all(made, times);
    return marks.latencies(made);
  };
  await load(lengths.warmupSeconds);
  return latencyOf(await load(lengths.seconds));
}

export interface Crowd {
  readonly bytesEach: number;
  /** Milliseconds from the start of the transaction to the last subscriber, for each change. */
  readonly lastMs: readonly number[];
}

/** Measures the memory of `count` idle subscribers, then the latency of single changes to all of them. */
export async function toCrowd(
  { server, keys, publishChange }: Side,
  count: number,
  taxIds: readonly string[],
  changes: number,
): Promise<Crowd> {
  const marks = new Marks();
  await delay(SETTLE_MS);
  const before = residentBytes(server.pid);
  const sockets = await openSockets(server.url, { count, keyOf: keyOf(keys), receive: marks.receive });
  try {
    await delay(SETTLE_MS);
    const bytesEach = (residentBytes(server.pid) - before) / count;
    await probe(publishChange, marks, taxIds, count);
    const lastMs: number[] = [];
    for (let i = 0; i < changes; i += 1) {
      const mark = marks.make();
      await publishChange(taxIds[0] ?? '', mark);
      await marks.all([mark], count);
      lastMs.push(Math.max(...marks.latencies([mark])));
      await delay(SETTLE_MS / 3);
    }
    return { bytesEach, lastMs };
  } finally {
    await sockets.close();
  }
}

/** Publishes changes until all subscribers receive them, because the protocol does not acknowledge the start of a subscription. @throws BenchFailure when some never do */
async function probe(publishChange: PublishChange, marks: Marks, taxIds: readonly string[], times: number): Promise<void> {
  for (let tries = 0; tries < MOST_PROBES; tries += 1) {
    const mark = marks.make();
    await publishChange(taxIds[0] ?? '', mark);
    await delay(SETTLE_MS / 3);
    if (marks.count(mark) === times) return;
  }
  throw new BenchFailure(`not all of ${times} listeners hear what changes`);
}

const keyOf = (keys: readonly string[] | null) => (i: number) => keys?.[Math.floor(i / PER_KEY)] ?? null;
