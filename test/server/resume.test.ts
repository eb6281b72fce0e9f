import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SubscriptionError, subscribe } from '../../clients/resume.js';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { type CutProxy, cutProxy } from './sockets/cut-proxy.ts';
import { write } from './sockets/resuming.ts';
import { CHANGES, listening, subscriberCount } from './sockets/support.ts';

interface Changed {
  readonly companyChanged: { readonly id: string; readonly cursor: string };
}

let app: TestApp;
let proxy: CutProxy;

beforeAll(async () => {
  app = await testApp({ listsTried: false });
  proxy = await cutProxy(await listening(app), ':subscribed');
});
afterAll(async () => {
  proxy.close();
  await app.close();
});

const options = (key = app.key) => ({
  url: `${proxy.url}/graphql`,
  headers: { 'X-API-Key': key },
  query: CHANGES,
  retryMs: 5,
  maxRetryMs: 20,
});

describe('the client that resumes', () => {
  it('receives each change once over lost connections, also what was found while it was away and before its first event', async () => {
    const sent: string[] = [];
    const read: string[] = [];
    const retries: Error[] = [];
    const events = subscribe<Changed>({ ...options(), onRetry: (error) => retries.push(error) });
    const first = events.next();
    await until(() => proxy.marked === 1);
    proxy.isDown = true;
    proxy.end();
    await until(() => subscriberCount(app) === 0);
    sent.push(...(await write(app, 3)));
    proxy.isDown = false;
    for (let step = await first; !step.done; step = await events.next()) {
      expect(step.value.id).toBe(step.value.data.companyChanged.cursor);
      read.push(step.value.data.companyChanged.id);
      if (read.length === sent.length && sent.length >= 43) break;
      if (read.length % 4 === 3) {
        sent.push(...(await write(app, 4)));
        proxy.cut();
      }
    }
    await events.return();
    expect(read).toEqual(sent);
    expect(retries.length).toBeGreaterThan(5);
    await until(() => subscriberCount(app) === 0);
  });

  it('continues after a restart of its program with the id that it stored', async () => {
    const before = subscribe<Changed>(options());
    const waiting = before.next();
    await until(() => subscriberCount(app) === 1);
    const [, ...missed] = await write(app, 3);
    const { value } = await waiting;
    await before.return();
    const after = subscribe<Changed>({ ...options(), ...(value?.id && { lastEventId: value.id }) });
    const read = [await after.next(), await after.next()].map((step) => step.value?.data.companyChanged.id);
    await after.return();
    expect(read).toEqual(missed);
  });

  it('does not try again with a key that is refused, a module that is missing, or a cursor that is none', async () => {
    const refused = async (changed: object) => {
      const onRetry = () => expect.unreachable();
      const error: unknown = await subscribe({ ...options(), onRetry, ...changed })
        .next()
        .catch((thrown: unknown) => thrown);
      return error instanceof SubscriptionError ? error.errors[0]?.extensions?.code : error;
    };
    expect(await refused({ headers: { 'X-API-Key': 'sk_unknown' } })).toBe('INVALID_API_KEY');
    expect(await refused({ headers: { 'X-API-Key': await app.keyFor('kyb') } })).toBe('MODULE_NOT_ENABLED');
    expect(await refused({ lastEventId: 'x' })).toBe('INVALID_INPUT');
  });

  it('ends with its signal, also while it waits to connect again', async () => {
    proxy.isDown = true;
    proxy.cut();
    const abort = new AbortController();
    const events = subscribe({
      ...options(),
      maxRetryMs: 60_000,
      retryMs: 60_000,
      signal: abort.signal,
      onRetry: () => abort.abort(new Error('enough')),
    });
    await expect(events.next()).rejects.toThrow('enough');
    proxy.isDown = false;
  });

  it('counts a silent connection as lost', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const abort = new AbortController();
    const retried = new Promise<Error>((resolve) => {
      const events = subscribe({
        ...options(),
        url: `http://127.0.0.1:${(silent.address() as { port: number }).port}`,
        silenceMs: 50,
        signal: abort.signal,
        onRetry: resolve,
      });
      events.next().catch(() => undefined);
    });
    expect((await retried).message).toContain('silent');
    abort.abort();
    silent.close();
  });
});
