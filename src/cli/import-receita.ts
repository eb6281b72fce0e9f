import path from 'node:path';
import { Command } from 'commander';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { invalidInput } from '../domain/errors.ts';
import { type ImportResult, importFolder, rollBackImport } from '../sources/receita-federal/copy/import.ts';
import { importMonth } from '../sources/receita-federal/copy/import-month.ts';
import { ImportRefusal } from '../sources/receita-federal/copy/refusal.ts';
import type { ProgressReporter } from './progress.ts';
import { type Io, JSON_HELP } from './run.ts';

/** Dependencies of the import. */
export interface ReceitaImportParts {
  readonly db: Knex;
  readonly origin: string;
  readonly secret: string;
  /** Address of the share, and the folder in it that has the months. */
  readonly address: string;
  readonly sharePath: string;
  readonly diskFolder: string | null;
  readonly historyMonths: number;
  readonly log: Pick<Logger, 'error'>;
  readonly tempDir: string;
  close(): Promise<void>;
}

export interface ReceitaImportTools {
  readonly open: () => Promise<ReceitaImportParts>;
  readonly io: Io;
  readonly progress: () => ProgressReporter;
}

interface Options {
  readonly dir?: string;
  readonly month?: string;
  readonly rollback?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/**
 * Creates `quipu import receita [--dir DIR | --month YYYY-MM] [--rollback]`, which loads the monthly files of the Brazilian registry into
 * the own copy. The exit code is 1 if the import is refused.
 */
export const receitaImportCommand = (tools: ReceitaImportTools): Command =>
  new Command('receita')
    .description('The Brazilian tax registry: companies, establishments and partners of one month')
    .option('--dir <dir>', 'load the zips of this folder, with their names on the share; nothing is downloaded')
    .option('--month <month>', 'download this month, e.g. 2026-10; by default the newest one that the share lists')
    .option('--rollback', 'make the version before the current one answer again')
    .option('--force', 'load a version that the plausibility guard refuses')
    .option('--json', JSON_HELP)
    .action((options: Options) => run(options, tools));

async function run(options: Options, { open, io, progress }: ReceitaImportTools): Promise<void> {
  const { dir, month, rollback = false, json = false } = options;
  if (month !== undefined && !MONTH.test(month)) throw invalidInput('month', '--month must be a month, e.g. 2026-01.');
  if ([dir, month, rollback || undefined].filter((one) => one !== undefined).length > 1)
    throw invalidInput('dir', 'Only one of --dir, --month and --rollback can be given.');
  const parts = await open();
  const reporter = progress();
  try {
    const result = await work(options, parts, reporter).finally(reporter.stop);
    const { loaded: _, ...stated } = result;
    io.out(json ? `${JSON.stringify(stated)}\n` : `receita_federal: ${sentence(result)}\n`);
  } catch (error) {
    if (!(error instanceof ImportRefusal)) throw error;
    const { reason, message } = error;
    io.out(
      json ? `${JSON.stringify({ outcome: 'refused', reason, why: message })}\n` : `receita_federal: refused (${reason}). ${message}\n`,
    );
    process.exitCode = 1;
  } finally {
    await parts.close();
  }
}

async function work(
  { dir, month, rollback, force = false }: Options,
  parts: ReceitaImportParts,
  { report }: ProgressReporter,
): Promise<ImportResult> {
  const given = { ...parts, now: Date.now, onProgress: report };
  if (rollback) return rollBackImport(given);
  if (dir !== undefined) return importFolder(path.resolve(dir), given, { force });
  return importMonth({ ...given, month: month ?? null }, { force }); // a signal of the operating system ends the process, and the next import continues
}

function sentence({ outcome, extractedOn, facts }: ImportResult): string {
  if (outcome === 'rolled_back') return `the extract of ${extractedOn} answers again.`;
  if (outcome === 'unchanged' || facts === null) return `the extract of ${extractedOn} is already loaded.`;
  const notes = Object.entries(facts.notes).map(([reason, count]) => `${count} ${reason.replaceAll('_', ' ')}`);
  return [
    `the extract of ${extractedOn} is loaded: ${facts.companies} companies, ${facts.establishments} establishments, ${facts.partners} partners;`,
    `${facts.unread} unread rows, ${facts.orphans} establishments without a company${notes.length > 0 ? `, ${notes.join(', ')}` : ''}.`,
  ].join(' ');
}
