import { spawnSync } from 'node:child_process';
import { treeOf } from './cpu-time.ts';
import type { Pinning } from './machine.ts';

/** The CPUs on which the processes of a run may execute. */
export interface Placement {
  readonly name: 'pinned' | 'unpinned';
  /** Command prefix of the load generator. */
  readonly load: readonly string[];
  /** Moves running servers, and the processes that they have started, to the CPUs of this placement. */
  apply(servers: readonly number[]): void;
}

/**
 * Returns the placements in which servers are compared. *Pinned*: a server and its Postgres share one CPU, and the load generator has
 * another, so a rate follows from the CPU time of a request. *Unpinned*: all may use every CPU, as for users, whose Postgres runs beside
 * their server or on another machine. Where nothing can be pinned, only the second one exists.
 */
export function placementsOf({ cpus, load }: Pinning): readonly Placement[] {
  if (!cpus) return [{ name: load.length > 0 ? 'pinned' : 'unpinned', load, apply: () => undefined }];
  return [
    { name: 'pinned', load, apply: (servers) => move(servers, cpus.server) },
    { name: 'unpinned', load: [], apply: (servers) => move(servers, cpus.all) },
  ];
}

/** Moves the processes, and those that they have started, to a list of CPUs. A process that has ended meanwhile is left out. */
function move(servers: readonly number[], cpus: string): void {
  for (const pid of new Set(servers.flatMap((server) => treeOf(server))))
    spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cpus, String(pid)]);
}
