import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterDir } from './cluster.ts';
import { processOf } from './owner.ts';
import type { Programs } from './programs.ts';

const POLL_MS = 20;
/** Maximum time in ms to start, including the recovery after a crash. */
const READY_MS = 120_000;
const START_TRIES = 20;
const LOG_BYTES = 10 * 1024 * 1024;
/** Range of ports below the ephemeral ports of operating systems. */
const PORTS = [20_000, 32_000] as const;
/** Matches temporary failures: the port is in use, or processes of a killed Postgres still exit. */
const TEMPORARY =
  /Address already in use|could not create any TCP\/IP sockets|pre-existing shared memory block|lock file "[^"]{1,500}" already exists/;
/** Signals, each with the time to wait after it: fast shutdown, immediate shutdown (with recovery at the next start), kill. */
const STEPS = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

/** A running Postgres, according to its pid file. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** A Postgres that this process started. */
export interface OwnPostmaster {
  readonly child: ChildProcess;
  readonly port: number;
  /** Returns its log output since it was started. */
  output(): Promise<string>;
}

/** Returns the Postgres that runs on this folder, or null. A pid file of an ended or other process is ignored. */
export async function runningPostmaster(dataDir: string): Promise<Postmaster | null> {
  const lines = (await readFile(pidFile(dataDir), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const found = pid > 0 ? await processOf(pid) : null;
  if (!found) return null;
  const ours = found.command === null || found.command.includes(` -D ${clusterDir(dataDir)} `);
  return ours ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' } : null;
}

/** Stops the Postgres that a killed owner left running, and removes its pid file. */
export async function clearOrphan(dataDir: string, programs: Programs): Promise<void> {
  const orphan = await runningPostmaster(dataDir);
  if (orphan) await stopPostmaster(orphan.pid, dataDir, programs, async () => (await processOf(orphan.pid)) === null);
  await rm(pidFile(dataDir), { force: true });
}

/**
 * Starts Postgres on a free port of loopback. It runs in a separate session, so that Ctrl-C in a terminal reaches this process only, which
 * stops Postgres after its own work. Resolves when Postgres accepts connections.
 * @throws Error with the log output of Postgres when it does not start
 */
export async function startPostmaster(
  dataDir: string,
  programs: Programs,
  settings: Readonly<Record<string, string>>,
): Promise<OwnPostmaster> {
  for (let attempt = 1; ; attempt += 1) {
    const port = randomInt(...PORTS);
    const own = await spawnPostmaster(dataDir, programs, { ...settings, port: String(port) }, port);
    if (await becomesReady(dataDir, own.child)) return own;
    const output = await own.output();
    if (attempt === START_TRIES || !TEMPORARY.test(output))
      throw new Error(`Postgres did not start in ${dataDir}: ${output.trim() || 'no output'}`);
    await delay(attempt * POLL_MS);
  }
}

/** Stops Postgres by the signals of STEPS, until `isGone`. */
export async function stopPostmaster(pid: number, dataDir: string, programs: Programs, isGone: () => Promise<boolean>): Promise<void> {
  for (const { signal, waitMs } of STEPS) {
    if (process.platform === 'win32')
      await once(programs.spawn('pg_ctl', ['stop', '-D', clusterDir(dataDir), '-m', 'fast'], { stdio: 'ignore' }), 'exit');
    else signalIfRunning(pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if (await isGone()) return;
      await delay(POLL_MS);
    }
  }
}

const pidFile = (dataDir: string): string => path.join(clusterDir(dataDir), 'postmaster.pid');

/** Sends a signal to a process that may have ended. */
export function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function spawnPostmaster(
  dataDir: string,
  programs: Programs,
  settings: Readonly<Record<string, string>>,
  port: number,
): Promise<OwnPostmaster> {
  const logFile = path.join(dataDir, 'postgres.log');
  const size = (await stat(logFile).catch(() => null))?.size ?? 0;
  const log = await open(logFile, size > LOG_BYTES ? 'w' : 'a', 0o600);
  const start = size > LOG_BYTES ? 0 : size;
  try {
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = programs.spawn('postgres', ['-D', clusterDir(dataDir), ...args], {
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    // Stops Postgres if this process exits without stopping it.
    const interrupt = () => child.kill('SIGINT');
    process.once('exit', interrupt);
    child.once('exit', () => process.off('exit', interrupt));
    await once(child, 'spawn');
    return { child, port, output: async () => (await readFile(logFile)).subarray(start).toString('utf8') };
  } finally {
    await log.close();
  }
}

/** Resolves to true when it accepts connections, to false when it has exited. */
async function becomesReady(dataDir: string, child: ChildProcess): Promise<boolean> {
  const deadline = performance.now() + READY_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const running = await runningPostmaster(dataDir);
    if (running?.pid === child.pid && running?.ready) return true;
    if (performance.now() > deadline) child.kill('SIGQUIT');
    await delay(POLL_MS);
  }
  return false;
}
