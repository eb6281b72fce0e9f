import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Facts about a running process; null where the system does not have them. */
export interface ProcessFacts {
  /** Distinguishes it from an earlier process with the same id; compare as text only. */
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

/** proc(5): after the name in brackets come the state and, 19 fields on, the start in ticks since boot. */
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

/** `lstart` is 24 characters wide: `Sat Nov 21 04:47:07 2026`. */
async function fromPs(pid: number): Promise<ProcessFacts | null> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)]);
    return { startedAt: stdout.slice(0, 24), command: `${stdout.slice(24).trim()} ` };
  } catch {
    return null;
  }
}
