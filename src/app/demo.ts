import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { Keys } from '../auth/api-keys/keys.ts';
import { newKey } from '../auth/api-keys/lookup.ts';
import type { Config } from '../config.ts';
import type { Caller } from '../context.ts';
import type { Country } from '../domain/company.ts';
import type { WatchTerms } from '../domain/plan.ts';
import type { Monitors } from '../modules/monitor/service/monitors.ts';
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

/** Tax ids by country. */
export type Portfolio = Readonly<Partial<Record<Country, readonly string[]>>>;

/**
 * Watches made-up companies for the demo key of a sandbox, one monitor a country and without a webhook, so that the dashboard shows
 * changes at the first start. Does nothing while the key watches anything.
 */
export async function ensureDemoPortfolio(monitors: Monitors, caller: Caller, portfolio: Portfolio, limits: WatchTerms): Promise<void> {
  if ((await monitors.list(caller, { first: 1, after: null })).total > 0) return;
  for (const [country, identifiers] of Object.entries(portfolio))
    await monitors.create(caller, { country, identifiers, webhookUrl: null, retryPolicy: 'none', listNews: false }, limits);
}
