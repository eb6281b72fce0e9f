import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Number of clock ticks a second in /proc, which is a constant of Linux. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a process has used so far, in ms; 0 for a process that has ended, and without /proc. */
export const cpuMsOf = (pid: number): number => statOf(pid)?.ownMs ?? 0;

/**
 * Returns the CPU time that a Postgres has used so far, in ms: its main process and all processes that it has started, including ended
 * ones.
 */
export const postgresCpuMs = (main: number): number => treeCpuMs(main);

/**
 * Returns the CPU time that a process and all processes that it has started have used so far, in ms, including ended ones. The process
 * `except` is left out with those that it has started.
 */
export const treeCpuMs = (root: number, except?: number | null): number =>
  treeOf(root, except).reduce((sum, pid) => {
    const { ownMs = 0, endedMs = 0 } = statOf(pid) ?? {};
    return sum + ownMs + endedMs;
  }, 0);

/** Returns a process and the running processes that it has started, directly or not, without `except` and those that this has started. */
export function treeOf(root: number, except?: number | null): readonly number[] {
  if (!existsSync('/proc')) return [root];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(pids.map(Number), parentOf);
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []).filter((child) => child !== except));
  return tree;
}

/** Returns the id of the process that started a process; 0 if it has ended. */
export const parentOf = (pid: number): number => statOf(pid)?.parent ?? 0;

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  /** CPU time of children that have ended. */
  readonly endedMs: number;
}

/** Reads `/proc/<pid>/stat` (proc_pid_stat(5)); null for a process that has ended. */
function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number); // fields from the third one on
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) => fields[at]);
    return { parent, ownMs: ((user + system) * 1_000) / TICKS_PER_SECOND, endedMs: ((endedUser + endedSystem) * 1_000) / TICKS_PER_SECOND };
  } catch {
    return null;
  }
}
