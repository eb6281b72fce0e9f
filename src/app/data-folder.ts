import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/** Files in QUIPU_DATA_DIR that the first start generates and later starts read. */

/** A configuration with the secret of keyed hashes and sealed values. */
export type ConfigWithSecret = Config & { readonly keySecret: string };

/** File of the generated secret in the data folder. */
const KEY_SECRET_FILE = 'key.secret';

/**
 * Completes the secret of a configuration: the configured secret or, without one, a secret that is generated once and stored in the data
 * folder beside the embedded Postgres, with mode 0600.
 * @throws ConfigError when the data folder cannot be written
 */
export async function withKeySecret(config: Config): Promise<ConfigWithSecret> {
  const { dataDir, keySecret } = config;
  if (keySecret !== null) return { ...config, keySecret };
  const generated = await readOrCreate(path.join(dataDir, KEY_SECRET_FILE), () => randomBytes(32).toString('hex')).catch(unusableFolder);
  return { ...config, keySecret: generated };
}

/** Returns the secret of a configuration without generating one; null if none has been generated yet. */
export const existingKeySecret = async ({ dataDir, keySecret }: Config): Promise<string | null> =>
  keySecret ?? readIfPresent(path.join(dataDir, KEY_SECRET_FILE));

/**
 * Returns the text of a file of the data folder, which the first call creates with mode 0600. Processes that create it at the same time
 * get the same text, because a hard link publishes the file completely and never replaces one.
 * @throws Error when the folder cannot be written
 */
export async function readOrCreate(file: string, create: () => string): Promise<string> {
  const kept = await readIfPresent(file);
  if (kept !== null) return kept;
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  const text = create();
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await link(draft, file);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process has published it meanwhile
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns the text of a file; null if it does not exist. @throws Error when it cannot be read */
export async function readIfPresent(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Throws the error for the folder of the usage journals. @throws ConfigError naming QUIPU_USAGE_DIR; else the error itself */
export function unusableUsageFolder(error: Error & { code?: string }): never {
  if (error.code === 'ENAMETOOLONG')
    throw new ConfigError('QUIPU_USAGE_DIR: the path of this folder is too long for a socket: at most 70 bytes.');
  if (!UNUSABLE.test(error.code ?? '')) throw error;
  throw new ConfigError(`QUIPU_USAGE_DIR: this folder cannot be used (${error.code}).`);
}

const UNUSABLE = /^(EEXIST|ENOTDIR|EACCES|EROFS|ENOSPC|EPERM)$/;

/** Throws the error for a folder. @throws ConfigError naming QUIPU_DATA_DIR if it cannot be created or written; else the error itself */
export function unusableFolder(error: Error & { code?: string }): never {
  if (!UNUSABLE.test(error.code ?? '')) throw error;
  throw new ConfigError(`QUIPU_DATA_DIR: this folder cannot be used (${error.code}).`);
}
