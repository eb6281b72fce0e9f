import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** Clock ticks a second in /proc: a constant of Linux. */
const TICKS = 100;

/** Reads the CPU time that processes have used so far, in ms. */
export interface CpuClock {
  /** Of the given processes. */
  workers(pids: readonly number[]): number;
  /** Of Postgres: its main process and all that it has started. */
  postgres(): number;
}

/** The clock of the Postgres of a client that runs on this machine. */
export async function cpuClock(client: pg.Client): Promise<CpuClock> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const main = statOf(rows[0].pid)?.parent ?? 0;
  return {
    workers: (pids) => sum(pids.map((pid) => statOf(pid)?.ownMs ?? 0)),
    postgres() {
      const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
      const children = all.map((name) => statOf(Number(name))).filter((stat) => stat?.parent === main);
      const { ownMs = 0, endedMs = 0 } = statOf(main) ?? {};
      return sum([ownMs, endedMs, ...children.map((stat) => stat?.ownMs ?? 0)]);
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

/** Null for a process that has ended. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number); // from the third field on
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) => fields[at]);
    return { parent, ownMs: ((user + system) * 1_000) / TICKS, endedMs: ((endedUser + endedSystem) * 1_000) / TICKS };
  } catch {
    return null;
  }
}

/** Line of the log of Postgres for a statement with `log_statement`. */
const STATEMENT = /LOG: {2}(statement|execute [^:]+): (?!--)/g;

/** Counts the statements that Postgres executes until the returned function is called, from its log. Logging costs time: no rate is measured meanwhile. */
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
