import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processOf } from './process.ts';

/** What a killed process may take to be gone. */
const DYING_MS = 1_000;
const POLL_MS = 50;

/** Who runs the Postgres of a data folder. */
export interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
  /** True for a command that starts Postgres, does its work and goes: wait for it. */
  readonly temporary: boolean;
}

/** The folder is in use. The message says by whom and what to do. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  readonly owner: Owner;

  constructor(owner: Owner, dataDir: string) {
    super(`Another Quipu (pid ${owner.pid}) uses ${dataDir}; stop it or set QUIPU_DATA_DIR to another folder.`);
    this.owner = owner;
  }
}

/**
 * Makes this process the owner of the folder and returns how to give it back. What a killed owner left is taken over; a
 * temporary owner is waited for.
 *
 * Claims are numbered files in `owner/`, and the highest number counts. Taking over is making the next number, which
 * succeeds once: to remove a dead claim first would let two who saw it remove each other's.
 * @param patienceMs how long to wait for a temporary owner; any other gets a moment, since one just killed may still be on its way out
 * @throws FolderInUse
 */
export async function claimFolder(
  dataDir: string,
  { temporary, patienceMs }: { readonly temporary: boolean; readonly patienceMs: number },
): Promise<() => Promise<void>> {
  const claims = path.join(dataDir, 'owner');
  const startedAt = (await processOf(process.pid))?.startedAt ?? null;
  const began = performance.now();
  await mkdir(claims, { recursive: true });
  for (;;) {
    const last = await lastClaim(claims);
    const owner = await living(await readText(claimFile(claims, last)));
    if (owner === null) {
      const number = last + 1;
      const mine: Owner = { pid: process.pid, startedAt, temporary };
      if (await makeClaim(claims, number, mine)) return () => giveBack(claimFile(claims, number));
    } else if (performance.now() - began < (owner.temporary ? patienceMs : DYING_MS)) {
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

/** True when this claim was the first of its number and none is higher; it then clears away the ones it follows. */
async function makeClaim(claims: string, number: number, owner: Owner): Promise<boolean> {
  if (!(await appear(claimFile(claims, number), owner))) return false;
  const numbers = await claimNumbers(claims);
  const won = Math.max(...numbers) === number;
  for (const past of won ? numbers.filter((other) => other < number) : [number]) await rm(claimFile(claims, past), { force: true });
  return won;
}

/** A hard link appears whole or not at all, and never over another file: of two claims one wins. */
async function appear(file: string, owner: Owner): Promise<boolean> {
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

/** The number stays taken, by nobody: numbers must never begin anew. */
async function giveBack(file: string): Promise<void> {
  await rename(await writeDraft(file, null), file);
}

async function writeDraft(file: string, owner: Owner | null): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${JSON.stringify(owner)}\n`);
  return draft;
}

async function living(text: string | null): Promise<Owner | null> {
  const owner = parse(text);
  const found = owner && (await processOf(owner.pid));
  if (!owner || !found) return null;
  return owner.startedAt === null || owner.startedAt === found.startedAt ? owner : null;
}

/** Null for a folder given back, and for the blanks that a power cut may leave. */
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
