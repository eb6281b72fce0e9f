import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { handleProtocols } from 'graphql-ws';
import { WebSocket, WebSocketServer } from 'ws';
import { SECOND_MS } from '../../domain/time.ts';
import { hasKeyInUrl } from '../require-caller.ts';
import { isKnownOrigin } from '../sockets/origin.ts';
import { isAlive, watchOver } from '../sockets/pulse.ts';
import { PATH } from './route.ts';
import { MAX_CONNECTIONS } from './sessions.ts';
import { createProtocol, type ProtocolParts } from './websocket-protocol.ts';

export interface SocketParts extends ProtocolParts {
  /** Web pages that may open sockets beside those of our own host. */
  readonly allowedOrigins: readonly string[];
}

const MAX_MESSAGE_BYTES = 64 * 1024;
const MAX_FRAGMENTS = 128;
/** How long a peer may take to answer our goodbye. */
const GOODBYE_MS = 2 * SECOND_MS;
/** A dead peer is gone after three of these: within a minute. */
const PING_MS = 18 * SECOND_MS;

/** Too many fragments are a message that is too big, too. */
class Socket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code === 1008 ? 1009 : code, reason);
  }
}

/** Serves GraphQL over WebSocket on `/graphql`, by the protocol graphql-transport-ws. Returns the sockets that are open. */
export function mountSockets(server: FastifyInstance, parts: SocketParts): ReadonlySet<WebSocket> {
  const { allowedOrigins, log } = parts;
  const sockets = new Set<WebSocket>();
  const protocol = createProtocol(parts);
  const limits = { maxPayload: MAX_MESSAGE_BYTES, maxFragments: MAX_FRAGMENTS, closeTimeout: GOODBYE_MS };
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
    if (url.replace(/\?.*$/, '').replace(/\/$/, '') !== PATH) return [404, 'Not Found'];
    if (hasKeyInUrl(url)) return [403, 'Forbidden'];
    return closing || sockets.size >= MAX_CONNECTIONS ? [503, 'Service Unavailable'] : null;
  }

  /** A function of its own: what lives as long as the socket must not hold the request that opened it. */
  function opened(socket: WebSocket, request: IncomingMessage): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', (err) => log.debug({ err }, 'a socket broke'));
    watchOver(socket);
    if (isKnownOrigin(request, allowedOrigins)) protocol(socket, request);
    else socket.close(4403, 'Forbidden origin');
  }

  server.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', destroyed);
    const refused = refusal(request);
    if (refused) stream.end(`HTTP/1.1 ${refused.join(' ')}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else upgrader.handleUpgrade(request, stream, head, opened);
  });

  const pinging = setInterval(() => {
    for (const socket of sockets) {
      if (isAlive(socket)) socket.ping();
      else socket.terminate();
    }
  }, PING_MS).unref();

  server.addHook('preClose', async () => {
    closing = true;
    clearInterval(pinging);
    const gone = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.close(1012, 'restarting; resume with after');
    await Promise.all(gone);
  });
  return sockets;
}

function destroyed(this: Duplex): void {
  this.destroy();
}
