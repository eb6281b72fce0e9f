import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { needs } from './needs.ts';
import { atPort } from './ports.ts';

/** Environment without faketime, with which test/dates.sh runs the tests, because redis-server hangs at its start under it. */
const env = { ...process.env, LD_PRELOAD: undefined };

/** True when redis-server is installed. Without it, tests that need it are skipped; `.ci/run` fails instead. */
export const hasRedis = spawnSync('redis-server', ['--version'], { env }).status === 0;
export const needsRedis = needs(hasRedis, 'redis-server is not installed');

/** An empty Redis on a free port. A test can kill and restart it. */
export interface TestRedis {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops the process (SIGSTOP) with its connections open; `thaw` continues it. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

export async function testRedis(): Promise<TestRedis> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-redis-'));
  let child: ChildProcess | null = null;

  async function start(port: number): Promise<void> {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'];
    const started = spawn('redis-server', args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    child = started;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      started.stdout.on('data', (text) => {
        said += text;
        if (/Ready to accept connections/.test(said)) resolve();
      });
      started.once('close', (status) => {
        const code = /Address already in use/.test(said) ? 'EADDRINUSE' : 'REDIS_ENDED';
        reject(Object.assign(new Error(`redis-server ended with ${status}`), { code }));
      });
    });
  }

  async function kill(): Promise<void> {
    const running = child;
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()));
    running.kill('SIGKILL');
    await gone;
  }

  const port = await atPort(async (candidate) => {
    await start(candidate);
    return candidate;
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    start: () => start(port),
    kill,
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async close() {
      await kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Starts a Redis for one test. */
export async function redisOfTest(): Promise<TestRedis> {
  const server = await testRedis();
  onTestFinished(() => server.close());
  return server;
}
