import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import path from 'node:path';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';

/** Extension of a journal file. */
export const JOURNAL = '.journal';

/** The folder of one process, beneath the folder of the installation. A socket in it shows that the process lives. */
export interface ProcessFolder {
  readonly path: string;
  /** Moves journal files of processes that were killed into this folder. Returns their number. */
  recover(): Promise<number>;
  /** Removes the socket, and the folder if it is empty. */
  close(): Promise<void>;
}

/** Name of the socket that a living process listens on. The kernel closes it when the process is killed. */
const SOCKET = 'alive';
/** Maximum length of the path of a socket in bytes, on all platforms. */
const MAX_SOCKET_PATH = 103;
/** Age after which a folder without a socket is no longer one that a process is about to open. */
const OPENING_MS = MINUTE_MS;

/**
 * Opens a folder for this process beneath `dir`. Its name begins with a hash of the secret of the installation, so that installations that
 * share a disk do not count each other's usage.
 * @throws Error with a code of the file system if the folder cannot be written, or ENAMETOOLONG
 */
export async function openProcessFolder(dir: string, keySecret: string): Promise<ProcessFolder> {
  const installation = createHash('sha256').update('quipu usage journal').update(keySecret).digest('hex').slice(0, 8);
  const own = path.join(dir, `${installation}-${randomBytes(6).toString('hex')}`);
  const socket = path.join(own, SOCKET);
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) throw Object.assign(new Error('the path is too long'), { code: 'ENAMETOOLONG' });
  await mkdir(own, { recursive: true, mode: 0o700 });
  const server = await listen(socket);
  return {
    path: own,
    async recover() {
      const folders = (await readdir(dir)).filter((name) => name.startsWith(`${installation}-`)).map((name) => path.join(dir, name));
      let moved = 0;
      for (const folder of folders) if (folder !== own && (await isDead(folder))) moved += await moveFiles(folder, own);
      return moved;
    },
    async close() {
      await new Promise((resolve) => server.close(resolve)); // removes the socket
      await removeIfEmpty(own);
    },
  };
}

async function listen(socket: string): Promise<Server> {
  const server = createServer((connection) => connection.destroy());
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return server.unref();
}

/**
 * Returns true if the process of a folder has ended without closing it. A folder in doubt counts as alive. A process on another machine
 * counts as ended, because its socket cannot be reached.
 */
export async function isDead(folder: string): Promise<boolean> {
  const code = await codeOfConnecting(path.join(folder, SOCKET));
  if (code === 'ECONNREFUSED') return true;
  if (code !== 'ENOENT') return false;
  const opened = await stat(folder).catch(() => null);
  return opened !== null && Date.now() - opened.mtimeMs > OPENING_MS;
}

/** Connects to a socket. Returns the code of the failure; null if a process listens, or does not answer in time. */
const codeOfConnecting = (socket: string): Promise<string | null> =>
  new Promise((resolve) => {
    const connection = createConnection(socket);
    const end = (code: string | null) => {
      connection.destroy();
      resolve(code);
    };
    connection.setTimeout(SECOND_MS, () => end(null));
    connection.once('connect', () => end(null));
    connection.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? null));
  });

/** Moves the journal files of a folder, and removes it. A file that another process moves first is skipped. */
async function moveFiles(from: string, to: string): Promise<number> {
  let moved = 0;
  for (const name of (await readdir(from).catch(() => [])).filter((one) => one.endsWith(JOURNAL))) {
    const isMoved = await rename(path.join(from, name), path.join(to, name)).then(
      () => true,
      () => false,
    );
    if (isMoved) moved += 1;
  }
  await rm(path.join(from, SOCKET), { force: true });
  await removeIfEmpty(from);
  return moved;
}

/** Removes a folder unless it has files, such as damaged ones that were kept. */
async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
