import type { FastifyInstance } from 'fastify';
import type { Gauge } from '../../domain/gauge.ts';
import { Sessions, type StillOpen } from './sessions.ts';
import { createEventStreams, type EventStreamParts } from './sse.ts';
import { mountSockets, type SocketParts } from './websocket.ts';

export interface LiveParts extends Omit<SocketParts & EventStreamParts, 'sessions'> {
  readonly stillOpen: StillOpen;
}

/** What is connected to this process now. */
export interface LiveCounts {
  /** Open sockets, those before their connection_init too. */
  readonly sockets: number;
  readonly streams: number;
  /** Operations under way on them. */
  readonly operations: number;
}

declare module 'fastify' {
  interface FastifyInstance {
    live(): LiveCounts;
  }
}

/** Mounts what stays connected: sockets, and event streams, whose handler is returned. `server.live()` counts them. */
export function mountLive(server: FastifyInstance, { stillOpen, ...parts }: LiveParts): ReturnType<typeof createEventStreams> {
  const sessions = new Sessions(stillOpen, parts.log);
  const sockets = mountSockets(server, { ...parts, sessions });
  server.decorate('live', () => ({ sockets: sockets.size, streams: sessions.count('stream'), operations: sessions.operations() }));
  return createEventStreams(server, { ...parts, sessions });
}

/** The same as gauges. */
export const connectionGauges = ({ live }: Pick<FastifyInstance, 'live'>): readonly Gauge[] => [
  {
    name: 'quipu_live_sessions',
    help: 'Open WebSockets and event streams (SSE) of this process.',
    labelName: 'transport',
    read: async () => [
      { label: 'websocket', value: live().sockets },
      { label: 'sse', value: live().streams },
    ],
  },
  {
    name: 'quipu_live_operations',
    help: 'Operations under way on sockets and event streams.',
    read: async () => [{ value: live().operations }],
  },
];
