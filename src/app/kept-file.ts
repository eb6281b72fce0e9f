import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Returns the text of a file of the data folder, which the first call creates with mode 0600. Processes that create it at the same time
 * get the same text: a hard link publishes the file completely and never replaces one.
 * @throws Error when the folder cannot be written
 */
export async function readOrCreate(file: string, create: () => string): Promise<string> {
  const kept = await readKept(file);
  if (kept !== null) return kept;
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  const text = create();
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await link(draft, file);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
}

/** The text of a file; null when it does not exist. @throws Error when it cannot be read */
export async function readKept(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
