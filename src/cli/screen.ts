import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import type { Reply, RestOptions } from '../../clients/typescript/src/rest.ts';
import { COUNTRIES } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { maskCpfs } from '../domain/personal-ids.ts';
import { SECOND_MS } from '../domain/time.ts';
import { LANGUAGES } from '../messages/message.ts';
import { MAX_NAME, SCREENED_MODULES, type ScreenedModule } from '../modules/screening/domain/screening.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { download } from './download.ts';
import { readPortfolio } from './portfolio-input.ts';
import type { ProgressReporter } from './progress.ts';
import { EXIT, JSON_HELP, json, tableText } from './run.ts';

const FORMATS = ['csv', 'xlsx', 'jsonl'] as const;
type Format = (typeof FORMATS)[number];

interface Options extends ServerOptions {
  readonly output?: string;
  readonly format?: Format;
  readonly rows?: string;
  readonly language?: string;
  readonly delimiter?: string;
  readonly keepColumns?: boolean;
  readonly modules?: string;
  readonly country?: string;
  readonly name?: string;
  readonly force?: boolean;
  readonly new?: boolean;
  readonly json?: boolean;
}

type Submitted = RestOptions<'POST /v1/screenings'>['body'];
type Screening = Reply<'GET /v1/screenings/{id}'>;
type RejectedRow = Reply<'GET /v1/screenings/{id}/rejected'>['rejected'][number];

/** State that is kept in a file beside the output until the results are saved, so that a repeated command continues. */
interface Kept {
  readonly url: string;
  /** SHA-256 of the submitted data. */
  readonly fingerprint: string;
  /** Idempotency key of the start of the screening, so that it is started once. */
  readonly idempotencyKey: string;
  /** Id of the screening; null until the server has confirmed the start. */
  readonly screeningId: string | null;
}

const POLL_MS = SECOND_MS;
const REJECTED_SHOWN = 20;

const HELP = `
The file is csv or the first sheet of a workbook, with a column identifier (or cnpj, rut, nit) and, optionally, country; or has one
tax id a line. Only these two columns are sent, unless --keep-columns is given. An interrupted command can be repeated: it continues with the same screening.
Exit codes: 0 every company was checked, 1 failed, 3 a part was not checked or not completely, 130 interrupted
`;

/** Creates `quipu screen FILE`, which screens a portfolio on a server and saves the results. */
export const screenCommand = (parts: ClientParts & { readonly progress: () => ProgressReporter }): Command =>
  new Command('screen')
    .description('Check a portfolio of up to 100,000 companies on a server, and save the results')
    .argument('<file>', 'csv file or xlsx workbook, or one tax id a line')
    .option('--output <file>', 'file of the results; FILE.results.csv in the current folder by default')
    .addOption(new Option('--format <format>', 'of the results; by default by the name of the output').choices(FORMATS))
    .addOption(
      new Option('--rows <rows>', 'of a csv file or workbook; all: one row for each row of FILE, also wrong and repeated ones').choices([
        'results',
        'all',
      ]),
    )
    .addOption(new Option('--language <code>', 'of the header, fixed words and reasons; codes of the API by default').choices(LANGUAGES))
    .addOption(new Option('--delimiter <name>', 'of a csv file; comma by default').choices(['comma', 'semicolon']))
    .option('--keep-columns', 'send the other columns of FILE, too, for --rows all')
    .option(
      '--modules <list>',
      `modules to check with, separated by commas: ${SCREENED_MODULES.join(', ')}; by default those that the key has`,
    )
    .addOption(new Option('--country <code>', 'of all rows that state none').choices(COUNTRIES))
    .option('--name <name>', 'name of the screening, to which the number of the run is added; the name of the file by default')
    .option('--force', 'replace the output if it exists')
    .option('--new', 'start another screening instead of continuing an interrupted one')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((file: string, options: Options) => runOnServer(parts, options, (server) => screen(server, file, options, parts)));

