import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The reply of a fake upstream: a JSON body, a text or bytes, or a function that writes the response itself. */
export type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Upstream {
  readonly url: string;
  /** Requested paths, in order. */
  readonly asked: readonly string[];
  /** Number of requests in progress. */
  readonly open: () => number;
}

/** Starts an HTTP server on loopback for one test and closes it after the test. Calls `reply` for each request; `nth` counts from 1. */
export async function upstream(reply: (path: string, nth: number) => Reply): Promise<Upstream> {
  const server = await startUpstream(reply);
  onTestFinished(() => server.close());
  return server;
}

/** Does the same as `upstream`, but the caller closes the server. */
export async function startUpstream(reply: (path: string, nth: number) => Reply): Promise<Upstream & { close(): Promise<void> }> {
  const asked: string[] = [];
  let open = 0;
  const server = createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    open += 1;
    response.on('close', () => {
      open -= 1;
    });
    const answer = reply(path, asked.length);
    if (typeof answer === 'function') return answer(request, response);
    const raw = typeof answer.body === 'string' || Buffer.isBuffer(answer.body);
    const headers = { 'content-type': raw ? 'text/html' : 'application/json', ...answer.headers };
    response.writeHead(answer.status ?? 200, headers).end(raw ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, open: () => open, close };
}
