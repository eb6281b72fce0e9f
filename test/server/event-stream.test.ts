import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { append } from '../modules/monitor/feed-support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { CHANGES, listening, subscriberCount } from './sockets/support.ts';

let app: TestApp;
let host: string;
let keyId: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
  keyId = (await app.keys.find(app.key))?.keyId ?? '';
});
afterAll(() => app.close());

const COMPANY = '{ company(identifier: "00.000.000/0001-91") { identifier } }';
const COUNTED = '{ validateEmail(email: "nobody") { valid } }';
const DONE = 'event: complete\ndata:\n\n';

interface Asked {
  readonly method?: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly idempotencyKey?: string;
}

const ask = (
  query: string,
  { method = 'POST', key = app.key, body = { query }, accept = 'text/event-stream', idempotencyKey }: Asked = {},
) =>
  fetch(`http://${host}/graphql${method === 'GET' ? `?query=${encodeURIComponent(query)}` : ''}`, {
    method,
    headers: {
      'x-api-key': key,
      accept,
      'content-type': 'application/json',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });

/** The header of `@urql/core` for queries, of version 5 and 6. */
const URQL = 'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed';

describe('content negotiation', () => {
  it.each([
    [URQL, 'application/graphql-response+json'],
    ['application/json, text/event-stream', 'application/json'],
    ['text/event-stream;q=0, application/json', 'application/json'],
    ['text/event-stream;q=0.5, application/json', 'application/json'],
    ['text/event-stream;q=0.5, */*;q=0.8', 'application/json'],
    ['*/*', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
    ['TEXT/EVENT-STREAM', 'text/event-stream'],
  ])('answers a query with Accept: %s as %s', async (accept, type) => {
    const answer = await ask(COMPANY, { accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    await answer.text();
  });

  it.each([URQL, 'text/event-stream, multipart/mixed', 'application/json, text/event-stream;q=0.1'])(
    'answers a subscription with Accept: %s as an event stream',
    async (accept) => {
      const answer = await ask(CHANGES, { accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
      await answer.body?.cancel();
    },
  );

  it.each(['application/json', '*/*', 'text/event-stream;q=0, */*'])('answers no subscription with Accept: %s', async (accept) => {
    const answer = await ask(CHANGES, { accept });
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ extensions: { code: 'BAD_REQUEST' } }] }]);
  });

  it('answers thirty queries of a client at once, which accepts streams and JSON alike', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(COMPANY, { accept: URQL })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('keeps the Idempotency-Key of a client that accepts streams and JSON alike', async () => {
    const answers = [];
    for (let i = 0; i < 2; i += 1) answers.push(await ask(COUNTED, { accept: URQL, idempotencyKey: 'urql-1' }));
    expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  it.each([
    [COMPANY, 'text/event-stream'],
    [CHANGES, 'text/event-stream'],
    [CHANGES, URQL],
  ])('refuses an Idempotency-Key on a stream: %s with %s', async (query, accept) => {
    const answer = await ask(query, { accept, idempotencyKey: 'stream-1' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) } }] });
  });

  it.each([null, 'sk_unknown'])('answers the key %s in the media type that the request prefers', async (key) => {
    for (const type of ['application/graphql-response+json', 'application/json']) {
      const headers = { accept: type, 'content-type': 'application/json', ...(key && { 'x-api-key': key }) };
      const answer = await fetch(`http://${host}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: COMPANY }) });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([403, `${type}; charset=utf-8`]);
      await answer.text();
    }
  });
});

describe('event streams', () => {
  it.each(['GET', 'POST'])('answer a query by %s with its result and the end', async (method) => {
    const answer = await ask(COMPANY, { method });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const [, next, end] = /^event: next\ndata: (.*?)\n\n(.*)$/s.exec(await answer.text()) ?? [];
    expect(JSON.parse(next ?? '')).toMatchObject({ data: { company: { identifier: '00000000000191' } } });
    expect(end).toBe(DONE);
  });

  it('report errors of an operation as an event, with code and request id', async () => {
    for (const [query, code] of [
      ['{', 'GRAPHQL_PARSE_FAILED'],
      ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ company(identifier: "1") { id } }', 'INVALID_INPUT'],
      ['subscription { companyChanged(after: "x") { id } }', 'INVALID_INPUT'],
    ]) {
      const answer = await ask(query ?? '');
      const text = await answer.text();
      expect(text.endsWith(DONE)).toBe(true);
      const { errors } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '');
      expect(errors[0].extensions).toMatchObject({ code, requestId: answer.headers.get('x-request-id') });
    }
  });

  it('refuse what is no operation, a mutation by GET, and a key that does not open', async () => {
    for (const body of [[], { query: 1 }, { query: COMPANY, variables: 'x' }, { query: COMPANY, operationName: 1 }]) {
      const answer = await ask('', { body });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) } }] });
    }
    const mutation = await ask('mutation { cancelMonitor(input: { id: "mon_1" }) { monitor { id } } }', { method: 'GET' });
    expect(mutation.status).toBe(405);
    expect((await ask(COMPANY, { key: 'sk_unknown' })).status).toBe(403);
    expect(app.server.connectionCounts().streams).toBe(0);
  });

  it('end a subscription whose module the key lacks with MODULE_NOT_ENABLED', async () => {
    expect(await (await ask(CHANGES, { key: await app.keyFor('kyb') })).text()).toContain('"code":"MODULE_NOT_ENABLED"');
  });

  it('carry the cursor as the id of each change, and before the first one that of the start', async () => {
    const stream = await changesAfter();
    await stream.until(/^id: \S+\n\n/m);
    await append(app.db, 2, { keyId });
    const text = await stream.until(/(event: next\n[\s\S]*?\n\n){2}/);
    const events = [...text.matchAll(/^event: next\nid: (.*)\ndata: (.*)\n\n/gm)];
    expect(events.map(([, id]) => id)).toEqual(events.map(([, , data = '']) => JSON.parse(data).data.companyChanged.cursor));
    expect(/^:subscribed\nid: \S+\n\n/.exec(text)).not.toBeNull();

    const [, start] = /^id: (.*)$/m.exec(text) ?? [];
    const again = await changesAfter({ 'last-event-id': start ?? '' }, { after: events[1]?.[1] });
    expect((await again.until(/(event: next\n[\s\S]*?\n\n){2}/)).match(/^id: .*$/gm)?.slice(1)).toEqual(
      events.map(([, id]) => `id: ${id}`),
    );
  });

  it('refuse a Last-Event-ID that is no cursor, and ignore an empty one', async () => {
    const refused = await changesAfter({ 'last-event-id': 'x' });
    expect(await refused.until(/complete/)).toContain('"code":"INVALID_INPUT"');
    await (await changesAfter({ 'last-event-id': '' })).until(/^:subscribed/);
  });

  it('send each change once to a client that reconnects with its last cursor', async () => {
    const client = createClient({ url: `http://${host}/graphql`, headers: { 'X-API-Key': app.key } });
    const read: string[] = [];
    let after: string | undefined;
    const sent: string[] = [];
    await until(() => subscriberCount(app) === 0); // the server learns a moment later that the streams of the tests before have ended
    const first = client.iterate<{ companyChanged: { id: string; cursor: string } }>({ query: CHANGES });
    const step = first.next();
    await until(() => subscriberCount(app) === 1);
    for (let round = 0; round < 20; round += 1) {
      sent.push(...(await append(app.db, 5, { keyId })));
      const events =
        round === 0 ? first : client.iterate<{ companyChanged: { id: string; cursor: string } }>({ query: CHANGES, variables: { after } });
      const wanted = round === 19 ? sent.length : read.length + 3;
      if (round === 0) take((await step).value);
      while (read.length < wanted) take((await events.next()).value);
      await events.return?.(undefined);
    }
    expect(read).toEqual(sent.map((id) => `evt_${id.replaceAll('-', '')}`));
    await until(() => subscriberCount(app) === 0 && app.server.connectionCounts().streams === 0);

    function take({ data }: { data: { companyChanged: { id: string; cursor: string } } }) {
      read.push(data.companyChanged.id);
      after = data.companyChanged.cursor;
    }
  }, 120_000); // twenty connections, one after another
});

/** Subscribes to changes. `until` reads the stream until its text matches. */
async function changesAfter(headers: Record<string, string> = {}, variables: object = {}) {
  const { body } = await fetch(`http://${host}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': app.key, accept: 'text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: CHANGES, variables }),
  });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => reader?.cancel());
  let text = '';
  return {
    async until(pattern: RegExp): Promise<string> {
      while (!pattern.test(text)) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`the stream ended before ${pattern}: ${text}`);
        text += value;
      }
      return text;
    },
  };
}
