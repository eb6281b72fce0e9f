import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchFailure } from '../harness/bench.ts';
import { built } from '../harness/built.ts';
import { treeOf } from '../harness/cpu-time.ts';
import { query } from '../imports/postgres.ts';

/** A way in which Postgres is away. */
export interface Outage {
  readonly name: string;
  begin(): Promise<void>;
  /** Resolves when Postgres accepts connections again. */
  end(): Promise<void>;
}

const POLL_MS = 50;
/** Maximum time for Postgres to stop, and to start. */
const PATIENCE_MS = 60_000;

/** Reads the id of the main process of the Postgres of a data folder. */
export const mainProcess = (dataDir: string): number =>
  Number.parseInt(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);

/** Stops every process of Postgres by SIGSTOP: connections stay open, and nothing answers, as if the network were cut. */
export function frozen(dataDir: string): Outage {
  let stopped: readonly number[] = [];
  const thaw = () => {
    for (const pid of stopped) signal(pid, 'SIGCONT');
    stopped = [];
  };
  return {
    name: 'frozen',
    async begin() {
      process.once('exit', thaw); // an interrupt must not leave processes that no signal ends
      const main = mainProcess(dataDir);
      stopped = [main];
      signal(main, 'SIGSTOP'); // first, so that it starts no further process
      stopped = treeOf(main);
      for (const pid of stopped) signal(pid, 'SIGSTOP');
    },
    async end() {
      thaw();
      process.off('exit', thaw);
    },
  };
}

/** Stops Postgres, which ends its connections and refuses new ones, and starts it again on the same port. */
export function restarted(dataDir: string, url: string): Outage & { stop(): Promise<void> } {
  /** Arguments of the Postgres that was stopped, which contain its port. */
  let commandLine: readonly string[] = [];
  const stop = async () => {
    const main = mainProcess(dataDir);
    signal(main, 'SIGINT'); // a fast shutdown
    await until('Postgres did not stop', () => !existsSync(`/proc/${main}`) || isEnded(main));
  };
  return {
    name: 'stopped',
    stop,
    async begin() {
      commandLine = readFileSync(`/proc/${mainProcess(dataDir)}/cmdline`, 'utf8')
        .split('\0')
        .slice(1, -1);
      await stop();
    },
    async end() {
      const { findPrograms } = await built<typeof import('../../src/db/embedded/programs.ts')>('src/db/embedded/programs');
      const child = (await findPrograms(dataDir)).spawn('postgres', commandLine, { detached: true, stdio: 'ignore' });
      child.unref();
      await once(child, 'spawn');
      await until('Postgres did not start', () => query(url, 'SELECT 1').then(Boolean, () => false));
    },
  };
}

/** True for a process that has ended and whose parent has not noticed yet. */
const isEnded = (pid: number): boolean => /^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

async function until(failure: string, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new BenchFailure(`${failure} within ${PATIENCE_MS / 1_000} s`);
    await delay(POLL_MS);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
