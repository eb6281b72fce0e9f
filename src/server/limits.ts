import type { FastifyInstance } from 'fastify';
import { SECOND_MS } from '../domain/time.ts';

/** Between looks. */
const LOOK_MS = 5 * SECOND_MS;
/** Looks at which nothing had left since the one before. */
const MAX_LOOKS = 4;

/** A connection, as far as this goes. */
interface Line {
  readonly bytesWritten: number;
  readonly writableLength: number;
  once(event: 'close', then: () => void): unknown;
  destroy(): unknown;
}

interface Seen {
  /** Bytes that had left. */
  readonly sent: number;
  readonly looks: number;
}

/** Requests of one connection that may be under way: each may hold an answer that has not left. */
const MAX_AT_ONCE = 16;

/** Cuts connections that send requests on and on before the first is answered. */
export function cutHasty(server: FastifyInstance): void {
  const underWay = new WeakMap<object, number>();
  server.addHook('onRequest', async ({ raw: { socket } }, { raw: response }) => {
    const count = (underWay.get(socket) ?? 0) + 1;
    underWay.set(socket, count);
    response.once('close', () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
    if (count > MAX_AT_ONCE) socket.destroy();
  });
}

/** Cuts connections whose peers do not read what is sent to them. That they go on sending does not help them. */
export function cutDeaf(server: FastifyInstance): void {
  const lines = new Map<Line, Seen>();
  server.server.on('connection', (line: Line) => {
    lines.set(line, { sent: 0, looks: 0 });
    line.once('close', () => lines.delete(line));
  });
  const looking = setInterval(() => {
    for (const [line, { sent: before, looks }] of lines) {
      const sent = line.bytesWritten - line.writableLength;
      const isStuck = line.writableLength > 0 && sent === before;
      if (isStuck && looks + 1 >= MAX_LOOKS) line.destroy();
      else lines.set(line, { sent, looks: isStuck ? looks + 1 : 0 });
    }
  }, LOOK_MS).unref();
  server.addHook('onClose', async () => clearInterval(looking));
}
