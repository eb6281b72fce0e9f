import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Knex } from 'knex';
import { until } from '../../support/until.ts';

const CHILD = path.join(import.meta.dirname, 'import-child.ts');

/** An import in a process of its own. */
export interface ImportProcess {
  readonly url: string;
  readonly folder: string;
  readonly origin: string;
}

/**
 * Runs an import in a process of its own.
 * @param onReport receives each progress report, such as `Empresas0 0.5`, and a function that kills the process at once
 * @returns true if the process was killed before its import ended
 */
export async function importInProcess(
  { url, folder, origin }: ImportProcess,
  onReport: (report: string, kill: () => void) => void,
): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, url, folder, origin], { stdio: ['ignore', 'pipe', 'inherit'] });
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onReport(line, () => child.kill('SIGKILL'));
  });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`the import ended with ${code ?? signal}`);
  return signal === 'SIGKILL';
}

/** Waits until no import has its lock. Postgres notices the end of a connection when its statement ends. */
export const importsEnded = (knex: Knex): Promise<void> =>
  until(async () => {
    const { rows } = await knex.raw(
      `SELECT count(*)::int AS n FROM pg_locks
       WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows[0].n === 0;
  });
