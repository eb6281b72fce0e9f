import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Where the running simulator is, told to commands that run beside the server. */
const fileIn = (dataDir: string): string => path.join(dataDir, 'sandbox.json');

/** Notes the simulator's address; returns how to take the note back. */
export async function announceSandbox(dataDir: string, url: string): Promise<() => Promise<void>> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), JSON.stringify({ url }));
  return () => rm(fileIn(dataDir), { force: true });
}

/** The address of the simulator of the server on this folder; null when none runs. */
export async function findSandbox(dataDir: string): Promise<string | null> {
  try {
    const { url } = JSON.parse(await readFile(fileIn(dataDir), 'utf8')) as { url: string };
    await fetch(`${url}/_control/faults`, { signal: AbortSignal.timeout(1_000) });
    return url;
  } catch {
    return null;
  }
}
