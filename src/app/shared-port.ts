import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { ConfigError } from '../config.ts';

interface Place {
  readonly host: string;
  readonly port: number | undefined;
  /** Name of the port's setting, for error messages. */
  readonly setting: string;
}

/** Returns the error for an address that cannot be listened on. It names the setting. */
export function listenError(error: unknown, { host, port, setting }: Place): ConfigError {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return new ConfigError(
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use: stop what listens there, or set ${setting} to another one.`
      : `HOST or ${setting}: this address cannot be listened on (${code}).`,
  );
}

/**
 * Checks that several processes can listen on a port together, and returns the port: the given one, or a free one for 0. The operating
 * system then divides the connections among them (`SO_REUSEPORT`). It listens once without sharing, because a shared port of another
 * program of this user would be joined without an error.
 * @throws ConfigError when the port is in use, or when this system or this version of Node does not share ports
 */
export async function sharedPort(place: Place): Promise<number> {
  const { host, port = 0 } = place;
  const alone = await listening({ host, port }).catch((error: unknown) => {
    throw listenError(error, place);
  });
  const chosen = (alone.address() as AddressInfo).port;
  await closed(alone);
  const servers: Server[] = [];
  try {
    for (let i = 0; i < 2; i += 1) servers.push(await listening({ host, port: chosen, reusePort: true }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(
      `QUIPU_WORKERS: several processes cannot share a port here (${code}). This needs Linux and Node 22.12, 23.1 or newer: set it to 1, and run several services behind a load balancer.`,
    );
  } finally {
    await Promise.all(servers.map(closed));
  }
  return chosen;
}

const listening = (at: ListenOptions): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject).listen(at, () => resolve(server));
  });

const closed = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
