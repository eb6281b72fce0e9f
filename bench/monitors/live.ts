import { setTimeout as delay } from 'node:timers/promises';
import { cnpjCheckDigits } from '../../src/domain/cnpj.ts';
import { BenchFailure, type BenchOptions } from '../harness/bench.ts';
import type { RunningServer } from '../harness/server.ts';
import { quantile } from '../harness/statistics.ts';
import { createMonitor, type Tell, tellSteadily } from './changes.ts';
import { Marks } from './marks.ts';
import { openSockets, residentBytes } from './sockets.ts';

/** Sockets that one key may have. */
export const PER_KEY = 20;
/** Changes a second while latency is measured, over so many companies. */
export const PER_SECOND = 10;
const COMPANIES = 20;
/** Until a server is idle. */
const SETTLE_MS = 3_000;
const MOST_PROBES = 30;

/** Companies that nobody else watches. */
export const liveCompanies = (root: number): readonly string[] =>
  Array.from({ length: COMPANIES }, (_, i) => {
    const base = `${root + i}0001`;
    return base + cnpjCheckDigits(base);
  });

/** A server under measurement, who listens at it, and how changes are told to it. */
export interface Lane {
  readonly server: RunningServer;
  /** Null for a server without keys. */
  readonly keys: readonly string[] | null;
  readonly tell: Tell;
}

export interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const latencyOf = (ms: readonly number[]): Latency => ({ p50Ms: quantile(ms, 0.5), p99Ms: quantile(ms, 0.99) });

/** Lets each key watch the same companies, as customers do; receivers take turns. */
export async function watchedBy(server: RunningServer, keys: readonly string[], taxIds: readonly string[], receivers: readonly string[]) {
  for (const [i, key] of keys.entries()) await createMonitor(server.url, key, taxIds, receivers[i % receivers.length] ?? '');
}

/** How long to measure, after how long a warm-up. */
type Lengths = Pick<BenchOptions, 'seconds' | 'warmupSeconds'>;

/** Latency of changes told at a steady rate to `count` sockets. */
export async function toSockets(
  { server, keys, tell }: Lane,
  count: number,
  taxIds: readonly string[],
  lengths: Lengths,
): Promise<Latency> {
  const marks = new Marks();
  const sockets = await openSockets(server.url, { count, keyOf: keyOf(keys), heard: marks.heard });
  try {
    return await latency(tell, marks, count, taxIds, lengths);
  } finally {
    await sockets.close();
  }
}

/** Latency of changes told at a steady rate to listeners that hear each of them `times` times. */
export async function latency(tell: Tell, marks: Marks, times: number, taxIds: readonly string[], lengths: Lengths): Promise<Latency> {
  await probe(tell, marks, taxIds, times);
  const load = async (seconds: number) => {
    const made = await tellSteadily(tell, marks, { taxIds, seconds, perSecond: PER_SECOND });
    await marks.all(made, times);
    return marks.latencies(made);
  };
  await load(lengths.warmupSeconds);
  return latencyOf(await load(lengths.seconds));
}

export interface Crowd {
  readonly bytesEach: number;
  /** From the start of the transaction to the last subscriber, for each change, in ms. */
  readonly lastMs: readonly number[];
}

/** Memory of `count` idle subscribers, then one change at a time to all of them. */
export async function toCrowd({ server, keys, tell }: Lane, count: number, taxIds: readonly string[], changes: number): Promise<Crowd> {
  const marks = new Marks();
  await delay(SETTLE_MS);
  const before = residentBytes(server.pid);
  const sockets = await openSockets(server.url, { count, keyOf: keyOf(keys), heard: marks.heard });
  try {
    await delay(SETTLE_MS);
    const bytesEach = (residentBytes(server.pid) - before) / count;
    await probe(tell, marks, taxIds, count);
    const lastMs: number[] = [];
    for (let i = 0; i < changes; i += 1) {
      const mark = marks.make();
      await tell(taxIds[0] ?? '', mark);
      await marks.all([mark], count);
      lastMs.push(Math.max(...marks.latencies([mark])));
      await delay(SETTLE_MS / 3);
    }
    return { bytesEach, lastMs };
  } finally {
    await sockets.close();
  }
}

/** Tells of changes until everybody hears them: when a subscription has begun is not acknowledged. @throws BenchFailure when they never do */
async function probe(tell: Tell, marks: Marks, taxIds: readonly string[], times: number): Promise<void> {
  for (let tries = 0; tries < MOST_PROBES; tries += 1) {
    const mark = marks.make();
    await tell(taxIds[0] ?? '', mark);
    await delay(SETTLE_MS / 3);
    if (marks.count(mark) === times) return;
  }
  throw new BenchFailure(`not all of ${times} listeners hear what changes`);
}

const keyOf = (keys: readonly string[] | null) => (i: number) => keys?.[Math.floor(i / PER_KEY)] ?? null;
