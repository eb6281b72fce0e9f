import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Addresses of the running sandbox. */
export interface SandboxAddress {
  /** Base URL of every simulated upstream. */
  readonly url: string;
  /** Address of the name server, host:port. */
  readonly dns: string;
}

/**
 * Returns the file in the data folder with the addresses of the last start. Commands that run beside the server read it, and the next
 * start takes the same port.
 */
const fileIn = (dataDir: string): string => path.join(dataDir, 'sandbox.json');

/** Writes the sandbox's addresses to `dataDir`. */
export async function announceSandbox(dataDir: string, { url, dns }: SandboxAddress): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), JSON.stringify({ url, dns }));
}

/** Reads the sandbox's addresses from `dataDir`. It returns null when no sandbox answers there within 1 s. */
export async function findSandbox(dataDir: string): Promise<SandboxAddress | null> {
  try {
    const address = await lastAddress(dataDir);
    const { ok } = await fetch(`${address.url}/_control/faults`, { signal: AbortSignal.timeout(1_000) });
    return ok ? address : null;
  } catch {
    return null;
  }
}

/** Returns the port of the last sandbox of `dataDir`; 0 if there was none. */
export const lastPort = async (dataDir: string): Promise<number> =>
  lastAddress(dataDir).then(
    ({ url }) => Number(URL.parse(url)?.port ?? 0),
    () => 0,
  );

const lastAddress = async (dataDir: string): Promise<SandboxAddress> =>
  JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as SandboxAddress;
