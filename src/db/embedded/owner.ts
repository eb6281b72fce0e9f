import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Time in ms in which a killed process disappears. */
const EXIT_MS = 1_000;
const POLL_MS = 50;

/** The process that runs the Postgres of a data folder. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
  /** True for a command, which stops Postgres at its end. */
  readonly temporary: boolean;
}

/** Thrown when the folder is in use. The message names the process and tells what to do. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly owner: Owner;

  constructor(owner: Owner, dataDir: string) {
    super(`Another Quipu (pid ${owner.pid}) uses ${dataDir}; stop it or set QUIPU_DATA_DIR to another folder.`);
    this.owner = owner;
  }
}

/**
 * Makes this process the owner of the folder and returns the function that releases it. The folder of a killed owner is taken over.
 *
 * Claims are numbered files in `owner/`, and the highest number counts. A takeover creates the next number, which succeeds for one process
 * only. If processes removed an old claim first, two of them could remove each other's new claim.
 * @param waitMs time to wait for a temporary owner; another owner is waited for 1 s, because a killed process takes a moment to disappear
 * @throws FolderInUse
 */
export async function claimFolder(
  dataDir: string,
  { temporary, waitMs }: { readonly temporary: boolean; readonly waitMs: number },
): Promise<() => Promise<void>> {
  const claims = path.join(dataDir, 'owner');
  const startedAt = (await processOf(process.pid))?.startedAt ?? null;
  const began = performance.now();
  await mkdir(claims, { recursive: true });
  for (;;) {
    const last = await lastClaim(claims);
    const owner = await runningOwner(await readText(claimFile(claims, last)));
    if (owner === null) {
      const number = last + 1;
      const mine: Owner = { pid: process.pid, startedAt, temporary };
      if (await makeClaim(claims, number, mine)) return () => releaseClaim(claimFile(claims, number));
    } else if (performance.now() - began < (owner.temporary ? waitMs : EXIT_MS)) {
      await delay(POLL_MS);
    } else {
      throw new FolderInUse(owner, dataDir);
    }
  }
}

const claimFile = (claims: string, number: number): string => path.join(claims, `${number}.json`);

async function claimNumbers(claims: string): Promise<readonly number[]> {
  return (await readdir(claims)).flatMap((file) => (/^\d+\.json$/.test(file) ? [Number.parseInt(file, 10)] : []));
}

const lastClaim = async (claims: string): Promise<number> => Math.max(0, ...(await claimNumbers(claims)));

/** Returns true when this claim was the first of its number and no number is higher. Then it deletes the earlier claims. */
async function makeClaim(claims: string, number: number, owner: Owner): Promise<boolean> {
  if (!(await createWhole(claimFile(claims, number), owner))) return false;
  const numbers = await claimNumbers(claims);
  const won = Math.max(...numbers) === number;
  for (const past of won ? numbers.filter((other) => other < number) : [number]) await rm(claimFile(claims, past), { force: true });
  return won;
}

/** Creates the file completely or not at all, by a hard link, which never replaces a file, so that one of two claims fails. */
async function createWhole(file: string, owner: Owner): Promise<boolean> {
  const draft = await writeDraft(file, owner);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Releases a claim. The file is kept without an owner, because numbers must never restart. */
async function releaseClaim(file: string): Promise<void> {
  await rename(await writeDraft(file, null), file);
}

async function writeDraft(file: string, owner: Owner | null): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(owner)}\n`);
  return draft;
}

async function runningOwner(text: string | null): Promise<Owner | null> {
  const owner = parse(text);
  const found = owner && (await processOf(owner.pid));
  if (!owner || !found) return null;
  return owner.startedAt === null || owner.startedAt === found.startedAt ? owner : null;
}

/** Parses an owner; null for a released folder, and for a file that is empty after a power failure. */
function parse(text: string | null): Owner | null {
  try {
    const owner: Partial<Owner> | null = JSON.parse(text ?? 'null');
    if (typeof owner?.pid !== 'number') return null;
    return { pid: owner.pid, startedAt: owner.startedAt ?? null, temporary: owner.temporary === true };
  } catch {
    return null;
  }
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Facts about a running process; null if the system does not have them. */
interface ProcessFacts {
  /** Start time, which distinguishes it from an earlier process with the same id. It can only be compared as text. */
  readonly startedAt: string | null;
  readonly command: string | null;
}

/** Returns the running process with this id, or null. A zombie is not running. */
export async function processOf(pid: number): Promise<ProcessFacts | null> {
  if (!exists(pid)) return null;
  if (process.platform === 'linux') return fromProc(pid);
  if (process.platform === 'win32') return { startedAt: null, command: null };
  return fromPs(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Reads /proc (proc(5)): after the name in brackets come the state and, 19 fields later, the start in ticks since boot. */
async function fromProc(pid: number): Promise<ProcessFacts | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    return { startedAt: fields[19] ?? null, command: command.replaceAll('\0', ' ') };
  } catch {
    return null;
  }
}

/** Reads the output of ps. `lstart` is 24 characters wide: `Sat Nov 21 04:47:07 2026`. */
async function fromPs(pid: number): Promise<ProcessFacts | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)]);
    return { startedAt: stdout.slice(0, 24), command: `${stdout.slice(24).trim()} ` };
  } catch {
    return null;
  }
}
