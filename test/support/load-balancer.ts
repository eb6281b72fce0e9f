import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A process behind the load balancer. */
export interface Backend {
  readonly url: string;
  /** False until its first health check, and from a failed check until the next success. */
  readonly isReady: boolean;
  /** Number of requests that it was sent, without health checks and sockets. */
  readonly requests: number;
  /** Number of open sockets. */
  readonly sockets: number;
}

/** An HTTP proxy on loopback, for one test. */
export interface LoadBalancer {
  readonly url: string;
  /** Begins to check the health of a process, and sends it requests and sockets while it is ready. */
  add(url: string): Backend;
  /** Removes a process. Its open connections stay open. */
  remove(backend: Backend): void;
}

const CHECK_MS = 250;
const CHECK_LIMIT_MS = 5_000;
/** Headers about one connection, which a proxy does not pass on. */
const OF_CONNECTION = /^(connection|keep-alive|transfer-encoding)$/i;

type Counted = { -readonly [name in keyof Backend]: Backend[name] };

/**
 * Sends each request and each socket to the next ready process, by round robin. A process is ready while the last check of its `/readyz`
 * returned 200. Nothing is repeated at another process: a request that its process refuses or drops gets 502, and a socket is closed.
 */
export async function loadBalancer(): Promise<LoadBalancer> {
  const backends = new Set<Counted>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  function next(): Counted | undefined {
    const ready = [...backends].filter(({ isReady }) => isReady);
    turn += 1;
    return ready[turn % ready.length];
  }

  const server = createServer((incoming, answer) => {
    const backend = next();
    if (!backend) return answer.writeHead(503).end();
    backend.requests += 1;
    passRequest(backend.url, agent, incoming, answer);
  });
  server.on('upgrade', (incoming: IncomingMessage, client: net.Socket, head: Buffer) => {
    const backend = next();
    client.on('error', () => undefined);
    if (!backend) return client.destroy();
    backend.sockets += 1;
    client.on('close', () => {
      backend.sockets -= 1;
    });
    passSocket(backend.url, incoming, client, head);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');

  async function check(backend: Counted): Promise<void> {
    while (backends.has(backend)) {
      const limit = AbortSignal.timeout(CHECK_LIMIT_MS);
      backend.isReady = await fetch(`${backend.url}/readyz`, { signal: limit }).then(
        ({ ok }) => ok,
        () => false,
      );
      await sleep(CHECK_MS);
    }
  }
  onTestFinished(() => {
    backends.clear();
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    add(url) {
      const backend = { url, isReady: false, requests: 0, sockets: 0 };
      backends.add(backend);
      void check(backend);
      return backend;
    },
    remove: (backend) => void backends.delete(backend),
  };
}

const passedOn = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)));

function passRequest(url: string, agent: Agent, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = incoming;
  const outgoing = httpRequest(new URL(incoming.url ?? '/', url), { agent, method, headers: passedOn(headers) }, (given) => {
    answer.writeHead(given.statusCode ?? 502, passedOn(given.headers));
    given.on('error', () => answer.destroy());
    given.pipe(answer);
  });
  outgoing.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
  incoming.pipe(outgoing);
}

function passSocket(url: string, { url: path, rawHeaders }: IncomingMessage, client: net.Socket, head: Buffer): void {
  const { hostname, port } = new URL(url);
  const upstream = net.connect(Number(port), hostname, () => {
    const lines = rawHeaders.map((text, n) => (n % 2 === 0 ? `${text}: ` : `${text}\r\n`));
    upstream.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    upstream.write(head);
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.on('close', () => upstream.destroy());
}