async function screen(
  server: Server,
  file: string,
  options: Options,
  { io, progress }: Parameters<typeof screenCommand>[0],
): Promise<void> {
  const output = options.output ?? `${path.parse(file).name}.results.${options.format ?? 'csv'}`;
  const { format, query } = wantedResults(options, output);
  if (existsSync(output) && !options.force) throw invalidInput('output', `${output} exists: name another --output, or use --force.`);
  const keptFile = `${output}.screening`;
  const submitted = {
    csv: await readPortfolio(file, options.keepColumns ?? false),
    ...(options.keepColumns && { keep_columns: true }),
    name: (options.name ?? path.basename(file)).slice(0, MAX_NAME - 10),
    ...(options.country !== undefined && { country: options.country }),
    ...(options.modules !== undefined && { modules: options.modules.split(',').map((name) => name.trim()) as ScreenedModule[] }),
  };
  const kept = await readKept(keptFile, { url: server.url, submitted, startNew: options.new ?? false });
  if (kept.screeningId) io.err(`Continuing ${kept.screeningId}.\n`);
  const id = kept.screeningId ?? (await start(server, submitted, kept, keptFile));
  try {
    const ended = await follow(server, id, progress());
    await download(server, `/v1/screenings/${id}/results.${format}${query}`, output);
    const { rejected } = await server.repeated(() =>
      server.rest('GET /v1/screenings/{id}/rejected', { path: { id }, query: { limit: `${REJECTED_SHOWN}` } }),
    );
    const isComplete = (await incompleteResults(server, id)) === 0;
    await rm(keptFile, { force: true });
    io.out(options.json ? json({ ...ended, output: path.resolve(output), complete: isComplete }) : summary(ended, output));
    if (!options.json)
      io.err(rejectedText(rejected, ended) + (isComplete ? '' : 'Some results are not complete: see the column completeness.\n'));
    if (ended.failed + ended.invalid > 0 || ended.state === 'cancelled' || !isComplete) process.exitCode = EXIT.incomplete;
  } catch (error) {
    io.err(
      error instanceof QuipuError && error.code === 'SCREENING_NOT_FOUND'
        ? `${id} is not on this server, or not of this key. Repeat with --new to start another one.\n`
        : `\n${id} continues on the server. Repeat the command to get its results.\n`,
    );
    throw error;
  }
}

/**
 * Returns the format of the results and the query by which they are downloaded.
 * @throws AppError INVALID_INPUT for an option that the format does not have
 */
