import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { processOf } from '../../src/db/embedded/owner.ts';
import { runningPostmaster } from '../../src/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { memoryLog } from '../support/log.ts';
import { nodeArguments } from '../support/process.ts';

const OWNER = path.join(import.meta.dirname, 'owner-process.ts');

export const { log } = memoryLog();

/** Data folder of the current test: new for each test; processes that it leaves running are stopped. */
export let dataDir: string;
let programs: ChildProcess[];

export function freshDataFolder(): void {
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'quipu-embedded-'));
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await (await startEmbedded(dataDir, { log }).catch(() => null))?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function postmasterPid(): Promise<number> {
  const running = await runningPostmaster(dataDir);
  if (!running) throw new Error('no Postgres runs on this folder');
  return running.pid;
}

/** False for a process that ended, also while it is a zombie. */
export const alive = async (pid: number): Promise<boolean> => (await processOf(pid)) !== null;

/** Starts another program that owns the folder; owner-process.ts describes its output. */
export async function startOwner(mode = 'idle') {
  const child = spawn(process.execPath, [...nodeArguments(OWNER), dataDir, mode], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(child);
  const said: string[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => said.push(line));
  const closed = once(lines, 'close');
  await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => Promise.reject(new Error('the owner did not start')))]);
  return {
    child,
    said,
    url: said[0] ?? '',
    async die(signal: NodeJS.Signals) {
      child.kill(signal);
      await closed;
    },
  };
}
