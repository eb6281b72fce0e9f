import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { InMemoryCache } from '@apollo/client/core/index.js';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { isObjectType, parse } from 'graphql';
import { Webhook } from 'standardwebhooks';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import * as documents from '../../clients/typescript/src/generated/graphql.ts';
import {
  ChangeFeedDocument,
  ComplianceDocument,
  createClient,
  keys,
  PortfolioDocument,
  possibleTypes,
  QuipuError,
  SourcesDocument,
  typePolicies,
  verifyWebhook,
  WatchDocument,
} from '../../clients/typescript/src/index.ts';
import { pathOf } from './client-inputs.ts';
import { installClient } from './client-package.ts';
import { ROOT } from './command.ts';
import { generateClient } from './generate.ts';
import { CHILEAN, DEBARRED, SANCTIONED } from './portfolio.ts';
import { schema } from './schema.ts';

const url = inject('url');
const client = createClient({ url, key: inject('key') });

const errorOf = async (promise: Promise<unknown>): Promise<QuipuError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(QuipuError);
  return error as QuipuError;
};

/** The address of a server that is not the service. */
async function served(answer: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('@quipu/client', () => {
  it('has files that are generated from the schema as it is', async () => {
    const files = await generateClient();
    for (const [name, text] of Object.entries(files)) {
      const committed = await readFile(`${ROOT}/${pathOf(name)}`, 'utf8');
      expect(committed === text, `${name}: npm run generate`).toBe(true);
    }
    expect(Object.keys(files)).toEqual(['graphql.ts', 'caches.ts', 'rest.ts']);
  });

  it('runs the shipped operations with their types', async () => {
    const { company } = await client.query(ComplianceDocument, { identifier: DEBARRED });
    expect(company?.compliance?.riskLevel).toBe('MEDIUM');
    const { sources } = await client.query(SourcesDocument);
    expect(sources.map(({ name }) => name)).toContain('CEIS');
    const { createMonitor } = await client.query(WatchDocument, { input: { identifiers: [DEBARRED], country: 'BR' } });
    expect(createMonitor?.secret).toMatch(/^whsec_/);
  });

  it('sends each operation as the text that its manifest of trusted documents has', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-manifest-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await installClient(folder);
    const manifest: Record<string, string> = JSON.parse(
      await readFile(`${folder}/node_modules/@quipu/client/dist/trusted-documents.json`, 'utf8'),
    );
    const texts = Object.values(manifest);
    expect(texts.map((text) => createHash('sha256').update(text).digest('hex'))).toEqual(Object.keys(manifest));
    const operations = Object.keys(documents).filter((name) => name.endsWith('Document'));
    expect(texts).toHaveLength(operations.length);
    const sent: string[] = [];
    const record: typeof fetch = (address, init) => {
      sent.push(JSON.parse(String(init?.body)).query);
      return fetch(address, init);
    };
    await createClient({ url, key: inject('key'), fetch: record }).query(ComplianceDocument, { identifier: DEBARRED });
    expect(texts).toContain(sent[0]);
  });

  it('calls endpoints of REST with a body, a path and a query, and returns what is not JSON as text', async () => {
    const { is_debarred } = await client.rest('POST /v1/debarment', { body: { identifier: DEBARRED, country: 'BR' } });
    expect(is_debarred).toBe(true);
    const { screening_id } = await client.rest('POST /v1/screenings', { body: { identifiers: [DEBARRED, SANCTIONED], country: 'BR' } });
    const path = { id: screening_id };
    await expect.poll(async () => (await client.rest('GET /v1/screenings/{id}', { path })).state, { timeout: 30_000 }).toBe('done');
    const { results } = await client.rest('GET /v1/screenings/{id}/results', { path, query: { limit: '1' } });
    expect(results).toHaveLength(1);
    expect(await client.rest('GET /v1/screenings/{id}/results.csv', { path })).toContain('\n');
  });

  it('repeats a call under the same idempotency key', async () => {
    const idempotencyKey = 'client-package-1';
    const created = () =>
      client.rest('POST /v1/monitor/subscriptions', {
        body: { identifiers: [SANCTIONED], country: 'BR', webhook_url: `${inject('sandbox')}/_control/webhooks/again` },
        idempotencyKey,
      });
    expect((await created()).subscription_id).toBe((await created()).subscription_id);
  });
});

