import type { Load } from '../../src/loaders/loader.ts';
import type { Use } from '../../src/sources/source.ts';
import { BenchFailure } from '../harness/bench.ts';
import { built } from '../harness/built.ts';
import { quantile, type Summary, summarise } from '../harness/statistics.ts';
import type { NamedTarget } from '../targets.ts';
import type { DocumentStore, StoredDocument } from './document-store.ts';
import { type Question, questionsOf } from './questions.ts';
import type { Samples } from './samples.ts';

/** Times of one contender, in ms: quantiles of each round. */
export interface Times {
  readonly p50: Summary;
  readonly p95: Summary;
  readonly p99: Summary;
}

export interface MeasuredQuestion {
  readonly name: string;
  /** Number of keys. */
  readonly keys: number;
  readonly quipu: Times;
  /** Times of the store of documents; the reason if it has no way to answer. */
  readonly documents: Times | string;
  readonly targets: readonly { readonly quantile: number; readonly target: NamedTarget; readonly value: number }[];
}

interface Plan {
  readonly store: DocumentStore;
  /** ISO date of the extract before the one that answers. */
  readonly asOf: string;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

const QUANTILES = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

/**
 * Asks every question for all its keys, in each round the service and then the store of documents. Before, all keys are asked once, so
 * that data and statements are in memory, and the answers of both are compared. The service has no answer in its own memory.
 * @throws BenchFailure when the answers differ
 */
export async function measureQuestions(url: string, samples: Samples, plan: Plan): Promise<readonly MeasuredQuestion[]> {
  const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
  const { createLoaders } = await built<typeof import('../../src/loaders/loader.ts')>('src/loaders/loader');
  const { createReceitaCopy } = await built<typeof import('../../src/sources/receita-federal/copy/reader.ts')>(
    'src/sources/receita-federal/copy/reader',
  );
  const db = createDb(url, { statementTimeoutMs: 60_000 });
  const copy = createReceitaCopy(() => db, 'bench', Date.now);
  const use = (() => ({ mode: 'copy', copy })) as unknown as Use;
  /** Returns a function that asks the key at an index, without an answer in memory. */
  const asker = ({ asks }: Question): ((i: number) => Promise<unknown>) => {
    const loaders = createLoaders(use, Date.now);
    let scope = loaders.scope();
    const all = asks(((loader, key) => scope(loader, key)) as Load);
    return (i) => {
      scope = loaders.scope();
      return all[i]?.() ?? Promise.reject(new BenchFailure('there is no such key'));
    };
  };
  try {
    await copy.refresh();
    const measured: MeasuredQuestion[] = [];
    for (const question of await questionsOf(samples, plan.store, plan.asOf)) measured.push(await measure(question, asker, plan));
    return measured;
  } finally {
    await db.destroy();
  }
}

async function measure(question: Question, asker: (question: Question) => (i: number) => Promise<unknown>, { rounds, progress }: Plan) {
  const { name, documents, targets } = question;
  const keys = question.asks((() => undefined) as unknown as Load).length;
  if (keys === 0) throw new BenchFailure(`there is no key for: ${name}`);
  const theirs = typeof documents === 'string' ? null : (i: number) => documents.asks[i]?.() as Promise<readonly StoredDocument[]>;
  const first = asker(question);
  for (let i = 0; i < keys; i += 1) {
    const ours = await first(i);
    const stored = await theirs?.(i);
    if (typeof documents !== 'string' && stored && !documents.isSame(ours, stored, i))
      throw new BenchFailure(`${name}: the answers to key ${i} differ: ${JSON.stringify(ours)} ${JSON.stringify(stored)}`.slice(0, 2_000));
  }
  const runs = { quipu: [] as number[][], documents: [] as number[][] };
  for (let round = 1; round <= rounds; round += 1) {
    runs.quipu.push(await timesOf(keys, asker(question)));
    if (theirs) runs.documents.push(await timesOf(keys, theirs));
    progress(`round ${round}/${rounds} · ${name} · p95 ${quantile(runs.quipu.at(-1) ?? [], QUANTILES.p95).toFixed(2)} ms`);
  }
  const value = (q: number): number => summarise(runs.quipu.map((times) => quantile(times, q))).median;
  return {
    ...{ name, keys, quipu: toTimes(runs.quipu), documents: typeof documents === 'string' ? documents : toTimes(runs.documents) },
    targets: targets.map(({ quantile: q, target }) => ({ quantile: q, target, value: value(q) })),
  };
}

async function timesOf(keys: number, ask: (i: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < keys; i += 1) {
    const start = performance.now();
    await ask(i);
    times.push(performance.now() - start);
  }
  return times;
}

const toTimes = (runs: readonly (readonly number[])[]): Times => {
  const summary = (q: number): Summary => summarise(runs.map((times) => quantile(times, q)));
  return { p50: summary(QUANTILES.p50), p95: summary(QUANTILES.p95), p99: summary(QUANTILES.p99) };
};
