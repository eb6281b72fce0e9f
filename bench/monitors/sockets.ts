import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { BenchFailure } from '../harness/bench.ts';

const QUERY = 'subscription { companyChanged { id identifier changedFields { field from to } } }';
/** Number of sockets opened concurrently. */
const AT_ONCE = 50;

/** A change received over a socket. */
export type OnMark = (mark: string) => void;

/** Opens sockets that subscribe to every change with the protocol graphql-transport-ws. `keyOf`: key of the i-th socket; null for none. */
export async function openSockets(
  url: string,
  { count, keyOf, receive }: { readonly count: number; readonly keyOf: (i: number) => string | null; readonly receive: OnMark },
): Promise<{ close(): Promise<void> }> {
  const sockets: WebSocket[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const many = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => openSocket(url, keyOf(from + i), receive));
    sockets.push(...(await Promise.all(many)));
  }
  return {
    async close() {
      const open = sockets.filter(({ readyState }) => readyState !== WebSocket.CLOSED);
      const closed = Promise.all(open.map((socket) => once(socket, 'close')));
      for (const socket of open) socket.terminate();
      await closed;
    },
  };
}

/** Settles after the subscription was requested. */
function openSocket(url: string, key: string | null, receive: OnMark): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code, why) => reject(new BenchFailure(`a socket was closed with ${code} ${String(why)}`)));
    socket.once('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', ...(key !== null && { payload: { 'X-API-Key': key } }) })),
    );
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'connection_ack') {
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: QUERY } }), () => resolve(socket));
      } else if (type === 'next') receive(payload.data.companyChanged.changedFields[0].to);
      else if (type === 'error') reject(new BenchFailure(`a subscription was refused: ${JSON.stringify(payload)}`));
    });
  });
}

/** Returns the resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (kib === undefined) throw new BenchFailure('the memory of a process cannot be read here');
  return Number(kib) * 1_024;
}

/**
 * Returns the maximum number of sockets that this process, and a server with the same limit, can open: the limit of open files minus a
 * reserve for other files.
 */
export function socketsAllowed(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return Math.max(0, Number(limit ?? 1_024) - 300);
}
