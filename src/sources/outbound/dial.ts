import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { SECOND_MS } from '../../domain/time.ts';
import { failure } from './failures.ts';

/** Where a connection goes. Addresses have been checked: nothing is looked up here. */
export interface Destination {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Name that the certificate must bear; null for plain http. */
  readonly certifiedFor: string | null;
}

/** For each address: connection and handshake. */
const CONNECT_MS = 5 * SECOND_MS;

/**
 * Opens one connection, to the first address that takes it.
 * @throws OutboundFailure `connection`, `tls`
 */
export async function dial({ addresses, port, certifiedFor }: Destination, signal: AbortSignal): Promise<Socket> {
  let fault: unknown;
  for (const address of addresses) {
    if (signal.aborted) break;
    const bound = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
    const socket = connectTcp({ host: address, port });
    try {
      await once(socket, 'connect', { signal: bound });
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      fault = error;
      continue;
    }
    return certifiedFor === null ? socket : secured(socket, certifiedFor, bound);
  }
  throw failure('connection', fault);
}

async function secured(socket: Socket, name: string, signal: AbortSignal): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host: name,
    servername: isIP(name) ? undefined : name,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    await once(secure, 'secureConnect', { signal });
    return secure;
  } catch (error) {
    secure.on('error', () => undefined).destroy();
    throw failure('tls', error);
  }
}
