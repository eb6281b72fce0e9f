import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { createDns } from '../../../src/sources/dns/client.ts';
import type { Dns } from '../../../src/sources/dns/dns.ts';
import { createOutboundClient, type OutboundOptions } from '../../../src/sources/outbound/client.ts';
import type { OutboundAnswer, OutboundFailure, OutboundRequest } from '../../../src/sources/outbound/outbound.ts';
import { memoryLog } from '../../support/log.ts';
import { atPort } from '../../support/ports.ts';

/** Stands for the public internet: the one loopback address that test clients may dial. */
export const PUBLIC = '127.0.0.2';
/** Stands for our own network. */
export const PRIVATE = '127.0.0.1';

export const dnsOf = (address: string): Dns => createDns({ servers: [address], now: Date.now, log: memoryLog().log });

/** A client for one test that may dial PUBLIC and, of this machine, nothing else. No name resolves unless it has a `dns`. */
export function outbound(options: Partial<OutboundOptions> = {}) {
  const { log, lines } = memoryLog();
  const client = createOutboundClient({ dns: dnsOf('127.0.0.1:1'), allow: [`${PUBLIC}/32`], log, ...options });
  onTestFinished(() => client.close());
  const get = (url: string, more: Partial<OutboundRequest> = {}): Promise<OutboundAnswer> => client.request({ url: new URL(url), ...more });
  const kindOf = (url: string, more: Partial<OutboundRequest> = {}): Promise<string> =>
    get(url, more).then(
      ({ status }) => `answered ${status}`,
      ({ kind }: OutboundFailure) => kind,
    );
  return { client, get, kindOf, lines };
}

export interface Site {
  readonly port: number;
  /** `http://127.0.0.2:port` */
  readonly url: string;
  readonly asked: readonly IncomingMessage[];
  /** Connections open now. */
  readonly open: () => number;
}

/** A website on PUBLIC for one test, on a free port unless told which. */
export async function site(answer: RequestListener, at = 0): Promise<Site> {
  const asked: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  const open = connectionsOf(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(at, PUBLIC), 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://${PUBLIC}:${port}`, asked, open: () => open.size };
}

/** A listener that speaks no HTTP for one test: `speak` gets each connection. */
export async function listener(speak: (socket: Socket) => void, { host = PUBLIC, port = 0 } = {}) {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket.on('error', () => undefined);
    speak(socket);
  });
  const open = connectionsOf(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await once(server.listen(port, host), 'listening');
  return { port: (server.address() as AddressInfo).port, contacts: () => contacts, open: () => open.size };
}

/** Fails whoever touches it: `contacts` must stay 0. Listens on every address of this machine unless told which. */
export const canary = (where: { host?: string; port?: number } = {}) =>
  listener((socket) => socket.end('OPEN SESAME'), { host: '::', ...where });

/** A website on PUBLIC and a canary on PRIVATE, at the same port. */
export const siteBesideCanary = (answer: RequestListener) =>
  atPort(async (port) => ({ ...(await site(answer, port)), contacts: (await canary({ host: PRIVATE, port })).contacts }));

export function connectionsOf(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  return open;
}
