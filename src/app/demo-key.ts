import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Keys } from '../auth/api-keys/keys.ts';
import { newKey } from '../auth/api-keys/lookup.ts';
import type { Config } from '../config.ts';
import { readKept, readOrCreate } from './kept-file.ts';

const NAME = 'demo';
/** File of the demo key in the data folder. */
const FILE = 'demo.key';

/**
 * Creates the demo key of a sandbox at the first start and keeps its text in the data folder, with mode 0600. Returns null when the key is
 * revoked, and when a start with another data folder has created it on the same database.
 */
export async function ensureDemoKey(keys: Keys, { dataDir }: Pick<Config, 'dataDir'>): Promise<string | null> {
  const file = path.join(dataDir, FILE);
  if ((await readKept(file)) === null && (await keys.list()).some(({ name }) => name === NAME)) return null;
  const key = await readOrCreate(file, () => newKey(randomBytes));
  await keys.ensure(NAME, key);
  return (await keys.find(key)) && key;
}
