import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * First port of the range, below the ports that Linux and macOS assign to outgoing connections (32768 and 49152 upwards), none of which
 * can hold such a port.
 */
const FIRST = 10_000;
const LAST = 32_767;
const ATTEMPTS = 20;

/**
 * Opens listeners that need one port on several addresses, for several protocols or again later: `open` gets a port, and another one when
 * it rejects with EADDRINUSE.
 * @throws other errors of `open`, and the EADDRINUSE of the last attempt
 */
export async function atPort<T>(open: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open(randomInt(FIRST, LAST + 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Returns a port of 127.0.0.1 that nothing uses now, for a program that gets its port as an argument. */
export const freePort = (): Promise<number> =>
  atPort(async (port) => {
    const probe = createServer().listen(port, '127.0.0.1');
    await once(probe, 'listening');
    probe.close();
    return port;
  });
