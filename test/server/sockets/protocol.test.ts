import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { listening, openSocket, rawSocket, subscribe } from './support.ts';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
});
afterAll(() => app.close());

describe('SB-01 the protocol graphql-transport-ws', () => {
  it('closes with 4408 without a connection_init', async () => {
    expect((await rawSocket(host).closed).code).toBe(4408);
  });

  it('closes with 4401 on an operation before the acknowledgement', async () => {
    const socket = rawSocket(host);
    await socket.opened;
    socket.send(subscribe('1'));
    expect((await socket.closed).code).toBe(4401);
  });

  it('closes with 4429 on a second connection_init', async () => {
    const socket = await openSocket(host, app.key);
    socket.send({ type: 'connection_init' });
    expect((await socket.closed).code).toBe(4429);
  });

  it.each([
    ['a text that is not JSON', '{'],
    ['a type that is unknown', JSON.stringify({ type: 'start' })],
    ['a binary message', Buffer.from(JSON.stringify({ type: 'ping' }))],
  ])('closes with 4400 on %s', async (_, message) => {
    const socket = await openSocket(host, app.key);
    socket.send(message);
    expect((await socket.closed).code).toBe(4400);
  });

  it('closes with 1009 on a message over 64 KiB, and accepts one of 64 KiB', async () => {
    const socket = await openSocket(host, app.key);
    const ping = (size: number) => JSON.stringify({ type: 'ping', payload: { pad: 'x'.repeat(size - 36) } });
    socket.send(ping(64 * 1024));
    expect(await socket.received()).toMatchObject({ type: 'pong' });
    socket.send(ping(64 * 1024 + 10));
    expect((await socket.closed).code).toBe(1009);
  });

  it('closes with 4409 on an id that is in use', async () => {
    const socket = await openSocket(host, app.key);
    socket.send(subscribe('1'));
    socket.send(subscribe('1'));
    expect((await socket.closed).code).toBe(4409);
  });

  it('refuses another subprotocol, and closes with 4406 without one', async () => {
    const other = rawSocket(host, { protocol: 'graphql-ws' });
    expect((await other.closed).code).toBe(1006);
    const none = rawSocket(host, { protocol: null });
    expect((await none.closed).code).toBe(4406);
  });

  it('answers queries and mutations too, and pings', async () => {
    const socket = await openSocket(host, app.key);
    socket.send({ type: 'ping', payload: { n: 1 } });
    expect(await socket.received()).toEqual({ type: 'pong', payload: { n: 1 } });
    socket.send(subscribe('q', '{ company(identifier: "00.000.000/0001-91") { identifier } }'));
    expect(await socket.received()).toMatchObject({
      id: 'q',
      type: 'next',
      payload: { data: { company: { identifier: '00000000000191' } } },
    });
    expect(await socket.received()).toEqual({ id: 'q', type: 'complete' });
  });

  it('reports errors as HTTP does: with code and request id, without internal details', async () => {
    const socket = await openSocket(host, app.key);
    const codeOf = async (query: string, variables = {}) => {
      socket.send(subscribe('e', query, variables));
      const { type, payload } = await socket.received();
      const [error] = type === 'error' ? payload : payload.errors;
      expect(error.extensions.requestId).toMatch(/^[0-9a-f-]{36}$/);
      if (type !== 'error') await socket.received();
      const http = await app.query(query, variables);
      expect(error.extensions.code).toBe(http.body.errors[0].extensions.code);
      return error.extensions.code;
    };
    expect(await codeOf('{')).toBe('GRAPHQL_PARSE_FAILED');
    expect(await codeOf('{ nothing }')).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(await codeOf('query ($n: Int!) { companies(identifiers: [], country: BR) { id } node(id: $n) { id } }')).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
    expect(await codeOf('query ($n: String!) { company(identifier: $n) { id } }')).toBe('BAD_USER_INPUT');
    expect(await codeOf('{ company(identifier: "1") { id } }')).toBe('INVALID_INPUT');
  });
});
