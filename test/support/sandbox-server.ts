import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { endRun, run, startRun } from './process.ts';

/** Settings of a command. */
type Env = Readonly<Record<string, string>>;

/** A server process in the sandbox, for the commands that people run beside one. */
export interface SandboxServer {
  readonly url: string;
  readonly sandboxUrl: string;
  readonly demoKey: string;
  /** Settings of a command on the machine of the server. */
  readonly env: Env;
  /** Runs `quipu …` to its end, with the settings of the server by default. */
  quipu(args: readonly string[], env?: Env): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
  /** Applies a fault to an upstream until the test ends. */
  fail(source: string, fault: object): Promise<void>;
  close(): Promise<void>;
}

/** @param settings additional settings of the server */
export async function startSandboxServer(settings: Env = {}): Promise<SandboxServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-commands-'));
  const server = startRun('src/main.ts', [], {
    PORT: '0',
    QUIPU_DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    QUIPU_MONITOR_INTERVAL: '2s',
    ...settings,
  });
  const [, url = ''] = await server.printed(/answers at (\S+)[\s\S]*Explorer:/);
  const [, sandboxUrl = ''] = await server.printed(/made-up world at (\S+)/);
  const env = { QUIPU_DATA_DIR: folder, PORT: new URL(url).port };
  return {
    url,
    sandboxUrl,
    demoKey: (await readFile(path.join(folder, 'demo.key'), 'utf8')).trim(),
    env,
    async quipu(args, given = env) {
      const { ended, out, err } = run('src/cli.ts', args, given);
      return { code: await ended, out: out(), err: err() };
    },
    async fail(source, fault) {
      const at = `${sandboxUrl}/_control/faults/${source}`;
      await fetch(at, { method: 'PUT', body: JSON.stringify(fault) });
      onTestFinished(async () => void (await fetch(at, { method: 'DELETE' })));
    },
    async close() {
      await endRun(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts the server before the tests of a file, and ends it after them. Only tests may use the result.
 * @param settings additional settings of the server
 */
export function sandboxServer(settings: Env = {}): Omit<SandboxServer, 'close'> {
  let server: SandboxServer;
  beforeAll(async () => {
    server = await startSandboxServer(settings);
  }, 60_000);
  afterAll(() => server.close());
  return {
    get url() {
      return server.url;
    },
    get sandboxUrl() {
      return server.sandboxUrl;
    },
    get demoKey() {
      return server.demoKey;
    },
    get env() {
      return server.env;
    },
    quipu: (args, env) => server.quipu(args, env),
    fail: (source, fault) => server.fail(source, fault),
  };
}
