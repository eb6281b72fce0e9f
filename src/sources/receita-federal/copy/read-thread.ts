import { on } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { asRefusal, openMonthFile } from './folder.ts';
import { contactHashes } from './links.ts';
import { type DataMonthFile, readDataFile } from './read-file.ts';
import type { FailedReading, ThreadInput, ThreadMessage } from './read-in-thread.ts';
import { ImportRefusal } from './refusal.ts';
import type { FileSummary, TableLines } from './store/import-store.ts';
import { suppressing, suppressionHash } from './suppression.ts';

/*
 * The thread of `readInThread`. It reads one file, and sends one part for each message that it gets, so that parts do not pile up. The
 * memory of a part is moved and not copied.
 */

const port = parentPort as MessagePort;
const send = (message: ThreadMessage, moved: readonly ArrayBuffer[] = []): void => port.postMessage(message, moved);

async function* readParts({ file, secret, suppressed }: ThreadInput): AsyncGenerator<TableLines, FileSummary, void> {
  const opened = await openMonthFile(file.path, file.name);
  if (opened.checksum !== file.checksum) throw new ImportRefusal('damaged', `${file.name}.zip was replaced during the import.`);
  const suppress = suppressing(suppressed, suppressionHash(secret));
  const onProgress = (progress: ThreadMessage['progress']) => send({ progress });
  return yield* readDataFile(opened as DataMonthFile, contactHashes(secret), onProgress, { suppress });
}

const buffersOf = (lines: TableLines): readonly ArrayBuffer[] => [...lines.values()].flat().map(({ buffer }) => buffer as ArrayBuffer);

function failed(cause: unknown): FailedReading {
  const error = asRefusal(cause);
  if (error instanceof ImportRefusal) return { reason: error.reason, message: error.message };
  const { message, code } = error as { readonly message?: string; readonly code?: string };
  return { reason: null, message: message ?? String(error), code };
}

try {
  const parts = readParts(workerData as ThreadInput);
  for await (const _ of on(port, 'message')) {
    const { done, value } = await parts.next();
    if (!done) {
      send({ part: value }, buffersOf(value));
      continue;
    }
    send({ summary: value });
    break;
  }
} catch (error) {
  send({ failed: failed(error) });
}
