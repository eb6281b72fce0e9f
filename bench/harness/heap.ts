import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { BenchFailure } from './bench.ts';

/** Number of collections. A single one leaves the objects that the entries of weak maps kept alive. */
const COLLECTIONS = 3;

/** Returns the environment of a server whose heap `collectHeap` can read. */
export const inspectable = (port: number): Readonly<Record<string, string>> => ({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });

export interface CollectedHeap {
  /** Bytes of the heap after full garbage collections. */
  readonly usedBytes: number;
  /** Duration of the last collection, in ms. */
  readonly collectionMs: number;
}

/** Collects the garbage of a server, and reads its heap. @throws BenchFailure when its inspector does not answer */
export async function collectHeap(port: number): Promise<CollectedHeap> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { webSocketDebuggerUrl: string }[];
  if (!target) throw new BenchFailure(`there is no inspector on port ${port}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl, { perMessageDeflate: false });
  const ask = (id: number, method: string) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      socket.once('error', reject);
      socket.on('message', (text) => {
        const answer = JSON.parse(String(text)) as { id?: number; result?: Record<string, unknown> };
        if (answer.id === id) resolve(answer.result ?? {});
      });
      socket.send(JSON.stringify({ id, method }));
    });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  try {
    let collectionMs = 0;
    for (let time = 1; time <= COLLECTIONS; time += 1) {
      const startedAt = performance.now();
      await ask(time, 'HeapProfiler.collectGarbage');
      collectionMs = performance.now() - startedAt;
      await delay(200); // until finalizers ran, and sockets and timers released their memory
    }
    return { usedBytes: Number((await ask(0, 'Runtime.getHeapUsage')).usedSize), collectionMs };
  } finally {
    socket.close();
  }
}
