import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import { SECOND_MS } from '../domain/time.ts';
import {
  type ClientParts,
  type GraphqlError,
  keyOption,
  runOnServer,
  type Server,
  ServerError,
  type ServerOptions,
  urlOption,
} from './client.ts';
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

interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Selects no field that loads data, which would be counted. */
const QUERY = `subscription ($after: String, $monitorIds: [ID!], $identifiers: [String!]) {
  companyChanged(after: $after, monitorIds: $monitorIds, identifiers: $identifiers) {
    id cursor detectedAt source company { country formattedIdentifier } changedFields { field from to list } monitor { id }
  }
}`;

const MAX_PAUSE_MS = 30 * SECOND_MS;
/** Characters of one event. */
const MAX_EVENT = 1024 * 1024;

const HELP = `
Without --after, changes are shown from now on. After a lost connection the command connects again and continues without a
gap; --cursor-file does so across runs.
Exit codes: 0 after --limit changes, 1 refused, 130 ended by Ctrl-C
`;

/** `quipu watch [IDENTIFIER…]`: prints the changes of watched companies as the server detects them, until Ctrl-C. */
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
  const position = { cursor: after || undefined };
  let shown = 0;
  try {
    for await (const change of changes(server, variables, position, io)) {
      if (!options.json && shown === 0) io.out(line(['DETECTED', 'COMPANY', 'SOURCE', 'CHANGE']));
      io.out(options.json ? json(change) : line(cellsOf(change)));
      if (cursorFile) await keepCursor(cursorFile, change.cursor);
      shown += 1;
      if (shown >= wanted) return;
    }
  } finally {
    if (position.cursor && !cursorFile && server.signal.aborted) io.err(`\nTo continue: quipu watch --after ${position.cursor}\n`);
  }
}

/** Yields changes without end. Connects again after failures that pass, and continues after the last cursor. @throws ServerError */
async function* changes(server: Server, variables: object, position: { cursor: string | undefined }, io: Io): AsyncGenerator<Change> {
  let connected = false;
  for (let failures = 0; ; failures += 1) {
    let cause = new ServerError('The server ended the connection.');
    try {
      for await (const { name, id, data } of await connect(server, { ...variables, after: position.cursor })) {
        if (!connected) io.err(`Watching on ${server.url}. Ctrl-C ends.\n`);
        connected = true;
        failures = 0;
        const change = name === 'next' ? changeOf(data) : null;
        if (change) yield change;
        position.cursor = id ?? position.cursor;
      }
    } catch (error) {
      if (server.signal.aborted || !(error instanceof ServerError) || !error.passes) throw error;
      if (!connected && error.status === null) throw error; // a server that never answered: most likely a wrong address
      cause = error;
    }
    const pauseMs = Math.min(SECOND_MS * 2 ** failures, MAX_PAUSE_MS) * (0.5 + Math.random() / 2);
    io.err(`${cause.message} Connecting again.\n`);
    await sleep(Math.max(pauseMs, cause.retryAfterMs), undefined, { signal: server.signal });
  }
}

async function connect(server: Server, variables: object): Promise<AsyncIterable<ServerEvent>> {
  const body = { query: QUERY, variables };
  return eventsOf(await server.stream('/graphql', { method: 'POST', body, headers: { accept: 'text/event-stream' } }), server.signal);
}

/** Reads the events of a stream; a comment is an event without a name. @throws ServerError when the connection is lost */
async function* eventsOf(stream: Readable, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of stream) {
      text += decoder.decode(chunk as Buffer, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      if (text.length > MAX_EVENT) throw new ServerError('The server sent an event that is too large.', { status: 400 });
      yield* blocks.map(readEvent);
    }
  } catch (error) {
    throw signal.aborted || error instanceof ServerError ? error : new ServerError('The connection was lost.', { cause: error });
  } finally {
    stream.destroy();
  }
}

function readEvent(block: string): ServerEvent {
  const fields = new Map([...block.matchAll(/^(\w+): ?(.*)$/gm)].map(([, field = '', value = '']) => [field, value]));
  return { name: fields.get('event') ?? '', id: fields.get('id'), data: fields.get('data') ?? '' };
}

/** @throws ServerError for an answer without a change */
function changeOf(data: string): Change {
  const { data: result, errors = [] } = JSON.parse(data) as { data?: { companyChanged?: Change }; errors?: readonly GraphqlError[] };
  if (result?.companyChanged) return result.companyChanged;
  const [{ message, extensions: { code = '', cursor, retryAfterSeconds = 0 } = {} } = { message: 'The server sent no change.' }] = errors;
  const advice = code === 'CURSOR_TOO_OLD' && cursor ? ` Continue with: --after ${cursor}` : '';
  throw new ServerError(`${message}${advice}`, { code: code.toLowerCase(), status: 200, retryAfterMs: retryAfterSeconds * SECOND_MS });
}

/** Widths of the columns: changes come one by one, so that a table cannot be measured. */
const WIDTHS = [25, 21, 17, 0];

const line = (cells: readonly string[]): string => `${cells.map((cell, i) => cell.padEnd(WIDTHS[i] ?? 0)).join('  ')}\n`;

const cellsOf = ({ detectedAt, company, source, changedFields }: Change): readonly string[] => [
  detectedAt,
  `${company.country} ${company.formattedIdentifier}`,
  source,
  changedFields.map(({ field, from, to, list }) => `${field}${list ? ` ${list}` : ''}: ${from ?? '–'} → ${to ?? '–'}`).join('; '),
];

/** @throws AppError INVALID_INPUT for a file that cannot be read; a missing one is empty */
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
