import path from 'node:path';
import pg from 'pg';
import type { BenchOptions } from '../harness/bench.ts';
import type { Pinning } from '../harness/machine.ts';
import type { RunningServer } from '../harness/server.ts';
import type { Stage } from '../harness/stage.ts';

/** Settings and resources of one part of the benchmark. */
export interface Play {
  readonly stage: Stage;
  readonly pinning: Pinning;
  readonly options: BenchOptions;
  /** Number of idle sockets, a multiple of the limit per key. */
  readonly sockets: number;
  readonly progress: (line: string) => void;
  /** URL of a new database. */
  readonly url: string;
}

/** One claim: a measurement of Quipu and of a baseline, for each round. */
export interface Compared {
  readonly title: string;
  readonly baseline: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Number of decimals that are shown. */
  readonly decimals: number;
}

/** The contenders. */
export const QUIPU = 'quipu';
export const SQL = 'plain SQL';
export const HTTP = 'plain HTTP';
export const BARE = 'bare graphql-ws';
export const POSTS = 'plain POST';

/** Starts Quipu on the benchmark's database, with the lists of the sandbox and, by default, its registries. For `prefix` see `Stage`. */
export const startQuipu = (
  { stage, url }: Pick<Play, 'stage' | 'url'>,
  name: string,
  env: Readonly<Record<string, string>> = {},
  prefix?: readonly string[],
): Promise<RunningServer> =>
  stage.start(
    {
      name,
      script: 'dist/src/main.js',
      env: {
        DATABASE_URL: url,
        QUIPU_DATA_DIR: path.join(stage.dir, name),
        QUIPU_SOURCES: 'sandbox',
        QUIPU_MONITOR_INTERVAL: '6h',
        QUIPU_TENDERS_MONTHS: '1',
        ...env,
      },
      readyPath: '/readyz',
    },
    prefix,
  );

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined); // an interrupt stops the database while the client is connected
  await client.connect();
  return client;
}
