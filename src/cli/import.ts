import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, type Option } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import type { Sources } from '../sources/build.ts';
import type { Copy } from '../sources/copy.ts';
import type { Source } from '../sources/source.ts';
import { describe, type Io } from './lists.ts';
import type { ProgressReporter } from './progress.ts';

/** One bulk import: `quipu import NAME`. */
export interface Import {
  /** The subcommand. */
  readonly name: string;
  /** One line for `--help`. */
  readonly description: string;
  /** What `--file` takes, for `--help`. */
  readonly files: string;
  /** The copies that it loads, one after the other; each is given all the files. */
  readonly copies: readonly Source<Copy>[];
  /** Options of its own, as the command line has them: `--country <code>`. */
  readonly options?: readonly Option[];
  /** What those options ask for. @throws AppError INVALID_INPUT */
  readonly narrow?: (options: Readonly<Record<string, unknown>>) => Narrowed;
}

/** A part of an import. */
export interface Narrowed {
  readonly copies: readonly Source<Copy>[];
  /** What their `sync` is told besides. */
  readonly sync: object;
}

export interface ImportTools {
  /** `offline`: files will be read, and no publisher asked. */
  readonly open: (options: { readonly offline: boolean }) => Promise<{ readonly sources: Sources; close(): Promise<void> }>;
  readonly io: Io;
  readonly progress: () => ProgressReporter;
}

interface Options {
  readonly file?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `quipu import NAME [--file PATH…] [--force] [--json]`: loads what is too large to wait for unseen. Exit code 1 where one is refused. */
export const importCommand = (imports: readonly Import[], tools: ImportTools): Command =>
  imports.reduce(
    (parent, one) => parent.addCommand(subcommand(one, tools)),
    new Command('import').description('Load large public files now, from their publishers or from files at hand'),
  );

function subcommand(one: Import, tools: ImportTools): Command {
  const command = new Command(one.name)
    .description(one.description)
    .option('--file <path...>', one.files)
    .option('--force', 'load what the plausibility guard would refuse, e.g. far fewer rows than before')
    .option('--json', 'print one JSON object')
    .action((options: Options) => run(one, options, tools));
  for (const option of one.options ?? []) command.addOption(option);
  return command;
}

async function run(one: Import, options: Options, { open, io, progress }: ImportTools): Promise<void> {
  const { file, force = false, json = false } = options;
  const { copies, sync } = one.narrow?.({ ...options }) ?? { copies: one.copies, sync: {} };
  const files = file?.map((one) => path.resolve(one));
  for (const one of files ?? []) if (!existsSync(one)) throw invalidInput('file', `There is no file ${one}.`);
  const { sources, close } = await open({ offline: files !== undefined });
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
