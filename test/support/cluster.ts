import { dataFolder, type Run, run } from './process.ts';

/** Service processes on one database. A test can kill each of them. */
export interface Cluster {
  /** Base URL of a process; its port changes with a restart. */
  url(which: number): string;
  killAndRestart(which: number): Promise<void>;
}

export async function startCluster(size: number, env: Readonly<Record<string, string>>): Promise<Cluster> {
  const usageDir = await dataFolder(); // shared, so that the usage of a killed process is drained by the others
  const start = async () => {
    const process = run('src/main.ts', [], { QUIPU_USAGE_DIR: usageDir, ...env, QUIPU_DATA_DIR: await dataFolder() });
    const [, url = ''] = await process.printed(/answers at (\S+)/);
    return { process, url };
  };
  const all: { process: Run; url: string }[] = [];
  while (all.length < size) all.push(await start());
  return {
    url: (which) => all[which]?.url ?? '',
    async killAndRestart(which) {
      all[which]?.process.child.kill('SIGKILL');
      await all[which]?.process.ended;
      all[which] = await start();
    },
  };
}
