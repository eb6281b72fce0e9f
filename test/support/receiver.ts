import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request that a webhook receiver got. */
export interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  /** Epoch ms. */
  readonly at: number;
}

/** Starts a webhook receiver on loopback for one test. It stores all requests, and answers 204 or by `reply`. */
export async function receiver(reply: (response: ServerResponse, nth: number) => void = (response) => response.writeHead(204).end()) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ headers: request.headers as Record<string, string>, body, at: Date.now() });
    reply(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received: received as readonly Received[] };
}
