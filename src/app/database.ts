import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import type { Embedded } from '../db/embedded.ts';
import { createDb } from '../db/knex.ts';

/** Turns an unreachable database into a ConfigError that names the setting, without the address. */
export const unreachable =
  ({ databaseUrl }: Config) =>
  (error: Error & { code?: string }): never => {
    const isUnreachable = databaseUrl && /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|28|3D|KnexTimeout)/.test(error.code ?? error.name);
    if (!isUnreachable) throw error;
    throw new ConfigError(`DATABASE_URL: this Postgres cannot be used (${error.code ?? error.name}).`);
  };

/** Turns a folder that cannot be created or written into a ConfigError that names the setting. */
export function unusableFolder(error: Error & { code?: string }): never {
  if (!/^(EEXIST|ENOTDIR|EACCES|EROFS|ENOSPC|EPERM)$/.test(error.code ?? '')) throw error;
  throw new ConfigError(`QUIPU_DATA_DIR: this folder cannot be used (${error.code}).`);
}

/** Opens the configured database, or an embedded one that `embedded` starts. */
export async function openDatabase(
  config: Config,
  log: Logger,
  embedded: (dataDir: string) => Promise<Embedded>,
): Promise<{ db: Knex; close(): Promise<void> }> {
  const own = config.databaseUrl ? null : await embedded(config.dataDir).catch(unusableFolder);
  const db = createDb(config.databaseUrl ?? own?.url ?? '', { log });
  return {
    db,
    async close() {
      await db.destroy();
      await own?.stop();
    },
  };
}
