import { userInfo } from 'node:os';
import { domainToASCII, domainToUnicode } from 'node:url';
import Table from 'cli-table3';
import { parseEmailAddress } from '../domain/email-address.ts';
import { AppError, invalidInput } from '../domain/errors.ts';

/** Exit codes of commands; 0 is success. `docs/cli.md` describes them. */
export const EXIT = {
  /** The command did not do its work. */
  failed: 1,
  /** A company has a finding (`check`). */
  finding: 2,
  /** Some companies could not be checked completely. */
  incomplete: 3,
  /** The command was ended by SIGINT or SIGTERM. */
  interrupted: 130,
} as const;

/** The output of a command: its result and its errors. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the work of a command on its store, by `runOn`. */
export type Act<S> = (work: (open: () => Promise<S>) => Promise<string>) => Promise<void>;

/**
 * Runs a command: prints the text that `work` returns to `io.out`, or the message of an AppError to `io.err` with exit code 1.
 * `work` opens the store when it needs it, after it has read its arguments. The store is closed before anything is printed.
 */
export async function runOn<S extends { close(): Promise<void> }>(
  openStore: () => Promise<S>,
  io: Io,
  work: (open: () => Promise<S>) => Promise<string>,
): Promise<void> {
  let store: S | undefined;
  try {
    const text = await work(async () => {
      store = await openStore();
      return store;
    }).finally(() => store?.close());
    io.out(text);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${error.message}\n`);
    process.exitCode = EXIT.failed;
  }
}

/** Returns the user who runs the command, as the audit log names them. */
export function operator(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    return 'operator'; // a user in a container may have no name
  }
}

/** @throws AppError INVALID_INPUT for an invalid e-mail address */
export function readEmail(text: string): string {
  if (!parseEmailAddress(text, { toAscii: domainToASCII, toUnicode: domainToUnicode }))
    throw invalidInput('email', `"${text}" is no e-mail address.`);
  return text;
}

export const JSON_HELP = 'print JSON';

/** Returns a value as one line of JSON. */
export const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Cells have no borders. Columns are separated by two blanks, so that the output suits `grep` and `awk`. */
const BORDERS = Object.fromEntries(
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid'
    .split(' ')
    .map((part) => [part, '']),
);

/** Formats rows of cells as lines with aligned columns under their names. A list of facts has no names. */
export function tableText(head: readonly string[] | null, rows: readonly (readonly string[])[]): string {
  const table = new Table({
    ...(head && { head: head.map((name) => name.toUpperCase()) }),
    chars: { ...BORDERS, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** @throws AppError INVALID_INPUT for a text that is none of the known ones, in any letter case */
export function readOne<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find((one) => one.toLowerCase() === text.toLowerCase());
  if (!found) throw invalidInput(name, `There is no ${name} "${text}". There are: ${known.join(', ')}.`);
  return found;
}
