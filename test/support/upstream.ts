import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What an upstream answers: a JSON body, a text or bytes, or full control of the response. */
export type Reply =
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface Upstream {
  readonly url: string;
  /** Paths asked, in order. */
  readonly asked: readonly string[];
  /** Requests being answered now. */
  readonly open: () => number;
}

/** A registry on loopback for one test, gone when it is over: `reply` is asked for each request. */
export async function upstream(reply: (path: string, nth: number) => Reply): Promise<Upstream> {
  const server = await standIn(reply);
  onTestFinished(() => server.close());
  return server;
}

/** The same for as long as its maker wants. */
export async function standIn(reply: (path: string, nth: number) => Reply): Promise<Upstream & { close(): Promise<void> }> {
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