describe('subscribe', () => {
  it('yields the progress of a screening over server-sent events, and ends when the service completes it', async () => {
    const portfolio = { identifiers: [DEBARRED, SANCTIONED], country: 'BR' as const };
    const { screening_id } = await client.rest('POST /v1/screenings', { body: portfolio });
    const progress = parse('subscription ($id: ID!) { screeningProgress(id: $id) { state done total } }') as TypedDocumentNode<
      { readonly screeningProgress: { readonly state: string; readonly done: number; readonly total: number } },
      { id: string }
    >;
    const states: object[] = [];
    for await (const { data, errors } of client.subscribe(progress, { id: screening_id }, { onRetry: expect.unreachable }))
      states.push({ ...data.screeningProgress, errors });
    expect(states.at(-1)).toEqual({ state: 'DONE', done: 2, total: 2, errors: [] });
  });

  it('throws a refusal and does not try again', async () => {
    const refused = createClient({ url, key: 'sk_unknown' }).subscribe(ChangeFeedDocument, {}, { onRetry: expect.unreachable });
    expect(await errorOf(refused.next())).toMatchObject({ code: 'INVALID_API_KEY', status: 403, isRetryable: false });
  });
});

describe('QuipuError', () => {
  it('has the code, the status and the request of a refusal, the same for both APIs', async () => {
    const refused = createClient({ url, key: 'sk_unknown' });
    const facts = { code: 'INVALID_API_KEY', status: 403, requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(await errorOf(refused.query(SourcesDocument))).toMatchObject(facts);
    expect(await errorOf(refused.rest('GET /v1/sources'))).toMatchObject(facts);
    expect(await errorOf(createClient({ url }).rest('GET /v1/sources'))).toMatchObject({ code: 'MISSING_API_KEY' });
  });

  it('has the field of an invalid input, and the path where a path parameter needs escaping', async () => {
    const error = await errorOf(client.rest('POST /v1/kyb', { body: { identifier: '99.030.001/0001-47', country: 'BR' } }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', status: 422, details: { errors: [{ field: 'identifier' }] } });
    expect(await errorOf(client.rest('GET /v1/screenings/{id}', { path: { id: '../sources' } }))).toMatchObject({ status: 404 });
  });

  it('is thrown when a field failed, and has the others', async () => {
    const identifiers = [DEBARRED, 'not a tax id'];
    const error = await errorOf(client.query(PortfolioDocument, { identifiers }));
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      status: 200,
      errors: [{ path: ['companies', 1] }],
      data: { companies: [{ compliance: { riskLevel: 'MEDIUM' } }, null] },
    });
  });

  it('has the seconds after which to try again', async () => {
    const problem = { code: 'rate_limited', detail: 'Later.', status: 429 };
    const address = await served((_, answer) =>
      answer.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '7' }).end(JSON.stringify(problem)),
    );
    expect(await errorOf(createClient({ url: address }).rest('GET /v1/sources'))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 7 });
    const busy = await served((_, answer) =>
      answer.writeHead(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }).end('<h1>Busy</h1>'),
    );
    const { retryAfter, isRetryable } = await errorOf(createClient({ url: busy }).rest('GET /v1/sources'));
    expect([isRetryable, Math.abs((retryAfter ?? 0) - 60) < 30]).toEqual([true, true]);
  });

  it('tells an answer of something else, and no answer, from one of the service', async () => {
    const proxy = await served((_, answer) => answer.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'));
    expect(await errorOf(createClient({ url: proxy }).query(SourcesDocument))).toMatchObject({ code: 'INVALID_ANSWER', status: 502 });
    const page = await served((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>'));
    expect(await errorOf(createClient({ url: page }).rest('GET /v1/sources'))).toMatchObject({ code: 'INVALID_ANSWER', status: 200 });
    const events = createClient({ url: page }).subscribe(ChangeFeedDocument, {}, { onRetry: expect.unreachable });
    expect(await errorOf(events.next())).toMatchObject({ code: 'INVALID_ANSWER', status: 200 });
    const silent = await served(() => undefined);
    expect(await errorOf(createClient({ url: silent, timeoutMs: 50 }).rest('GET /v1/sources'))).toMatchObject({ code: 'NETWORK' });
    expect(await errorOf(createClient({ url: 'http://127.0.0.1:1' }).query(SourcesDocument))).toMatchObject({ code: 'NETWORK' });
  });

  it('ends an answer of more bytes than the caller allows', async () => {
    const address = await served(({ url }, answer) =>
      answer.writeHead(url === '/v1/sources' ? 200 : 502, { 'content-type': 'application/json' }).end('{ "sources": "á" }'),
    );
    const clientFor = (maxAnswerBytes: number) => createClient({ url: address, maxAnswerBytes });
    expect(await clientFor(19).rest('GET /v1/sources')).toEqual({ sources: 'á' });
    const { code, status, isRetryable, message } = await errorOf(clientFor(18).rest('GET /v1/sources'));
    expect({ code, status, isRetryable, message }).toEqual({
      ...{ code: 'ANSWER_TOO_LARGE', status: 200, isRetryable: false },
      message: `${address} sent an answer of more than 18 bytes.`,
    });
    expect(await errorOf(clientFor(18).query(SourcesDocument))).toMatchObject({ code: 'INVALID_ANSWER', status: 502, isRetryable: true });
  });

  it('is not thrown for the signal of the caller', async () => {
    const silent = await served((_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).write('{'));
    for (const delayMs of [0, 50]) {
      const abort = new AbortController();
      const asked = createClient({ url: silent }).rest('GET /v1/sources', { signal: abort.signal });
      setTimeout(() => abort.abort(new Error('enough')), delayMs);
      await expect(asked).rejects.toThrow('enough');
    }
  });
});

describe('verifyWebhook', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = JSON.stringify({ subscription_id: 'mon_1', identifier: DEBARRED, country: 'BR', changed_fields: {}, detected_at: 'x' });
  const sign = (at = new Date(), key = secret) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
    'webhook-signature': new Webhook(key).sign('evt_1', at, body),
  });

  it('returns the event of what standardwebhooks signed: text or bytes, headers of any form, one of two signatures', async () => {
    const event = { ...JSON.parse(body), event_id: 'evt_1' };
    expect(await verifyWebhook(secret, sign(), body)).toEqual(event);
    expect(await client.verifyWebhook(secret, new Headers(sign()), new TextEncoder().encode(body))).toEqual(event);
    const { 'webhook-signature': signature, ...rest } = sign();
    expect(await verifyWebhook(secret, { ...rest, 'Webhook-Signature': `v1,AAAA v2,x v1,A ${signature}` }, body)).toEqual(event);
  });

  it('refuses another body, another secret, an old or future timestamp, and missing headers', async () => {
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    const refused: Parameters<typeof verifyWebhook>[] = [
      [secret, sign(), `${body} `],
      ['whsec_c29tZXRoaW5nIGVsc2U=', sign(), body],
      [secret, sign(minutes(-6)), body],
      [secret, sign(minutes(6)), body],
      [secret, { ...sign(), 'webhook-id': 'evt_2' }, body],
      [secret, { ...sign(), 'webhook-timestamp': undefined }, body],
      [secret, { ...sign(), 'webhook-signature': '' }, body],
      [secret, { ...sign(), 'webhook-signature': 'v1,A' }, body],
      ['sk_a_key', sign(), body],
    ];
    for (const given of refused) expect(await errorOf(verifyWebhook(...given))).toMatchObject({ code: 'INVALID_SIGNATURE' });
  });
});

