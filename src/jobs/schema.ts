import { Logger, runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import { urlOf } from '../db/knex.ts';
import { migrate } from '../db/migrations.ts';

const quietLogger = new Logger(() => () => undefined);

/** Brings the database to the current schema, the queue's own included. @throws as `migrate` does */
export async function bringUpToDate(db: Knex): Promise<void> {
  await migrate(db);
  await runMigrations({ connectionString: urlOf(db), maxPoolSize: 1, logger: quietLogger });
}
