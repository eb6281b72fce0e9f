import { once } from 'node:events';
import { connect as connectTcp, isIPv6, type Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { basicAuthOf } from '../http/basic-auth.ts';
import { failure, type OutboundFailure } from './outbound.ts';

/** HTTP proxy of the operator, through which connections are opened with CONNECT. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** Value of `Proxy-Authorization`; null without credentials. */
  readonly authorization: string | null;
}

const DEFAULT_PORT = 80;

/** True for a text that `readEgressProxy` accepts. */
export function isEgressProxy(text: string): boolean {
  try {
    return new URL(text).protocol === 'http:' && readEgressProxy(text).host !== '';
  } catch {
    return false;
  }
}

/** @param url `http://host:port`, with a percent-encoded user name and password if the proxy needs them */
export function readEgressProxy(url: string): EgressProxy {
  const proxy = new URL(url);
  const { hostname, port } = proxy;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || DEFAULT_PORT),
    authorization: basicAuthOf(proxy),
  };
}

/**
 * Opens a connection through the proxy to an address that was checked. The proxy receives no host name, so it resolves none.
 * @throws OutboundFailure `proxy_failed` when the proxy itself fails; `blocked_destination` when its rules forbid the address;
 * `connection` when it cannot reach the address, or has not responded when `signal` aborts
 */
export async function connectThrough(proxy: EgressProxy, address: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connectTcp({ host: proxy.host, port: proxy.port });
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw failure('proxy_failed', error);
  }
  const { statusCode, socket: tunnel } = await requestTunnel(
    socket,
    proxy,
    `${isIPv6(address) ? `[${address}]` : address}:${port}`,
    signal,
  );
  if (statusCode >= 200 && statusCode < 300) return tunnel as Socket;
  tunnel.on('error', () => undefined).destroy();
  throw refusalOf(statusCode);
}

const MAX_HEADER_BYTES = 16 * 1024;

/** @throws OutboundFailure `proxy_failed`, `connection` */
async function requestTunnel(
  socket: Socket,
  { host, port, authorization }: EgressProxy,
  destination: string,
  signal: AbortSignal,
): Promise<Dispatcher.ConnectData> {
  const client = new Client(`http://${isIPv6(host) ? `[${host}]` : host}:${port}`, {
    connect: (_, settle) => queueMicrotask(() => settle(null, socket)),
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
  });
  try {
    const headers = { host: destination, ...(authorization !== null && { 'proxy-authorization': authorization }) };
    return await client.connect({ path: destination, headers, signal });
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw failure(signal.aborted ? 'connection' : 'proxy_failed', error);
  } finally {
    client.destroy().catch(() => undefined); // the client no longer owns the tunnel
  }
}

const FORBIDDEN = 403;
/** Statuses of a proxy that could not connect. */
const UNREACHABLE: ReadonlySet<number> = new Set([502, 503, 504]);

function refusalOf(status: number): OutboundFailure {
  const why = `the egress proxy answered ${status}`;
  if (status === FORBIDDEN) return failure('blocked_destination', why);
  return failure(UNREACHABLE.has(status) ? 'connection' : 'proxy_failed', why);
}
