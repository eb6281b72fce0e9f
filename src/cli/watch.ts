import { readFile, rename, writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { overEventStream } from '../../clients/typescript/src/event-stream.ts';
import { endless, reconnecting, type SubscriptionEvent } from '../../clients/typescript/src/subscription.ts';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { type Io, json } from './run.ts';

interface Options extends ServerOptions {
  readonly after?: string;
  readonly cursorFile?: string;
  readonly monitor?: readonly string[];
  readonly limit?: string;
  readonly json?: boolean;
}

interface Change {
  readonly id: string;
  readonly cursor: string;
  readonly detectedAt: string;
  readonly source: string;
  readonly company: { readonly country: string; readonly formattedIdentifier: string };
  readonly changedFields: readonly {
    readonly field: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly list: string | null;
  }[];
  readonly monitor: { readonly id: string };
}

/** The subscription selects no field that loads data, because it would be counted. */
const QUERY = `subscription ($after: String, $monitorIds: [ID!], $identifiers: [String!]) {
  companyChanged(after: $after, monitorIds: $monitorIds, identifiers: $identifiers) {
    id cursor detectedAt source company { country formattedIdentifier } changedFields { field from to list } monitor { id }
  }
}`;

const HELP = `
Without --after, changes are shown from now on. After a lost connection the command connects again and continues without a
gap; --cursor-file does so across runs.
Exit codes: 0 after --limit changes, 1 refused, 130 ended by Ctrl-C
`;

/** Creates `quipu watch [IDENTIFIER…]`, which prints the changes of watched companies as the server detects them, until Ctrl-C. */
export const watchCommand = (parts: ClientParts): Command =>
  new Command('watch')
    .description("Show the changes of the key's monitors as they are detected, until Ctrl-C")
    .argument('[identifiers...]', 'tax ids of companies; all watched companies by default')
    .option('--monitor <id...>', 'only changes of these monitors, mon_…')
    .option('--after <cursor>', 'first show what came after this cursor')
    .option('--cursor-file <file>', 'continue after the cursor in this file, and keep the latest one there')
    .option('--limit <n>', 'end after this number of changes')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', 'print JSON, one change a line')
    .addHelpText('after', HELP)
    .action((identifiers: readonly string[], options: Options) =>
      runOnServer(parts, options, (server) => watch(server, identifiers, options, parts.io)),
    );

async function watch(server: Server, identifiers: readonly string[], options: Options, io: Io): Promise<void> {
  const { monitor, cursorFile, limit } = options;
  const wanted = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  if (!(wanted >= 1)) throw invalidInput('limit', 'The limit is a whole number above 0.');
  const after = options.after ?? (cursorFile && (await readCursor(cursorFile)));
  const variables = {
    ...(monitor && { monitorIds: monitor }),
    ...(identifiers.length > 0 && { identifiers }),
  };
  let cursor = after || undefined;
  let shown = 0;
  try {
    for await (const { data, id } of events(server, () => ({ ...variables, after: cursor }), io)) {
      if (data) {
        const change = data.companyChanged;
        if (!options.json && shown === 0) io.out(line(['DETECTED', 'COMPANY', 'SOURCE', 'CHANGE']));
        io.out(options.json ? json(change) : line(cellsOf(change)));
        if (cursorFile) await keepCursor(cursorFile, change.cursor);
        shown += 1;
        if (shown >= wanted) return;
      }
      cursor = id ?? cursor;
    }
  } finally {
    if (cursor && !cursorFile && server.signal.aborted) io.err(`\nTo continue: quipu watch --after ${cursor}\n`);
  }
}

/** Yields changes without end. It connects again after retryable errors, with the current variables. @throws QuipuError */
function events(server: Server, variables: () => object, io: Io): AsyncIterable<SubscriptionEvent<{ companyChanged: Change }>> {
  let isConnected = false;
  const { client, signal, url, sentenceOf } = server;
  function onOpen(): void {
    if (!isConnected) io.err(`Watching on ${url}. Ctrl-C ends.\n`);
    isConnected = true;
  }
  function onRetry(error: QuipuError): void {
    if (!isConnected && error.status === undefined) throw error; // the server never answered, so the address is probably wrong
    io.err(`${sentenceOf(error)} Connecting again.\n`);
  }
  return reconnecting(
    () => endless(overEventStream<{ companyChanged: Change }>(client, { query: QUERY, variables: { ...variables() } }, { signal, onOpen })),
    { signal, onRetry },
  );
}

/** Widths of the columns. They are fixed, because changes come one by one and a table cannot be measured. */
const WIDTHS = [25, 21, 17, 0];

const line = (cells: readonly string[]): string => `${cells.map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0)).join('  ')}\n`;

const cellsOf = ({ detectedAt, company, source, changedFields }: Change): readonly string[] => [
  detectedAt,
  `${company.country} ${company.formattedIdentifier}`,
  source,
  changedFields.map(({ field, from, to, list }) => `${field}${list ? ` ${list}` : ''}: ${from ?? '–'} → ${to ?? '–'}`).join('; '),
];

/** Reads a cursor from a file; empty if there is no file. @throws AppError INVALID_INPUT for a file that cannot be read */
const readCursor = async (file: string): Promise<string> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw invalidInput('cursor-file', `${file} cannot be read (${error.code}).`);
    },
  );

async function keepCursor(file: string, cursor: string): Promise<void> {
  try {
    await writeFile(`${file}.new`, `${cursor}\n`);
    await rename(`${file}.new`, file);
  } catch (error) {
    throw invalidInput('cursor-file', `${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}
