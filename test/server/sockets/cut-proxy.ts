import { type AddressInfo, createServer, type Socket, connect as tcp } from 'node:net';

/** A TCP proxy in front of a service whose connections a test can cut. */
export interface CutProxy {
  readonly url: string;
  /** While true, new connections are closed at once. */
  isDown: boolean;
  /** Answers of the service that contained `mark`. */
  readonly marked: number;
  /** Resets all connections. */
  cut(): void;
  /** Closes all connections after what was sent already. */
  end(): void;
  close(): void;
}

/** @param host host and port of the service */
export async function cutProxy(host: string, mark: string): Promise<CutProxy> {
  const connections = new Set<Socket>();
  let marked = 0;
  const server = createServer((client) => {
    if (proxy.isDown) return client.destroy();
    const service = tcp(Number(host.split(':')[1]), '127.0.0.1');
    connections.add(client);
    service.on('data', (data) => {
      if (String(data).includes(mark)) marked += 1;
    });
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const) {
      one.pipe(other);
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const forget = (close: (socket: Socket) => void) => {
    for (const socket of connections) close(socket);
    connections.clear();
  };
  const proxy: CutProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isDown: false,
    get marked() {
      return marked;
    },
    cut: () => forget((socket) => socket.resetAndDestroy()),
    end: () => forget((socket) => socket.end()),
    close: () => void server.close(),
  };
  return proxy;
}
