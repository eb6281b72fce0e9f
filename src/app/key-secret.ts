import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Config } from '../config.ts';
import { unusableFolder } from './database.ts';
import { readOrCreate } from './kept-file.ts';

/** A configuration with the secret of keyed hashes and sealed values. */
export type ConfigWithSecret = Config & { readonly keySecret: string };

/** File of the generated secret in the data folder. */
const FILE = 'key.secret';

/**
 * Completes the secret of a configuration: the configured one, else one that is generated once and kept in the data folder beside the
 * embedded Postgres, with mode 0600.
 * @throws ConfigError when the data folder cannot be written
 */
export async function withKeySecret(config: Config): Promise<ConfigWithSecret> {
  const { dataDir, keySecret } = config;
  if (keySecret !== null) return { ...config, keySecret };
  const generated = await readOrCreate(path.join(dataDir, FILE), () => randomBytes(32).toString('hex')).catch(unusableFolder);
  return { ...config, keySecret: generated };
}