describe('what the package has for client caches', () => {
  it('has a key for every object type with an id, none for the others, and the types of every interface', () => {
    const objects = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && !/^(__|Query$|Mutation$|Subscription$)/.test(type.name),
    );
    const hasId = new Map(objects.map((type) => [type.name, isObjectType(type) && 'id' in type.getFields()]));
    const by = <T>(entity: T, part: T) => Object.fromEntries([...hasId].map(([name, has]) => [name, has ? entity : part]));
    const parts = [...hasId].flatMap(([name, has]) => (has ? [] : [name]));
    expect(typePolicies).toEqual(Object.fromEntries(parts.map((name) => [name, { keyFields: false, merge: true }])));
    const keysOf = (data: object) => Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, key(data)]));
    expect(keysOf({ id: 'an id' })).toEqual(by<string | null>('an id', null));
    expect(keysOf({})).toEqual(by<string | null>(null, null));
    expect(possibleTypes).toEqual({ Node: expect.arrayContaining(['Company', 'Monitor', 'Change']) });
  });

  it('are accepted by Apollo Client, which reads an operation from its cache', async () => {
    const cache = new InMemoryCache({ typePolicies, possibleTypes });
    const data = await client.query(PortfolioDocument, { identifiers: [DEBARRED, CHILEAN] }).catch(({ data }) => data);
    cache.writeQuery({ query: PortfolioDocument, variables: { identifiers: [DEBARRED] }, data });
    const cached = cache.readQuery({ query: PortfolioDocument, variables: { identifiers: [DEBARRED] } });
    expect(cached?.companies).toMatchObject([{ compliance: { riskLevel: 'MEDIUM' } }, {}]);
  });
});
