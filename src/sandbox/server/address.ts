import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the running simulator is. */
export interface SandboxAddress {
  /** Base of every simulated upstream. */
  readonly url: string;
  /** Its name server, host:port. */
  readonly dns: string;
}

/** Where that is told to commands that run beside the server. */
const fileIn = (dataDir: string): string => path.join(dataDir, 'sandbox.json');

/** Notes where the simulator is; returns how to take the note back. */
export async function announceSandbox(dataDir: string, { url, dns }: SandboxAddress): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), JSON.stringify({ url, dns }));
  return () => rm(fileIn(dataDir), { force: true });
}

/** Where the simulator of the server on this folder is; null when none runs. */
export async function findSandbox(dataDir: string): Promise<SandboxAddress | null> {
  try {
    const address = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as SandboxAddress;
    await fetch(`${address.url}/_control/faults`, { signal: AbortSignal.timeout(1_000) });
    return address;
  } catch {
    return null;
  }
}
