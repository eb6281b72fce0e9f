import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { cpuMsOf, parentOf, postgresCpuMs } from '../harness/cpu-time.ts';

/** Reads the CPU time that processes have used so far, in ms. */
export interface CpuClock {
  /** Returns the CPU time of the given processes. */
  workers(pids: readonly number[]): number;
  /** Returns the CPU time of Postgres: its main process and all processes that it has started. */
  postgres(): number;
}

/** Creates the clock for the Postgres of a client that runs on this machine. */
export async function cpuClock(client: pg.Client): Promise<CpuClock> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const main = parentOf(rows[0].pid);
  return {
    workers: (pids) => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    postgres: () => postgresCpuMs(main),
  };
}

/** Matches the log line of a statement with `log_statement`. */
const STATEMENT = /LOG: {2}(statement|execute [^:]+): (?!--)/g;

/**
 * Counts the statements that Postgres executes until the returned function is called, from its log. Logging costs time, so no rate is
 * measured meanwhile.
 */
export async function countStatements(client: pg.Client, logFile: string): Promise<() => Promise<number>> {
  await client.query("ALTER SYSTEM SET log_statement = 'all'");
  await client.query('SELECT pg_reload_conf()');
  const before = readFileSync(logFile, 'utf8').length;
  return async () => {
    await client.query('ALTER SYSTEM RESET log_statement');
    await client.query('SELECT pg_reload_conf()');
    return [...readFileSync(logFile, 'utf8').slice(before).matchAll(STATEMENT)].length;
  };
}
