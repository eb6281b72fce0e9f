import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Logger } from 'pino';
import type { Clock } from '../../domain/time.ts';
import type { SimulatedRequest, Simulator } from '../upstreams/simulator.ts';
import type { DnsZone } from '../world/dns-zone.ts';
import { MutableWorld } from '../world/mutable-world.ts';
import { CONTROL_PREFIX, control } from './control.ts';
import { Faults } from './faults.ts';
import { startNameServer } from './name-server.ts';
import { play, send } from './respond.ts';
import { WebhookInbox } from './webhook-inbox.ts';

export interface Sandbox {
  /** Base of every simulated upstream, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Its name server, host:port, by UDP and TCP. */
  readonly dns: string;
  readonly faults: Faults;
  /** Paths below the source's prefix (`/name/TYPE` for `dns`) of the requests so far, oldest first, failed ones included; the last 10,000. @throws AppError INVALID_INPUT on `source` */
  requestsTo(source: string): readonly string[];
  /** Ends every connection, hung ones too. */
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** Any free port where left out. */
  readonly port?: number;
  readonly simulators: readonly Simulator[];
  /** What its name server knows. */
  readonly zones?: readonly DnsZone[];
  readonly log?: Logger;
  readonly now?: Clock;
}

const REQUESTS_KEPT = 10_000;
/** The fault switches' name for the name server. */
const DNS = 'dns';

/**
 * Serves the simulated upstreams, their name server and their control API on loopback. A request under the name of a website goes to
 * the simulator `website`, the name before the path.
 * @throws Error EADDRINUSE where the port is taken
 */
export async function startSandbox({ port = 0, simulators, zones = [], log, now = Date.now }: SandboxOptions): Promise<Sandbox> {
  const names = [...simulators.map(({ name }) => name), DNS];
  const faults = new Faults(names);
  const requests = new Map<string, string[]>(names.map((name) => [name, []]));
  const world = new MutableWorld();
  const inbox = new WebhookInbox();
  const requestsTo = (source: string): readonly string[] => requests.get(faults.name(source)) ?? [];

  /** Notes a request and says which fault it meets. */
  const meet = (source: string, path: string) => {
    remember(requests.get(source), path);
    return faults.take(source, path);
  };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { pathname: encoded, searchParams } = new URL(req.url ?? '/', 'http://sandbox');
    const pathname = siteOf(req) + decoded(encoded);
    const method = req.method ?? 'GET';
    if (pathname.startsWith(CONTROL_PREFIX))
      return send(
        res,
        control(
          { method, path: pathname.slice(CONTROL_PREFIX.length), headers: single(req), body: await text(req), now: now() },
          { faults, world, inbox, requestsTo },
        ),
      );
    const simulator = simulators.find(({ name }) => `${pathname}/`.startsWith(`/${name.toLowerCase()}/`));
    if (!simulator)
      return send(res, { status: 404, headers: { 'content-type': 'text/plain' }, body: `No simulated upstream at ${pathname}\n` });
    const path = pathname.slice(simulator.name.length + 1);
    const fault = meet(simulator.name, path);
    log?.debug({ source: simulator.name, fault: fault?.mode }, 'sandbox request');
    const reply = await simulator.handle({ method, path, query: searchParams, headers: single(req), now: now(), world });
    await (fault ? play({ res, reply, fault, now, gone: goneSignal(res) }) : send(res, reply));
  };

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      if (res.closed) return;
      log?.error({ err: error }, 'sandbox failed');
      res.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const nameServer = await startNameServer({ zones, faultFor: (path) => meet(DNS, path), log });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dns: nameServer.address,
    faults,
    requestsTo,
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

function remember(paths: string[] | undefined, path: string): void {
  paths?.push(path);
  if (paths && paths.length > REQUESTS_KEPT) paths.shift();
}

/** `/website/<host>` where the request names another host than this machine, else nothing. */
function siteOf({ headers: { host = '' } }: IncomingMessage): string {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return /^(127(\.\d+){3}|localhost|\[::1\]|)$/.test(name) ? '' : `/website/${name}`;
}

/** `%2F` and its like read; a path that means nothing stays as it came. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

const single = (req: IncomingMessage): SimulatedRequest['headers'] =>
  Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]));

function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}