function wantedResults({ format: given, rows, language, delimiter }: Options, output: string): { format: Format; query: string } {
  const format = given ?? FORMATS.find((one) => output.endsWith(`.${one}`)) ?? 'csv';
  if (delimiter !== undefined && format !== 'csv') throw invalidInput('delimiter', `A ${format} file has no delimiter: leave it out.`);
  if (format === 'jsonl' && (rows ?? language) !== undefined)
    throw invalidInput('format', 'A jsonl file has results with the codes of the API: choose csv or xlsx for --rows and --language.');
  const chosen = Object.entries({ rows, language, delimiter }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const query = new URLSearchParams(chosen).toString();
  return { format, query: query && `?${query}` };
}

/** @throws AppError INVALID_INPUT if the file belongs to other data than the submitted */
async function readKept(file: string, { url, submitted, startNew }: { url: string; submitted: object; startNew: boolean }): Promise<Kept> {
  const fingerprint = createHash('sha256').update(JSON.stringify(submitted)).digest('hex');
  const text = startNew ? null : await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { url, fingerprint, idempotencyKey: randomUUID(), screeningId: null };
  const kept = keptOrNull(text);
  if (kept?.url !== url || kept.fingerprint !== fingerprint)
    throw invalidInput(
      'file',
      `${file} is of an interrupted screening with another server, file or options${kept?.screeningId ? ` (${kept.screeningId})` : ''}. Repeat that command, or use --new to start another screening.`,
    );
  return kept;
}

function keptOrNull(text: string): Kept | null {
  try {
    return JSON.parse(text) as Kept;
  } catch {
    return null;
  }
}

/** Starts a screening, once per stored idempotency key, and returns its id. */
async function start(server: Server, submitted: Submitted, kept: Kept, keptFile: string): Promise<string> {
  await keep(keptFile, kept);
  const { idempotencyKey } = kept;
  const body = { ...submitted, name: `${submitted.name} #${idempotencyKey.slice(0, 8)}` };
  try {
    const { screening_id } = await server
      .repeated(() => server.rest('POST /v1/screenings', { body, idempotencyKey }))
      .catch((error: unknown) => startedLate(server, body.name, error));
    await keep(keptFile, { ...kept, screeningId: screening_id });
    return screening_id;
  } catch (error) {
    // the start was refused, so there is nothing to continue
    if (error instanceof QuipuError && !error.isRetryable) await rm(keptFile, { force: true });
    throw error;
  }
}

/**
 * Finds a screening whose start took longer than the deadline of the server. The answer to its Idempotency-Key is not stored then, and the
 * screening may appear later.
 * @throws the error of the start for every other failure
 */
async function startedLate(server: Server, name: string, error: unknown): Promise<Pick<Screening, 'screening_id'>> {
  if (!(error instanceof QuipuError && error.code === 'IDEMPOTENCY_ANSWER_NOT_STORED')) throw error;
  const stored = maskCpfs(name);
  return server.repeated(async () => {
    const newest = dataOf(await server.query<Newest>({ query: '{ screenings(first: 50) { nodes { id name } } }' }));
    const found = newest.screenings?.nodes.find((one) => one.name === stored);
    if (found) return { screening_id: found.id };
    throw new QuipuError('IDEMPOTENCY_IN_PROGRESS', `The screening "${name}" is not stored yet.`);
  });
}

interface Newest {
  readonly screenings: { readonly nodes: readonly { readonly id: string; readonly name: string }[] } | null;
}

async function keep(file: string, kept: Kept): Promise<void> {
  try {
    await writeFile(`${file}.new`, JSON.stringify(kept));
    await rename(`${file}.new`, file);
  } catch (error) {
    throw new AppError('INVALID_INPUT', `${file} cannot be written (${(error as NodeJS.ErrnoException).code}): choose another --output.`);
  }
}

/** Shows the progress of a screening until it has ended. */
async function follow(server: Server, id: string, { report, stop }: ProgressReporter): Promise<Screening> {
  try {
    for (;;) {
      const screening = await server.repeated(() => server.rest('GET /v1/screenings/{id}', { path: { id } }));
      const { state, total, done, failed } = screening;
      const isOver = state === 'done' || state === 'cancelled';
      report({ step: id, rows: done + failed, share: isOver || total === 0 ? 1 : (done + failed) / total });
      if (isOver) return screening;
      await sleep(POLL_MS, undefined, { signal: server.signal });
    }
  } finally {
    stop();
  }
}

/** Returns the number of levels of completeness of the results, other than complete. */
async function incompleteResults(server: Server, id: string): Promise<number> {
  const pages = await Promise.all(
    (['partial', 'insufficient'] as const).map((completeness) =>
      server.repeated(() => server.rest('GET /v1/screenings/{id}/results', { path: { id }, query: { limit: '1', completeness } })),
    ),
  );
  return pages.filter(({ results }) => results.length > 0).length;
}

function summary({ screening_id, state, total, done, failed, invalid, duplicates }: Screening, output: string): string {
  const head = ['screening', 'state', 'companies', 'checked', 'failed', 'invalid rows', 'repeated rows', 'results'];
  return tableText(head, [[screening_id, state, ...[total, done, failed, invalid, duplicates].map(String), output]]);
}

function rejectedText(rejected: readonly RejectedRow[], { invalid, duplicates }: Screening): string {
  const more = invalid + duplicates - rejected.length;
  return [...rejected.map(({ row, reason }) => `row ${row}: ${reason}\n`), more > 0 ? `… and ${more} more rows\n` : ''].join('');
}
