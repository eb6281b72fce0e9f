import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { asRefusal, openMonthFile } from './folder.ts';
import { contactHashes } from './links.ts';
import { type DataMonthFile, readDataFile } from './read-file.ts';
import { ImportRefusal } from './refusal.ts';
import type { FileSummary, TableLines } from './store/import-store.ts';
import { suppressing, suppressionHash } from './suppression.ts';
import type { FailedReading, FileInThread, FilterOfLines, MessageOfThread, MessageToThread } from './thread-messages.ts';

/*
 * The thread that reads the large files of an import. It sends one part for each request, so that parts do not pile up. The memory of a part
 * is moved and not copied.
 */

const port = parentPort as MessagePort;
const { secret, suppressed } = workerData as FilterOfLines;
const hashes = contactHashes(secret);
const suppress = suppressing(suppressed, suppressionHash(secret));

const send = (message: MessageOfThread, moved: readonly ArrayBuffer[] = []): void => port.postMessage(message, moved);

async function* readParts({ name, path, checksum }: FileInThread): AsyncGenerator<TableLines, FileSummary, void> {
  const file = await openMonthFile(path, name);
  if (file.checksum !== checksum) throw new ImportRefusal('damaged', `${name}.zip was replaced during the import.`);
  return yield* readDataFile(file as DataMonthFile, hashes, (progress) => send({ progress }), { suppress });
}

/** Sends the next part of a file, or its counts at the end. Returns false at the end. */
async function sendNext(parts: AsyncGenerator<TableLines, FileSummary, void>): Promise<boolean> {
  try {
    const { done, value } = await parts.next();
    if (done) send({ summary: value });
    else
      send(
        { part: value },
        [...value.values()].flat().map(({ buffer }) => buffer as ArrayBuffer),
      );
    return !done;
  } catch (error) {
    send({ failed: failedReading(asRefusal(error)) });
    return false;
  }
}

function failedReading(error: unknown): FailedReading {
  if (error instanceof ImportRefusal) return { reason: error.reason, message: error.message };
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return { reason: null, message: message ?? String(error), code };
}

let parts: AsyncGenerator<TableLines, FileSummary, void> | null = null;
for await (const [message] of on(port, 'message')) {
  const { file } = message as MessageToThread;
  if (file) parts = readParts(file);
  else if (parts && !(await sendNext(parts))) parts = null; // later requests were sent before the end was known
}
