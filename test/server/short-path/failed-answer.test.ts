import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestContext } from '../../../src/context.ts';
import { type Answer, type AnswerParts, createAnswer } from '../../../src/server/short-path/answer.ts';
import { createShortPath } from '../../../src/server/short-path/step.ts';
import { memoryLog } from '../../support/log.ts';

const CONTEXT = { requestId: 'req', rateLimits: () => [], uses: { modules: new Set(), counted: new Map() } } as unknown as RequestContext;

/** Sends a request to a server with this listener. Returns the text of the answer, or the error of the client. */
async function sendTo(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', 'x-api-key': 'sk' };
  return fetch(`http://127.0.0.1:${port}/v1/kyb`, { method: 'POST', body: '{"a":1}', headers })
    .then((response) => response.text())
    .catch((failure: unknown) => failure);
}

/** Sends a request to a server that answers by `createAnswer`. Returns the error of the client, and the messages of the log. */
async function failureOf(answered: unknown, contextFor: () => RequestContext) {
  const { log, lines } = memoryLog();
  const answer = createAnswer({
    contextFor,
    deadlineMs: 5_000,
    allowedOrigins: [],
    isDraining: () => false,
    log,
  } as unknown as AnswerParts);
  const error = await sendTo(({ headers }, response) => {
    answer({ path: '/v1/kyb', headers, response, caller: {} as never, work: async () => answered as Answer, startedAt: 0 });
  });
  return { error, messages: lines.map(({ msg }) => msg) };
}

it.each<[string, unknown, () => RequestContext]>([
  ['its body fails after its head was sent', { status: 200, headers: [], type: 'text/plain', text: 5 }, () => CONTEXT],
  [
    'its context cannot be created',
    { status: 200, headers: [], type: 'text/plain', text: 'ok' },
    () => {
      throw new Error('a defect');
    },
  ],
])('an answer that cannot be sent is logged and ends its connection: %s', async (_, answered, contextFor) => {
  const { error, messages } = await failureOf(answered, contextFor); // the test run fails for an error that nothing handles
  expect(error).toBeInstanceOf(TypeError);
  expect(messages).toContain('an answer could not be sent');
});

it('a request whose body fails to be read on the short path takes the full path with its body', async () => {
  const { log, lines } = memoryLog();
  const body = {
    safeParse() {
      throw new Error('a defect');
    },
  };
  const parts = {
    routes: [{ method: 'POST', path: '/v1/kyb', body }],
    authenticator: { known: () => ({}) },
    executions: { refusal: () => null },
    readJson: (text: string) => ({ body: JSON.parse(text) }),
    isDraining: () => false,
    allowedOrigins: [],
    log,
  };
  const [step] = createShortPath({ addHook: () => undefined } as never, parts as never);
  const answered = await sendTo((request, response) => step?.(request, response, () => request.pipe(response)));
  expect(answered).toBe('{"a":1}');
  expect(lines.map(({ msg }) => msg)).toEqual(['the short path failed']);
});
