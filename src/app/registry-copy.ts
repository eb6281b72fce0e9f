import path from 'node:path';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { resolveAddress, resolveSetting } from '../config.ts';
import type { Clock } from '../domain/time.ts';
import type { Sources } from '../sources/build.ts';
import { createMonthlyImport, type MonthlyImport } from '../sources/receita-federal/copy/monthly.ts';
import { copyOrigin, receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import type { ConfigWithSecret } from './data-folder.ts';

/** Returns where an import reads the files from, and what it needs of the settings. @param sandboxUrl address of the sandbox; null in live mode */
export function registryImportParts(config: ConfigWithSecret, sandboxUrl: string | null) {
  const { url: address, origin } = resolveAddress(config, 'QUIPU_RECEITA_SHARE_URL', sandboxUrl);
  return {
    secret: config.keySecret,
    origin: copyOrigin({ origin }),
    address,
    sharePath: resolveSetting(config, 'QUIPU_RECEITA_SHARE_PATH'),
    diskFolder: config.databaseUrl ? null : config.dataDir,
    historyMonths: Number(resolveSetting(config, 'QUIPU_RECEITA_HISTORY_MONTHS')),
    tempDir: path.join(config.dataDir, 'downloads'),
  };
}

interface MonthlyImportParts {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
  readonly sources: Pick<Sources, 'use'>;
  readonly sandboxUrl: string | null;
}

/**
 * Creates the monthly import, in a process with the role worker if QUIPU_RECEITA_IMPORT is on; else none. In the sandbox the first import
 * loads the older of its two months, so that the changes between them arrive when the newest one is loaded.
 */
export function monthlyImports(
  config: ConfigWithSecret,
  { db, now, log, sources, sandboxUrl }: MonthlyImportParts,
): readonly MonthlyImport[] {
  if (resolveSetting(config, 'QUIPU_RECEITA_IMPORT') !== 'on' || !config.roles.includes('worker')) return [];
  const { copy, status } = sources.use(receitaFederal);
  const parts = registryImportParts(config, sandboxUrl);
  return [createMonthlyImport({ ...parts, db, now, log, copy, status, olderFirst: parts.origin === 'sandbox' })];
}

const CONSEQUENCES = {
  live: '',
  copy: 'every check of a Brazilian company fails',
  'copy-then-live': 'the mirrors answer for every Brazilian company',
} as const;

/**
 * Returns a sentence for operators about an own copy of the Brazilian registry that should answer and does not, or whose newest month is
 * about to be loaded; null if it answers as it should, if it is not used, and before it was read. It is computed from memory.
 * @param imports monthly imports of this process
 */
export function registryCopyNote({ use }: Pick<Sources, 'use'>, imports: readonly Pick<MonthlyImport, 'awaitsNewest'>[]): string | null {
  const { mode, copy } = use(receitaFederal);
  const problem = mode === 'live' ? null : copy.problem();
  if (problem === null) return imports.some((one) => one.awaitsNewest()) ? NEWEST_FOLLOWS : null;
  const state = problem === 'missing' ? 'is not loaded' : 'is overdue, because its extract is more than 75 days old';
  const remedy = imports.length > 0 ? 'its import runs, or is tried again within minutes' : 'run quipu import receita';
  return `The own copy of the Brazilian registry ${state}, and ${CONSEQUENCES[mode]}: ${remedy}.`;
}

const NEWEST_FOLLOWS =
  'The own copy of the Brazilian registry has the older of two months: the newest one is loaded in about a minute, and its changes arrive then.';

/** Reads which version of the copy answers, and returns the sentence about it. */
export async function registryCopyNoteAtStart(
  sources: Pick<Sources, 'use'>,
  imports: Parameters<typeof registryCopyNote>[1],
): Promise<string | null> {
  const { mode, copy } = sources.use(receitaFederal);
  if (mode !== 'live') await copy.refresh();
  return registryCopyNote(sources, imports);
}
