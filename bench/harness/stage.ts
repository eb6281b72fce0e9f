import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Pinning } from './machine.ts';
import { type RunningServer, type ServerPlan, startServer } from './server.ts';

/** Where a bench is played: a folder that goes away, and the servers started on it. */
export interface Stage {
  readonly dir: string;
  /** Starts a server on the CPU of the servers, or behind another command prefix. */
  start(plan: ServerPlan, prefix?: readonly string[]): Promise<RunningServer>;
}

/** Runs `play` on a stage and clears it, whatever comes of it and also when interrupted: last started, first stopped. */
export async function onStage<T>({ server: prefix }: Pinning, play: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-'));
  const servers: Promise<RunningServer>[] = [];
  const start = (plan: ServerPlan, behind = prefix) => {
    const server = startServer(plan, behind, dir);
    servers.push(server);
    return server;
  };
  const clear = once(async () => {
    for (const server of servers.toReversed()) {
      const running = await server.catch(() => null); // one that did not start has told so where it was started
      await running?.stop();
    }
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const interrupted = () => void clear().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await play({ dir, start });
  } finally {
    await clear();
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work();
    return result;
  };
}
