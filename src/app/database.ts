import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import type { Embedded } from '../db/embedded.ts';
import { createDb, isPooler } from '../db/knex.ts';
import { createReplicaReads, type ReplicaReads } from '../db/read-replica.ts';
import type { Clock } from '../domain/time.ts';
import type { Observer } from '../observer.ts';
import { instrumentSql } from '../server/telemetry/instrument.ts';
import { unusableFolder } from './data-folder.ts';

/** Opens the configured database, or an embedded one that `embedded` starts. @throws ConfigError for an address that cannot be used */
export async function openDatabase(
  config: Config,
  log: Logger,
  embedded: (dataDir: string) => Promise<Embedded>,
): Promise<{ db: Knex; close(): Promise<void> }> {
  const { databaseUrl, databaseDirectUrl: directUrl } = config;
  if (databaseUrl) await checkAddresses(databaseUrl, directUrl);
  const own = databaseUrl ? null : await embedded(config.dataDir).catch(unusableFolder);
  const db = createDb(databaseUrl ?? own?.url ?? '', { log, ...(directUrl && { directUrl }) });
  return {
    db,
    async close() {
      await db.destroy();
      await own?.stop();
    },
  };
}

interface ReadParts {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
  readonly observer: Observer | undefined;
}

/**
 * Creates the reads of copies from the configured replica; undefined without one. A worker reads the primary, because several workers
 * compare versions of a copy, and a worker with an older version than another would report changes backwards.
 */
export function openReplica(
  { databaseReadUrl, roles }: Config,
  { db, now, log, observer }: ReadParts,
): (ReplicaReads & { close(): Promise<void> }) | undefined {
  if (databaseReadUrl === undefined || roles.includes('worker')) return undefined;
  const replica = createDb(databaseReadUrl, { log });
  if (observer) instrumentSql(replica, observer);
  return { ...createReplicaReads({ primary: db, replica, now, log }), close: () => replica.destroy() };
}

/** Message about work that a connection pooler breaks, because it keeps state on one connection between transactions. */
const NEEDS_DIRECT = 'Migrations, list loads, notifications and the job queue need connections that keep their state';

/** @throws ConfigError when an address cannot be reached, or when no address reaches Postgres without a connection pooler */
async function checkAddresses(databaseUrl: string, directUrl: string | undefined): Promise<void> {
  const isPooled = await isPooler(databaseUrl).catch(unreachable('DATABASE_URL'));
  if (directUrl === undefined) {
    if (isPooled)
      throw new ConfigError(
        `DATABASE_URL: this is a connection pooler. ${NEEDS_DIRECT}: set DATABASE_DIRECT_URL to the address of Postgres itself.`,
      );
  } else if (await isPooler(directUrl).catch(unreachable('DATABASE_DIRECT_URL'))) {
    throw new ConfigError(`DATABASE_DIRECT_URL: this is a connection pooler. ${NEEDS_DIRECT}: set it to the address of Postgres itself.`);
  }
}

/** Converts the failure to reach the database to a ConfigError that names the setting, without the address. */
const unreachable =
  (setting: string) =>
  (error: Error & { code?: string }): never => {
    const code = error.code ?? (/timeout/.test(error.message) ? 'TIMEOUT' : '');
    if (!/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|TIMEOUT|08|28|3D|57P03)/.test(code)) throw error;
    throw new ConfigError(`${setting}: this Postgres cannot be used (${code}).`);
  };
