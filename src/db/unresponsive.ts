import type pg from 'pg';

/** knex puts the id of a connection on the connection and on the events of its queries. */
export interface Identified {
  readonly __knexUid: string;
}

/** Records when each connection last sent a statement and received a response, and destroys those that do not respond. */
export function monitorConnections() {
  const connections = new Map<string, { readonly client: pg.Client; sentAt: number; respondedAt: number }>();
  /** Start of the last statement that timed out. */
  let noResponseSince = Number.NEGATIVE_INFINITY;

  /** It is forgotten at once, because its end is reported in a later turn of the event loop. */
  function destroy(id: string): void {
    destroySocket(connections.get(id)?.client);
    connections.delete(id);
  }

  return {
    opened(client: pg.Client & Identified, done: () => void): void {
      const now = performance.now();
      connections.set(client.__knexUid, { client, sentAt: now, respondedAt: now });
      client.once('end', () => connections.delete(client.__knexUid));
      done();
    },
    sent({ __knexUid }: Identified): void {
      const connection = connections.get(__knexUid);
      if (connection) connection.sentAt = performance.now();
    },
    answered({ __knexUid }: Identified): void {
      const connection = connections.get(__knexUid);
      if (connection) connection.respondedAt = performance.now();
    },
    /**
     * There was no response since the statement was sent: connections without a response since then are not trusted. The start is not
     * computed from the timeout, because a timer may come early.
     */
    timedOut({ __knexUid }: Identified): void {
      const connection = connections.get(__knexUid);
      if (connection) noResponseSince = Math.max(noResponseSince, connection.sentAt);
      destroy(__knexUid);
    },
    isUsable({ __knexUid }: Identified): boolean {
      const connection = connections.get(__knexUid);
      const usable = connection !== undefined && connection.respondedAt > noResponseSince;
      if (!usable) destroy(__knexUid);
      return usable;
    },
  };
}

/** Destroys the socket: an orderly close would wait for minutes when the host does not respond. */
export function destroySocket(client: pg.Client | undefined): void {
  (client as { connection?: { stream: { destroy(): void } } } | undefined)?.connection?.stream.destroy();
}
