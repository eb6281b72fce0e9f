import path from 'node:path';
import pg from 'pg';
import type { BenchOptions } from '../harness/bench.ts';
import type { Pinning } from '../harness/machine.ts';
import type { RunningServer } from '../harness/server.ts';
import type { Stage } from '../harness/stage.ts';

/** What a part of the bench works with. */
export interface Play {
  readonly stage: Stage;
  readonly pinning: Pinning;
  readonly options: BenchOptions;
  /** Sockets of the crowd, a multiple of what one key may have. */
  readonly sockets: number;
  readonly progress: (line: string) => void;
  /** Of a new database. */
  readonly url: string;
}

/** One claim: a figure of ours beside the same of a named baseline, round by round. */
export interface Compared {
  readonly title: string;
  readonly baseline: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Decimals that mean something. */
  readonly decimals: number;
}

/** The contenders. */
export const QUIPU = 'quipu';
export const SQL = 'plain SQL';
export const HTTP = 'plain HTTP';
export const BARE = 'bare graphql-ws';
export const POSTS = 'plain POST';

/** Our server on the bench's database; its lists and, unless told otherwise, its registries are the sandbox's. */
export const startQuipu = (
  { stage, url }: Pick<Play, 'stage' | 'url'>,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> =>
  stage.start({
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
  });

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => undefined); // the bench's database goes away under it when the bench is interrupted
  await client.connect();
  return client;
}
