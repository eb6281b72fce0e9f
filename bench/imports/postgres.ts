import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import { built } from '../harness/built.ts';

/** The embedded Postgres of the service, as the target of import benchmarks. */
export interface BenchPostgres {
  /** Runs `work` on a new, migrated database, after a checkpoint has flushed earlier writes to disk. */
  afresh<T>(work: (url: string) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

const TEMPLATE = 'bench_template';
const NAME = 'bench';

export async function startPostgres(dir: string): Promise<BenchPostgres> {
  const { createLog } = await built<typeof import('../../src/app/log.ts')>('src/app/log');
  const { startEmbedded } = await built<typeof import('../../src/db/embedded.ts')>('src/db/embedded');
  const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
  const { migrate } = await built<typeof import('../../src/db/migrations.ts')>('src/db/migrations');
  const { url, stop } = await startEmbedded(path.join(dir, 'data'), { log: createLog({ logLevel: 'warn' }) });
  await query(url, `CREATE DATABASE ${TEMPLATE}`);
  const template = createDb(databaseAt(url, TEMPLATE));
  await migrate(template);
  await template.destroy();
  return {
    async afresh(work) {
      await query(url, `CREATE DATABASE ${NAME} TEMPLATE ${TEMPLATE}`, 'CHECKPOINT');
      try {
        return await work(databaseAt(url, NAME));
      } finally {
        await query(url, `DROP DATABASE ${NAME} WITH (FORCE)`);
      }
    },
    stop,
  };
}

function databaseAt(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

export async function query(url: string, ...statements: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Writes the rows of a table in the format of COPY. */
export async function writeOut(url: string, table: string, file: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await pipeline(client.query(to(`COPY (TABLE ${table}) TO STDOUT`)), createWriteStream(file));
  } finally {
    await client.end();
  }
}
