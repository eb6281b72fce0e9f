import { connect } from 'node:net';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type TestApp, testApp } from './app.ts';
import { type FuzzedRequest, fuzzedRequest } from './fuzzed-requests.ts';

/** Internals that no response may show: stacks, files, SQL, own addresses, names of error classes. */
const INSIDES = /\bat [\w.<>]+ \(|node_modules|\.[jt]s:\d+|"stack"|syntax error at|relation "|ECONN|TypeError|SyntaxError|RangeError/;

/** Starts a service with limits too high for a fuzz test to reach. */
export async function appForFuzzing(): Promise<TestApp> {
  const large = { ceiling: 1_000_000, perMinute: 1_000_000_000, burst: 1_000_000_000 };
  const app = await testApp({
    env: { QUIPU_PLANS: JSON.stringify({ standard: { graphql: large, compliance_br: { rate: null } } }), QUIPU_METRICS_PORT: '0' },
  });
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

/** Sends generated requests to every path. @throws with a shrunk counterexample */
export async function sendFuzzedRequests(app: TestApp, requests: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fuzzedRequest(app.key), async ({ method, url, headers, payload }: FuzzedRequest) => {
      const answer = await app.server.inject({ method, url, headers, ...(payload !== undefined && { payload }) });
      const logged = app.lines.find(({ level, reqId }) => Number(level) >= 50 && reqId === answer.headers['x-request-id']);
      expect([answer.statusCode < 500, logged, answer.body.slice(0, 300)]).toEqual([true, undefined, expect.any(String)]);
      if (!url.startsWith('/graphql/assets')) expect(answer.body).not.toMatch(INSIDES);
    }),
    { numRuns: requests, endOnFailure: false },
  );
  expect(app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  (app.lines as unknown[]).length = 0;
}

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'GET / HTTP/1.1',
    'POST /graphql HTTP/1.1',
    'GET /v1/%zz HTTP/1.0',
    'POST /v1/kyb HTTP/9.9',
    'Host: x',
    'Content-Length: -1',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Upgrade: websocket',
    'Connection: upgrade',
    'Sec-WebSocket-Key: x',
    'Sec-WebSocket-Version: 13',
    'Content-Type: application/json',
    'X-API-Key: \u0000',
    'Expect: 100-continue',
    '',
    'ffffffffffffffff',
    '0',
  ),
);

/** Sends random lines, mostly not HTTP, to the port of the service. */
export async function sendRandomLines(app: TestApp, connections: number): Promise<void> {
  const port = Number(new URL(app.server.listeningOrigin ?? '').port);
  const garbage = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\r\n'));
  await fc.assert(
    fc.asyncProperty(garbage, async (text) => {
      const said = await exchange(port, text);
      expect(said).toMatch(/^$|^HTTP\/1\.1 [1-4]\d\d /);
      expect(said).not.toMatch(INSIDES);
    }),
    { numRuns: connections },
  );
  expect((await app.server.inject('/healthz')).statusCode).toBe(200);
}

/** Returns the response to a client that sends a text and half-closes its socket. */
function exchange(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(said));
  });
}
