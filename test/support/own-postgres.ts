import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { clusterDir } from '../../src/db/embedded/cluster.ts';
import { signalIfRunning } from '../../src/db/embedded/postmaster.ts';
import { findPrograms } from '../../src/db/embedded/programs.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { memoryLog } from './log.ts';
import { dataFolder } from './process.ts';
import { until } from './until.ts';

/** A Postgres of one test, with the settings of production: a commit is on disk before it is acknowledged. */
export interface OwnPostgres {
  readonly url: string;
  /** Sends SIGKILL to the main process of Postgres, which ends all others. */
  kill(): Promise<void>;
  /** Suspends all processes (SIGSTOP): connections stay open, and nothing is answered. */
  suspend(): Promise<void>;
  /** Resumes them (SIGCONT). */
  resume(): Promise<void>;
  /** Ends all processes at once, without an orderly end. */
  stop(): Promise<void>;
  /** Starts it, or ends it at once and starts it again, on the same port. */
  restart(): Promise<void>;
}

export async function ownPostgres(): Promise<OwnPostgres> {
  const dataDir = await dataFolder();
  const embedded = await startEmbedded(dataDir, { log: memoryLog().log });
  const programs = await findPrograms(dataDir);
  const control = async (command: 'restart' | 'stop'): Promise<boolean> => {
    const args = [command, '-D', clusterDir(dataDir), '-m', 'immediate', '-w', ...(command === 'restart' ? ['-l', '/dev/null'] : [])];
    return (await once(programs.spawn('pg_ctl', args, { stdio: 'ignore' }), 'exit'))[0] === 0;
  };
  const stop = () => until(() => control('stop'));
  const mainProcess = async (): Promise<number> =>
    Number((await readFile(path.join(clusterDir(dataDir), 'postmaster.pid'), 'utf8')).split('\n')[0]);
  /** Sends a signal to the main process, which then starts no others, and to those of its children that have not ended. */
  const signalAll = async (signal: NodeJS.Signals): Promise<void> => {
    const main = await mainProcess();
    process.kill(main, signal);
    const children = (await readFile(`/proc/${main}/task/${main}/children`, 'utf8')).split(' ').filter(Boolean);
    // A child, such as an autovacuum worker, may have ended since.
    for (const child of children) signalIfRunning(Number(child), signal);
  };
  onTestFinished(async () => {
    await signalAll('SIGCONT').catch(() => undefined); // it may have ended
    await control('stop');
    await embedded.stop();
  });
  return {
    url: embedded.url,
    stop,
    // Postgres does not start while processes of the killed one are still exiting.
    restart: () => until(() => control('restart')),
    kill: async () => void process.kill(await mainProcess(), 'SIGKILL'),
    suspend: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
  };
}
