import { once } from 'node:events';
import net from 'node:net';

/** A TCP proxy in front of Postgres that can fall silent, or refuse connections. */
export interface SilentProxy {
  readonly url: string;
  /**
   * Freezes all open connections: they stay open and send no more data. Later ones work unless `mode` says otherwise. Returns their
   * number.
   */
  freeze(): number;
  /** Sets the behaviour for connections that are opened from now on; default `pass`. */
  newConnections(mode: 'pass' | 'silent' | 'refuse'): void;
  /** Sets the time in ms after which Postgres gets what is sent over a new connection, as on a busy machine; default 0. */
  delayNew(ms: number): void;
  /** Closes all open connections. */
  cut(): void;
  /** Returns the number of frozen connections that the client still has. */
  silent(): number;
  close(): void;
}

export async function silentProxy(target: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(target);
  const open = new Map<net.Socket, net.Socket>();
  const frozen = new Set<net.Socket>();
  let mode: 'pass' | 'silent' | 'refuse' = 'pass';
  let delayMs = 0;
  const server = net.createServer((client) => {
    client.on('error', () => undefined);
    if (mode === 'refuse') return client.destroy();
    if (mode === 'silent') {
      frozen.add(client);
      return client.resume().on('close', () => frozen.delete(client));
    }
    const upstream = net.connect(Number(port), hostname);
    open.set(client, upstream);
    client.on('close', () => {
      frozen.delete(client);
      open.delete(client);
      upstream.destroy();
    });
    upstream.on('error', () => undefined).on('close', () => frozen.has(client) || client.destroy());
    upstream.pipe(client);
    if (delayMs === 0) return client.pipe(upstream);
    const timer = setTimeout(() => client.pipe(upstream), delayMs);
    return client.on('close', () => clearTimeout(timer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(target);
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    freeze() {
      for (const [client, upstream] of open) {
        client.unpipe(upstream).resume();
        upstream.unpipe(client).resume();
        frozen.add(client);
      }
      return frozen.size;
    },
    newConnections(given) {
      mode = given;
    },
    delayNew(ms) {
      delayMs = ms;
    },
    cut() {
      for (const client of open.keys()) client.destroy();
      for (const client of frozen) client.destroy();
    },
    silent: () => frozen.size,
    close() {
      server.close();
      for (const client of [...open.keys(), ...frozen]) client.destroy();
    },
  };
}
