import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { handleProtocols } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import { SECOND_MS } from '../../domain/time.ts';
import type { Executions } from '../../metering/executions.ts';
import { hasKeyInUrl, isAllowedOrigin } from '../request.ts';
import { GRAPHQL_PATH } from './route.ts';
import { MAX_CONNECTIONS } from './sessions.ts';
import { type ProtocolParts, SocketProtocol } from './websocket-protocol.ts';

export interface WebSocketParts extends ProtocolParts {
  /** Origins of web pages that may open sockets, in addition to the origin of this host. */
  readonly allowedOrigins: readonly string[];
  readonly executions: Pick<Executions, 'overload'>;
}

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_FRAGMENTS = 128;
/** Time that a client has to answer a close frame. */
const CLOSE_TIMEOUT_MS = 2 * SECOND_MS;
const PING_MS = 18 * SECOND_MS;
/** Maximum number of unanswered pings of a silent client. One late pong is allowed, and a dead client is detected within a minute. */
const MAX_SILENT_PINGS = 2;

/** Closes with 1009 (message too big) when ws would close with 1008 for too many fragments. */
class Socket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code === 1008 ? 1009 : code, reason);
  }
}

/** Serves GraphQL over WebSocket on `/graphql` (subprotocol graphql-transport-ws). Returns the live set of open sockets. */
export function mountWebSockets(server: FastifyInstance, parts: WebSocketParts): ReadonlySet<WebSocket> {
  const { allowedOrigins, executions, log } = parts;
  const sockets = new Set<WebSocket>();
  const protocol = new SocketProtocol(parts);
  const limits = { maxPayload: MAX_MESSAGE_BYTES, maxFragments: MAX_FRAGMENTS, closeTimeout: CLOSE_TIMEOUT_MS };
  const upgrader = new WebSocketServer({
    ...limits,
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    handleProtocols,
    WebSocket: Socket,
  });
  let closing = false;

  function refusal({ url = '' }: IncomingMessage): readonly [status: number, name: string] | null {
    if (url.split('?', 1)[0]?.replace(/\/$/, '') !== GRAPHQL_PATH) return [404, 'Not Found'];
    if (hasKeyInUrl(url)) return [403, 'Forbidden'];
    return closing || sockets.size >= MAX_CONNECTIONS || executions.overload() ? [503, 'Service Unavailable'] : null;
  }

  /**
   * Handles an open socket. It is declared outside the upgrade listener, because a closure inside it would keep the upgrade request in
   * memory as long as the socket.
   */
  function onOpen(socket: WebSocket, request: IncomingMessage): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (err) => log.debug({ err }, 'socket failed'));
    trackActivity(socket);
    if (isAllowedOrigin(request.headers, allowedOrigins)) protocol.serve(socket, request);
    else socket.close(4403, 'origin not in QUIPU_ALLOWED_ORIGINS');
  }

  server.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', destroy);
    const refused = refusal(request);
    if (refused) stream.end(`HTTP/1.1 ${refused.join(' ')}\r\nConnection: close\r\n${retryAfter(refused[0])}Content-Length: 0\r\n\r\n`);
    else upgrader.handleUpgrade(request, stream, head, onOpen);
  });

  const pinging = setInterval(() => {
    for (const socket of sockets) {
      if (isResponsive(socket)) socket.ping();
      else socket.terminate();
    }
  }, PING_MS).unref();

  server.addHook('preClose', async () => {
    closing = true;
    clearInterval(pinging);
    const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.close(1012, 'restarting; resume with after');
    await Promise.all(closed);
  });
  return sockets;
}

const retryAfter = (status: number): string => (status === 503 ? 'Retry-After: 2\r\n' : '');

function destroy(this: Duplex): void {
  this.destroy();
}

/** Socket → number of pings since its client last sent anything; -1 if it has sent something since the last ping. */
const silentPings = new WeakMap<WebSocket, number>();

/** Resets the count of silent pings whenever the client sends anything. */
function trackActivity(socket: WebSocket): void {
  const reset = () => silentPings.set(socket, -1);
  reset();
  socket.on('pong', reset).on('ping', reset).on('message', reset);
}

/** Counts one ping interval. Returns false when the client was silent for too many of them. */
function isResponsive(socket: WebSocket): boolean {
  const count = (silentPings.get(socket) ?? 0) + 1;
  silentPings.set(socket, count);
  return count < MAX_SILENT_PINGS;
}
