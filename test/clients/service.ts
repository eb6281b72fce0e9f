import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { fastTempFolder } from '../support/temp-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Base URL of the running service. */
    url: string;
    /** An API key with all modules. */
    key: string;
    /** Base URL of the simulated upstreams. */
    sandbox: string;
    /** Data folder of the service. */
    dataFolder: string;
  }
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const KEY = 'sk_third_party_clients';

/** Starts the compiled service in the sandbox, on free ports and with a data folder of its own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { build } = project.getProvidedContext();
  const folder = await mkdtemp(path.join(fastTempFolder(), 'quipu-clients-'));
  const service = spawn(process.execPath, [path.join(build, 'src/main.js')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      QUIPU_DATA_DIR: folder,
      QUIPU_BOOTSTRAP_KEY: KEY,
      QUIPU_TENDERS_MONTHS: '2',
      QUIPU_RECEITA_MODE: 'live',
      QUIPU_FEDERATION: 'true',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => service.once('exit', resolve));
  const [, url = '', sandbox = ''] = await new Promise<RegExpMatchArray>((resolve, reject) => {
    let printed = '';
    service.stdout.on('data', (chunk) => {
      printed += chunk;
      const banner = /answers at (\S+)[\s\S]*world at (\S+)[\s\S]*Explorer:/.exec(printed);
      if (banner) resolve(banner);
    });
    void ended.then(() => reject(new Error(`the service ended before it answered: ${printed}`)));
  });
  project.provide('url', url);
  project.provide('key', KEY);
  project.provide('sandbox', sandbox);
  project.provide('dataFolder', folder);
  return async () => {
    service.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
}
