import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import type { Clock } from '../../src/domain/time.ts';
import type { SimulatedRequest, Simulator } from '../upstreams/simulator.ts';
import type { DnsZone } from '../world/dns-zone.ts';
import { MutableWorld } from '../world/mutable-world.ts';
import { CONTROL_PREFIX, type ControlReply, type ControlRequest, control, WebhookInbox } from './control.ts';
import { Faults } from './faults.ts';
import { startNameServer } from './name-server.ts';
import { send, sendFault } from './respond.ts';

export interface Sandbox {
  /** Base URL of every simulated upstream, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Address of the name server, host:port, for UDP and TCP. */
  readonly dns: string;
  readonly faults: Faults;
  /**
   * Paths below the source's prefix (`/name/TYPE` for `dns`) of the last 10,000 requests, oldest first, including failed ones. @throws
   * AppError INVALID_INPUT on `source`
   */
  requestsTo(source: string): readonly string[];
  /** Answers a request to the control API like its address. */
  control(request: Pick<ControlRequest, 'method' | 'path' | 'body'>): ControlReply;
  /** Closes the servers and every connection, including those that hang. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Port; a free one if undefined. */
  readonly port?: number;
  /** Address to listen on; loopback if undefined. */
  readonly host?: string;
  readonly simulators: readonly Simulator[];
  /** Zones that the name server serves. */
  readonly zones?: readonly DnsZone[];
  readonly log?: Logger;
  readonly now?: Clock;
}

const REQUESTS_KEPT = 10_000;
/** Name of the name server among the fault sources. */
const DNS = 'dns';

/**
 * Serves the simulated upstreams, a name server and the control API on loopback. A request whose Host is a website goes to the simulator
 * `website`, with the host as the first segment of its path.
 * @throws Error EADDRINUSE if the port is in use
 */
export async function startSandbox({
  port = 0,
  host = '127.0.0.1',
  simulators,
  zones = [],
  log,
  now = Date.now,
}: SandboxOptions): Promise<Sandbox> {
  const names = [...simulators.map(({ name }) => name), DNS];
  const faults = new Faults(names);
  const requests = new Map<string, string[]>(names.map((name) => [name, []]));
  const world = new MutableWorld();
  const inbox = new WebhookInbox();
  const requestsTo = (source: string): readonly string[] => requests.get(faults.name(source)) ?? [];

  /** Records a request and returns the fault that applies to it; null for none. */
  const recordRequest = (source: string, path: string) => {
    appendRequest(requests.get(source), path);
    return faults.take(source, path);
  };

  const controlled = (request: Omit<ControlRequest, 'now'>): ControlReply =>
    control({ ...request, now: now() }, { faults, world, inbox, requestsTo });

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname: encoded, searchParams } = new URL(req.url ?? '/', 'http://sandbox');
    const pathname = siteOf(req) + decoded(encoded);
    const method = req.method ?? 'GET';
    if (pathname.startsWith(CONTROL_PREFIX))
      return send(
        res,
        controlled({ method, path: pathname.slice(CONTROL_PREFIX.length), headers: singleValues(req), body: await text(req) }),
      );
    const simulator = simulators.find(({ name }) => `${pathname}/`.startsWith(`/${name.toLowerCase()}/`));
    if (!simulator)
      return send(res, { status: 404, headers: { 'content-type': 'text/plain' }, body: `No simulated upstream at ${pathname}\n` });
    const path = pathname.slice(simulator.name.length + 1);
    const fault = recordRequest(simulator.name, path);
    log?.debug({ source: simulator.name, fault: fault?.mode }, 'sandbox request');
    const reply = await simulator.handle({ method, path, query: searchParams, headers: singleValues(req), now: now(), world });
    await (fault ? sendFault({ res, reply, fault, now, closed: closedSignal(res) }) : send(res, reply));
  };

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (res.closed) return;
      log?.error({ err: error }, 'sandbox failed');
      res.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const nameServer = await startNameServer({ zones, faultFor: (path) => recordRequest(DNS, path), log });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dns: nameServer.address,
    faults,
    requestsTo,
    control: (request) => controlled({ ...request, headers: {} }),
    async close() {
      await nameServer.close();
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function appendRequest(paths: string[] | undefined, path: string): void {
  paths?.push(path);
  if (paths && paths.length > REQUESTS_KEPT) paths.shift();
}

/** Returns `/website/<host>` for a request to another host than this machine, else an empty text. */
function siteOf({ headers: { host = '' } }: IncomingMessage): string {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return /^([\d.]+|localhost|\[[\da-f:]+\]|)$/.test(name) ? '' : `/website/${name}`;
}

/** Percent-decodes a path; an invalid one is returned unchanged. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

const singleValues = (req: IncomingMessage): SimulatedRequest['headers'] =>
  Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

function closedSignal(res: ServerResponse): AbortSignal {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  return closed.signal;
}
