import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { inject } from 'vitest';
import { createDb } from '../../src/db/knex.ts';

export interface TestDb {
  readonly url: string;
  readonly knex: Knex;
  /** Closes the pool and starts to drop the database, including open connections. */
  close(): Promise<void>;
}

/** Creates a migrated database for one test or one file, as a copy of the template. It takes about 30 ms in memory. */
export const testDb = (): Promise<TestDb> => copyOf(inject('databaseTemplate'));

/** Creates a database without tables. */
export const emptyDb = (): Promise<TestDb> => copyOf('template0');

async function copyOf(template: string): Promise<TestDb> {
  const name = `${inject('databaseTemplate')}_${randomBytes(6).toString('hex')}`;
  await asAdmin('CREATE DATABASE ?? TEMPLATE ?? STRATEGY file_copy', [name, template]);
  const address = new URL(inject('databaseUrl'));
  address.pathname = `/${name}`;
  const knex = createDb(address.href);
  const close = async () => {
    await knex.destroy();
    // The promise is not awaited, because a DROP waits for every COPY on the server, also for one that another test makes hang.
    // The end of the run drops the remaining databases.
    void asAdmin('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name]).catch(() => undefined);
  };
  return { url: address.href, knex, close };
}

async function asAdmin(sql: string, names: readonly string[]): Promise<void> {
  const admin = createDb(inject('databaseUrl'), { poolMax: 1, statementTimeoutMs: 30_000 });
  try {
    await admin.raw(sql, names);
  } finally {
    await admin.destroy();
  }
}
