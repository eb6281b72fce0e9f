import type { Logger } from 'pino';
import type { RunningSandbox } from '../../sandbox/index.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../domain/time.ts';

/** Starts the sandbox. It imports the simulator in sandbox mode only, so that a live process loads no made-up data. */
export async function startSandboxOf(
  { sandboxPort: port, sandboxHost: host, dataDir }: Config,
  { log, now }: { readonly log: Logger; readonly now: Clock },
): Promise<RunningSandbox> {
  const { runSandbox } = await import('../../sandbox/index.ts');
  return runSandbox({ port, host, dataDir, log, now });
}
