import type { TestApp } from '../../support/app.ts';
import { listening, openSocket, subscribe } from '../sockets/support.ts';

/** What became of an operation. */
export interface Outcome {
  /** Of HTTP; on a socket, 400 stands for an `error` message. */
  readonly status: number;
  /** Codes of the errors, in order. */
  readonly codes: readonly string[];
  readonly messages: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of a body
  readonly body: any;
}

export type Ask = (query: string, variables?: object, operationName?: string) => Promise<Outcome>;

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of a body
const outcome = (status: number, body: any): Outcome => {
  const errors: { message: string; extensions: { code: string } }[] = body.errors ?? [];
  return { status, codes: errors.map(({ extensions }) => extensions.code), messages: errors.map(({ message }) => message), body };
};

export const overHttp =
  (app: TestApp, key = app.key): Ask =>
  async (query, variables, operationName) => {
    const { status, body } = await app.post('/graphql', { query, variables, operationName }, key);
    return outcome(status, body);
  };

/** A socket for each operation, so that none is held up by the limit of messages. */
export const overSocket =
  (app: TestApp, key = app.key): Ask =>
  async (query, variables, operationName) => {
    const socket = await openSocket(await listening(app), key);
    const message = subscribe('1', query, variables);
    socket.send({ ...message, payload: { ...message.payload, operationName } });
    const { type, payload } = await socket.received();
    socket.ws.terminate();
    return type === 'error' ? outcome(400, { errors: payload }) : outcome(200, payload);
  };

/** As one event; 400 stands for one without data. */
export const overStream =
  (app: TestApp, key = app.key): Ask =>
  async (query, variables, operationName) => {
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': key };
    const body = JSON.stringify({ query, variables, operationName });
    const answer = await fetch(`http://${await listening(app)}/graphql`, { method: 'POST', headers, body });
    const [, text = ''] = /^event: next\ndata: (.*)$/m.exec(await answer.text()) ?? [];
    const result = JSON.parse(text);
    return outcome(result.data ? 200 : 400, result);
  };

/** Every way to ask. */
export const TRANSPORTS: Readonly<Record<string, (app: TestApp, key?: string) => Ask>> = {
  HTTP: overHttp,
  WebSocket: overSocket,
  'an event stream': overStream,
};

/** `count` times what `make` gives, one behind the other. */
export const times = (count: number, make: (i: number) => string, between = ' '): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(between);

/** What no caller may see of us: stacks, statements, folders, addresses, settings. */
export const LEAKS =
  /select .* from|\bat .+:\d+:\d+|node_modules|\/srv\/|\/work\/|\/home\/|file:\/\/|127\.0\.0\.1|QUIPU_|TypeError|RangeError|stack/i;
