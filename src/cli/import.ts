import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import { mercadopublico } from '../modules/tenders/sources/mercadopublico/mercadopublico.ts';
import { pncp } from '../modules/tenders/sources/pncp/pncp.ts';
import type { Sources } from '../sources/build.ts';
import type { Copy, Source } from '../sources/source.ts';
import { describe } from './lists.ts';
import type { ProgressReporter } from './progress.ts';
import type { Io } from './run.ts';

/** One bulk import, `quipu import NAME`. */
export interface Import {
  /** Name of the subcommand. */
  readonly name: string;
  /** Description in one line for `--help`. */
  readonly description: string;
  /** Help text of `--file`. */
  readonly files: string;
  /** The copies that it syncs, one after the other. Each gets all files. */
  readonly copies: readonly Source<Copy>[];
  /** Options of this import only, such as `--country <code>`. */
  readonly options?: readonly Option[];
  /** The part of the import that its options select. @throws AppError INVALID_INPUT */
  readonly narrow?: (options: Readonly<Record<string, unknown>>) => Narrowed;
}

/** A part of an import. */
export interface Narrowed {
  readonly copies: readonly Source<Copy>[];
  /** Additional options of the `sync` of its copies. */
  readonly sync: object;
  /** True if it sends no requests, also without files. */
  readonly isOffline?: boolean;
}

export interface ImportTools {
  /** Opens the sources. If `offline` is true, the import reads files and sends no requests. */
  readonly open: (options: { readonly offline: boolean }) => Promise<{ readonly sources: Sources; close(): Promise<void> }>;
  readonly io: Io;
  readonly progress: () => ProgressReporter;
}

interface Options {
  readonly file?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/**
 * Creates `quipu import NAME [--file PATH…] [--force] [--json]`, which loads large public data sets and shows progress. The exit code is 1
 * if a load is refused.
 */
export const importCommand = (imports: readonly Import[], tools: ImportTools): Command =>
  imports.reduce(
    (parent, one) => parent.addCommand(subcommand(one, tools)),
    new Command('import').description('Load large public files now, from their publishers or from local files'),
  );

function subcommand(one: Import, tools: ImportTools): Command {
  const command = new Command(one.name)
    .description(one.description)
    .option('--file <path...>', one.files)
    .option('--force', 'load a file that the plausibility guard refuses, e.g. with far fewer rows than before')
    .option('--json', 'print one JSON object')
    .action((options: Options) => run(one, options, tools));
  for (const option of one.options ?? []) command.addOption(option);
  return command;
}

async function run(one: Import, options: Options, { open, io, progress }: ImportTools): Promise<void> {
  const { file, force = false, json = false } = options;
  const { copies, sync, isOffline = false }: Narrowed = one.narrow?.({ ...options }) ?? { copies: one.copies, sync: {} };
  const files = file?.map((one) => path.resolve(one));
  for (const one of files ?? []) if (!existsSync(one)) throw invalidInput('file', `There is no file ${one}.`);
  const { sources, close } = await open({ offline: isOffline || files !== undefined });
  const results: Record<string, unknown> = {};
  try {
    for (const copy of copies.map((source) => sources.use(source))) {
      const reporter = progress();
      const result = await copy.sync({ ...sync, files, force, onProgress: reporter.report }).finally(reporter.stop);
      results[copy.name] = result;
      if (!json) io.out(`${copy.name}: ${describe(result)}\n`);
      if (result.outcome === 'refused') process.exitCode = 1;
    }
    if (json) io.out(`${JSON.stringify(results)}\n`);
  } finally {
    await close();
  }
}

const COPIES = { CL: [mercadopublico], BR: [pncp] } as const;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/**
 * `quipu import tenders [--country CL|BR] [--from YYYY-MM] [--to YYYY-MM] [--file PATH…]` loads the indexes of orders and awards by
 * supplier.
 */
export const tendersImport: Import = {
  name: 'tenders',
  description: 'Orders and awards of suppliers: Mercado Público (CL) and PNCP (BR)',
  files: 'monthly files of Mercado Público as it names them, zipped; only with --country CL',
  copies: [...COPIES.CL, ...COPIES.BR],
  options: [
    new Option('--country <code>', 'import the files of one country only').choices(Object.keys(COPIES)),
    new Option('--from <month>', 'oldest month, e.g. 2024-01; by default the number of months in QUIPU_TENDERS_MONTHS'),
    new Option('--to <month>', 'newest month; the current month by default'),
  ],
  narrow({ country, from, to, file }) {
    if (file && country !== 'CL') throw invalidInput('file', 'Only --country CL has files to import.');
    if (file && (from || to)) throw invalidInput('file', 'A file names its own month: leave out --from and --to.');
    for (const [name, month] of Object.entries({ from, to })) {
      if (month !== undefined && !MONTH.test(String(month))) throw invalidInput(name, `--${name} must be a month, e.g. 2026-01.`);
    }
    if (from && to && String(from) > String(to)) throw invalidInput('from', '--from lies after --to.');
    const copies = country === undefined ? [...COPIES.CL, ...COPIES.BR] : COPIES[country as keyof typeof COPIES];
    return { copies, sync: { ...(from !== undefined && { from }), ...(to !== undefined && { to }) } };
  },
};
