import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchFailure } from './bench.ts';

const root = path.resolve(import.meta.dirname, '../..');
const START_MS = 120_000;
const STOP_MS = 20_000;
const POLL_MS = 20;
/** Matches environment variables of the user that the servers do not inherit. `HOST` and `PORT` are set here. */
const NOT_INHERITED = /^(QUIPU_.*|DATABASE_URL|REDIS_URL|LOG_LEVEL|HOST|PORT|NODE_OPTIONS)$/;

/** Options of Node for every server, as in `npm start`. */
export const NODE_ARGUMENTS = ['--v8-pool-size=0', '--no-parallel-scavenge', '--no-allocation-site-pretenuring'];

/** A server that runs as a separate process and listens on the `PORT` and `HOST` of its environment. */
export interface ServerPlan {
  readonly name: string;
  /** Script, relative to the root of the repository. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Path that answers with a status below 500 once the server is ready. */
  readonly readyPath: string;
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** Stops the server: SIGTERM, and SIGKILL after 20 s. */
  stop(): Promise<void>;
}

/**
 * Starts a server and waits until it is ready. `prefix` pins it to a CPU. Its log goes to a file in `logDir`, so that reading the log
 * costs no CPU during the measurement.
 * @throws BenchFailure with the end of the log when the server does not become ready
 */
export async function startServer(
  { name, script, args = [], env, readyPath }: ServerPlan,
  prefix: readonly string[],
  logDir: string,
): Promise<RunningServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = path.join(logDir, `${name.replaceAll(/\W+/g, '-')}.log`);
  const child = spawnLogging([...prefix, process.execPath, ...NODE_ARGUMENTS, script, ...args], log, {
    QUIPU_RECEITA_MODE: 'live', // the benchmarks measure answers of the mirrors, and no import beside them
    ...env,
    PORT: String(port),
    HOST: '127.0.0.1',
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const server = {
    url,
    pid: child.pid ?? 0,
    async stop() {
      await stop(child);
      process.off('exit', kill);
    },
  };
  try {
    await ready(child, url + readyPath);
    return server;
  } catch (error) {
    await server.stop();
    throw new BenchFailure(`${name} ${(error as Error).message}; the end of its log:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
  }
}

function spawnLogging([command = '', ...args]: readonly string[], log: string, env: Readonly<Record<string, string>>): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.test(name));
  const file = openSync(log, 'a');
  try {
    return spawn(command, args, {
      cwd: root,
      env: { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...env },
      stdio: ['ignore', file, file],
      detached: true, // Ctrl-C reaches the benchmark only, which then stops its servers in order
    });
  } finally {
    closeSync(file);
  }
}

const isGone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function ready(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (isGone(child)) throw new Error(`ended with ${child.exitCode ?? child.signalCode} while starting`);
    const status = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      (answer) => answer.status,
      () => null,
    );
    if (status !== null && status < 500) return;
    await delay(POLL_MS);
  }
  throw new Error(`was not ready after ${START_MS / 1_000} s`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (isGone(child)) return;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(force);
}

/** Returns a port that is free now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no free port'))));
    });
  });
}
