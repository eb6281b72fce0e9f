import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuipuError } from '../../clients/typescript/src/error.ts';
import { type SubscribeOptions, subscribe } from '../../clients/typescript/src/event-stream.ts';
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

const FAST = { retryMs: 5, maxRetryMs: 20 };

/** Follows changes through the proxy. */
const follow = (options: SubscribeOptions = {}, key = app.key) =>
  subscribe<Changed>({ url: proxy.url, key }, { query: CHANGES }, { ...FAST, ...options });

describe('the client that resumes an event stream', () => {
  it('receives each change once over lost connections, also what was found while it was away and before its first event', async () => {
    const sent: string[] = [];
    const read: string[] = [];
    const retries: Error[] = [];
    const events = follow({ onRetry: (error) => retries.push(error) });
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
    const before = follow();
    const waiting = before.next();
    await until(() => subscriberCount(app) === 1);
    const [, ...missed] = await write(app, 3);
    const { value } = await waiting;
    await before.return();
    const after = follow({ lastEventId: value?.id });
    const read = [await after.next(), await after.next()].map((step) => step.value?.data.companyChanged.id);
    await after.return();
    expect(read).toEqual(missed);
  });

  it('does not try again with a key that is refused, a module that is missing, or a cursor that is none', async () => {
    const refused = async (key?: string, lastEventId?: string) => {
      const onRetry = () => expect.unreachable();
      const error: unknown = await follow({ onRetry, lastEventId }, key)
        .next()
        .catch((thrown: unknown) => thrown);
      return error instanceof QuipuError ? error.code : error;
    };
    expect(await refused('sk_unknown')).toBe('INVALID_API_KEY');
    expect(await refused(await app.keyFor('kyb'))).toBe('MODULE_NOT_ENABLED');
    expect(await refused(undefined, 'x')).toBe('INVALID_INPUT');
  });

  it('ends with its signal, also while it waits to connect again', async () => {
    proxy.isDown = true;
    proxy.cut();
    const abort = new AbortController();
    const onRetry = () => abort.abort(new Error('enough'));
    const events = follow({ maxRetryMs: 60_000, retryMs: 60_000, signal: abort.signal, onRetry });
    await expect(events.next()).rejects.toThrow('enough');
    proxy.isDown = false;
  });

  it('counts a silent connection as lost', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const abort = new AbortController();
    const url = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
    const retried = new Promise<Error>((resolve) => {
      const events = subscribe({ url }, { query: CHANGES }, { silenceMs: 50, signal: abort.signal, onRetry: resolve });
      events.next().catch(() => undefined);
    });
    expect((await retried).message).toContain('silent');
    abort.abort();
    silent.close();
  });
});
