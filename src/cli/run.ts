import { userInfo } from 'node:os';
import { AppError } from '../domain/errors.ts';
import { isoWithOffset } from '../domain/time.ts';
import type { Io } from './lists.ts';

/**
 * Runs the work of a command: what it returns is said on `io.out`; what cannot be done on `io.err` in one line, with exit code 1.
 * Opens the store only when the work asks for it, and closes it before anything is said.
 */
export async function runOn<S extends { close(): Promise<void> }>(
  openStore: () => Promise<S>,
  io: Io,
  work: (open: () => Promise<S>) => Promise<string>,
): Promise<void> {
  let store: S | undefined;
  try {
    const said = await work(async () => {
      store = await openStore();
      return store;
    }).finally(() => store?.close());
    io.out(said);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.err(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Who runs the command, as the audit log names them. */
export function operator(): string {
  try {
    return `operator ${userInfo().username}`;
  } catch {
    return 'operator'; // a container's user need not have a name
  }
}

export const JSON_HELP = 'print JSON';

export const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

export const moment = (ms: number | null): string | null => (ms === null ? null : isoWithOffset(ms));

/** Rows of cells → lines whose columns stand below one another. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
