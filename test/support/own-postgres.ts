import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { clusterDir } from '../../src/db/embedded/cluster.ts';
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
  onTestFinished(async () => {
    await control('stop');
    await embedded.stop();
  });
  return {
    url: embedded.url,
    stop,
    // Postgres does not start while processes of the killed one are still exiting.
    restart: () => until(() => control('restart')),
    async kill() {
      const [pid] = (await readFile(path.join(clusterDir(dataDir), 'postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
  };
}
