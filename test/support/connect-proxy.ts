import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import { onTestFinished } from 'vitest';

/** An HTTP proxy on loopback for one test that supports CONNECT only. */
export interface ConnectProxy {
  /** URL `http://127.0.0.1:port`, with credentials if it has any. */
  readonly url: string;
  /** `address:port` of each accepted CONNECT. */
  readonly tunnels: readonly string[];
  /** Refuses connections from now on, and closes the open ones. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

interface ConnectProxyOptions {
  /** Credentials `user:password`, not encoded. Other requests get 407. */
  readonly credentials?: string;
  /** Bytes of an HTTP response, or any other bytes, that it sends instead of connecting. Null closes the connection. */
  readonly instead?: string | null;
}

export async function connectProxy({ credentials, instead }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const open = new Set<net.Socket>();
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
  });
  server.on('connect', (request, client, head) => {
    if (instead !== undefined) return client.end(instead ?? undefined);
    if (request.headers['proxy-authorization'] !== expected) return client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = net.connect(Number(port || 80), hostname, () => {
      tunnels.push(request.url ?? '');
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    client.on('close', () => upstream.destroy());
  });
  let port = 0;
  const start = async () => {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as net.AddressInfo).port;
  };
  const stop = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  };
  await start();
  onTestFinished(async () => {
    if (server.listening) await stop();
  });
  const [user, password] = (credentials ?? '').split(':').map(encodeURIComponent);
  return { url: `http://${credentials ? `${user}:${password}@` : ''}127.0.0.1:${port}`, tunnels, stop, start };
}
