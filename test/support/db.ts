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

/** Creates a migrated database for one test or one file, as a copy of the template. It takes about 20 ms in memory. */
export const testDb = (): Promise<TestDb> => databaseCopy(inject('databaseTemplate'));

/** Creates a database without tables. */
export const emptyDb = (): Promise<TestDb> => databaseCopy('template0');

/** Creates a copy of a database that has no connections. */
export async function databaseCopy(template: string): Promise<TestDb> {
  const name = `${inject('databaseTemplate')}_${randomBytes(6).toString('hex')}`;
  await admin().raw('CREATE DATABASE ?? TEMPLATE ?? STRATEGY file_copy', [name, template]);
  const address = new URL(inject('databaseUrl'));
  address.pathname = `/${name}`;
  const knex = createDb(address.href);
  const close = async () => {
    await knex.destroy();
    // The promise is not awaited, because a DROP waits for every COPY on the server, also for one that another test makes hang.
    // The end of the run drops the remaining databases.
    void admin()
      .raw('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name])
      .catch(() => undefined);
  };
  return { url: address.href, knex, close };
}

let adminPool: Knex | undefined;

/**
 * Returns the pool that creates and drops databases. All files of a process share it, because opening a connection takes half as long as
 * copying a database. It is large, because a DROP that waits occupies a connection.
 */
function admin(): Knex {
  adminPool ??= createDb(inject('databaseUrl'), { poolMax: 30, isBackground: true, statementTimeoutMs: 30_000 });
  return adminPool;
}
