import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Pinning } from './machine.ts';
import { type RunningServer, type ServerPlan, startServer } from './server.ts';

/** Resources of one benchmark: a temporary folder and its servers. */
export interface Stage {
  readonly dir: string;
  /** Starts a server, pinned to the CPU of the servers if no other command prefix is given. */
  start(plan: ServerPlan, prefix?: readonly string[]): Promise<RunningServer>;
}

/**
 * Runs `work` with a temporary folder, then stops the servers in reverse order and deletes the folder, also after an error, SIGINT or
 * SIGTERM.
 */
export async function onStage<T>({ server: prefix }: Pinning, work: (stage: Stage) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'quipu-bench-'));
  const servers: Promise<RunningServer>[] = [];
  const start = (plan: ServerPlan, commandPrefix = prefix) => {
    const server = startServer(plan, commandPrefix, dir);
    servers.push(server);
    return server;
  };
  const cleanUp = once(async () => {
    for (const server of servers.toReversed()) {
      const running = await server.catch(() => null); // a failed start was reported to the caller of start
      await running?.stop();
    }
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  const interrupted = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work({ dir, start });
  } finally {
    await cleanUp();
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
