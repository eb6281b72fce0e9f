import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Addresses of the running sandbox. */
export interface SandboxAddress {
  /** Base URL of every simulated upstream. */
  readonly url: string;
  /** Address of the name server, host:port. */
  readonly dns: string;
}

/** File in the data folder that holds the addresses. Commands that run beside the server read it. */
const fileIn = (dataDir: string): string => path.join(dataDir, 'sandbox.json');

/** Writes the sandbox's addresses to `dataDir`. Returns a function that removes the file. */
export async function announceSandbox(dataDir: string, { url, dns }: SandboxAddress): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), JSON.stringify({ url, dns }));
  return () => rm(fileIn(dataDir), { force: true });
}

/** Reads the sandbox's addresses from `dataDir`. Null when no sandbox answers there within 1 s. */
export async function findSandbox(dataDir: string): Promise<SandboxAddress | null> {
  try {
    const address = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as SandboxAddress;
    await fetch(`${address.url}/_control/faults`, { signal: AbortSignal.timeout(1_000) });
    return address;
  } catch {
    return null;
  }
}
