import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { append } from '../modules/monitor/feed-support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { CHANGES, followers, listening } from './sockets/support.ts';

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
const DONE = 'event: complete\ndata:\n\n';

interface Asked {
  readonly method?: string;
  readonly key?: string;
  readonly body?: unknown;
}

const ask = (query: string, { method = 'POST', key = app.key, body = { query } }: Asked = {}) =>
  fetch(`http://${host}/graphql${method === 'GET' ? `?query=${encodeURIComponent(query)}` : ''}`, {
    method,
    headers: { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
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

  it('tell what is wrong with an operation as an event, with its code and the request id', async () => {
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
    const mutation = await ask('mutation { cancelMonitor(id: "mon_1") { id } }', { method: 'GET' });
    expect(mutation.status).toBe(405);
    expect((await ask(COMPANY, { key: 'sk_unknown' })).status).toBe(403);
    expect(app.server.connectionCounts().streams).toBe(0);
  });

  it('end a subscription whose module the key lacks with MODULE_NOT_ENABLED', async () => {
    expect(await (await ask(CHANGES, { key: await app.keyFor('kyb') })).text()).toContain('"code":"MODULE_NOT_ENABLED"');
  });

  it('give each change once to a client that comes and goes with its last cursor', async () => {
    const client = createClient({ url: `http://${host}/graphql`, headers: { 'X-API-Key': app.key } });
    const read: string[] = [];
    let after: string | undefined;
    const sent: string[] = [];
    const first = client.iterate<{ companyChanged: { id: string; cursor: string } }>({ query: CHANGES });
    const step = first.next();
    await until(() => followers(app) === 1);
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
    await until(() => followers(app) === 0 && app.server.connectionCounts().streams === 0);

    function take({ data }: { data: { companyChanged: { id: string; cursor: string } } }) {
      read.push(data.companyChanged.id);
      after = data.companyChanged.cursor;
    }
  });
});
