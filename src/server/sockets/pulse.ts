import type { WebSocket } from 'ws';

/** Looks in a row at which nothing had been heard of a socket since the one before. */
const silent = new WeakMap<WebSocket, number>();

/** A peer that is slow may answer a ping late: one silent look is none. */
const DEAD_AFTER = 2;

/** Takes note of whatever a peer sends. */
export function watchOver(socket: WebSocket): void {
  const hear = () => silent.set(socket, -1);
  hear();
  socket.on('pong', hear).on('ping', hear).on('message', hear);
}

/** One more look: false for a peer that has been silent for too many. */
export function isAlive(socket: WebSocket): boolean {
  const looks = (silent.get(socket) ?? 0) + 1;
  silent.set(socket, looks);
  return looks < DEAD_AFTER;
}
