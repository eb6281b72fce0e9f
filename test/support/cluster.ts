import { dataFolder, type Run, run } from './process.ts';

/** Processes of the service on one database, any of which may be killed. */
export interface Cluster {
  /** Where one of them answers; the port changes when it is started again. */
  url(which: number): string;
  killAndRestart(which: number): Promise<void>;
}

export async function startCluster(size: number, env: Readonly<Record<string, string>>): Promise<Cluster> {
  const start = async () => {
    const process = run('src/main.ts', [], { ...env, QUIPU_DATA_DIR: await dataFolder() });
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
