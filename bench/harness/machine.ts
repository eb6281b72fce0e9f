import { spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import os from 'node:os';

/** Command prefixes that pin the servers and the load generator to different CPUs; empty if pinning is impossible. */
export interface Pinning {
  readonly server: readonly string[];
  readonly load: readonly string[];
  /** The CPUs by which servers are moved between placements, as lists of the kernel; absent if pinning is impossible. */
  readonly cpus?: { readonly server: string; readonly all: string };
  /** Description for the report. */
  readonly note: string;
}

/** The machine, on which the results depend. */
export interface Machine {
  /** ISO date and time of the run's start. */
  readonly at: string;
  /** Commit of the measured code, with "and changes" if files differ from it; "unknown" outside a repository. */
  readonly commit: string;
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly pinning: string;
  /** One-minute load average before the run. Well above 0, other processes distort the results. */
  readonly loadAverage: number;
  /** True if data folders are in memory. Commits and writes to the journal then cost less than on a disk. */
  readonly isInMemory: boolean;
}

/** Type of a file system in memory, by statfs(2). */
const TMPFS = 0x01021994;

/** Returns the CPUs of a kernel list such as `0-3,8`. */
export function cpusOf(list: string): readonly number[] {
  return [...list.matchAll(/(\d+)(?:-(\d+))?/g)].flatMap(([, first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i),
  );
}

/** Chooses one CPU for the servers and another for the load generator, among those that this process may use. */
export function findPinning(): Pinning {
  const unpinned = (why: string): Pinning => ({
    server: [],
    load: [],
    note: `not pinned (${why}): servers and load generator share the CPUs`,
  });
  if (spawnSync('taskset', ['--version']).status !== 0) return unpinned('no taskset here');
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const [server, load] = cpusOf(allowed);
  if (server === undefined || load === undefined) return unpinned('one CPU only');
  const on = (cpu: number) => ['taskset', '--cpu-list', String(cpu)];
  const cpus = { server: String(server), all: allowed };
  return { server: on(server), load: on(load), cpus, note: `servers on CPU ${server}, load generator on CPU ${load}` };
}

export const describeMachine = ({ note }: Pinning): Machine => ({
  at: new Date().toISOString(),
  commit: describeCommit(),
  cpu: os.cpus()[0]?.model ?? 'unknown',
  cores: os.availableParallelism(),
  node: process.version,
  pinning: note,
  loadAverage: os.loadavg()[0] ?? 0,
  isInMemory: statfsSync(os.tmpdir()).type === TMPFS,
});

/**
 * Describes the commit. Changes of docs are ignored, because one benchmark may have written its results to docs/benchmarks.md before the
 * next one runs.
 */
function describeCommit(): string {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', '--short', 'HEAD');
  if (status !== 0) return 'unknown';
  const hasChanges = git('status', '--porcelain', '--', ':/', ':!/docs').stdout.trim() !== '';
  return hasChanges ? `${stdout.trim()} and changes` : stdout.trim();
}
