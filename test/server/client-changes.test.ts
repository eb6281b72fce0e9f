import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Change, type ChangeOptions, createClient, type QuipuError } from '../../clients/typescript/src/index.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';
import { type CutProxy, cutProxy } from './sockets/cut-proxy.ts';
import { write } from './sockets/resuming.ts';
import { listening, subscriberCount } from './sockets/support.ts';

let app: TestApp;
let proxy: CutProxy;

beforeAll(async () => {
  app = await testApp({ listsTried: false });
  proxy = await cutProxy(await listening(app), 'connection_ack');
});
afterAll(async () => {
  proxy.close();
  await app.close();
});
beforeEach(() => {
  proxy.isDown = false;
});

const changesOf = (options: ChangeOptions = {}, key = app.key, url = proxy.url) =>
  createClient({ url, key }).subscribeToChanges({ retryMs: 5, ...options });

/** Reads this many changes and ends the subscription. */
async function idsOf(changes: AsyncGenerator<Change, void>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of changes) if (ids.push(id) === count) break;
  return ids;
}

async function reasonOf(changes: AsyncGenerator<Change, void>): Promise<unknown> {
  return changes.next().then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('subscribeToChanges of the client package', () => {
  it('yields each change once over lost connections, also what was found while it was away and before its first event', async () => {
    const sent: string[] = [];
    const read: string[] = [];
    const saved: string[] = [];
    const reasons: string[] = [];
    const changes = changesOf({ saveCursor: (cursor) => void saved.push(cursor), onRetry: ({ code }) => reasons.push(code) });
    const first = changes.next();
    await until(() => proxy.marked > 0);
    proxy.isDown = true;
    proxy.cut();
    await until(() => subscriberCount(app) === 0);
    sent.push(...(await write(app, 3)));
    proxy.isDown = false;
    for (let step = await first; !step.done; step = await changes.next()) {
      read.push(step.value.id);
      expect(saved).toHaveLength(read.length); // the start, and all but this one
      if (read.length === sent.length && sent.length >= 43) break;
      if (read.length % 4 === 3) {
        sent.push(...(await write(app, 4)));
        proxy.cut();
      }
    }
    await changes.return();
    expect(read).toEqual(sent);
    expect(reasons.length).toBeGreaterThan(5);
    expect(new Set(reasons)).toEqual(new Set(['NETWORK']));
    await until(() => subscriberCount(app) === 0);
  });

  it('continues after a crash at the change that was not processed', async () => {
    let cursor: string | undefined;
    const saveCursor = (given: string) => {
      cursor = given;
    };
    const changes = changesOf({ saveCursor });
    const waiting = changes.next();
    await until(() => subscriberCount(app) === 1);
    const ids = await write(app, 4);
    expect((await waiting).value?.id).toBe(ids[0]);
    expect((await changes.next()).value?.id).toBe(ids[1]);
    await changes.return();
    expect(await idsOf(changesOf({ after: cursor, saveCursor }), 3)).toEqual(ids.slice(1));
  });

  it('ends with the error of a cursor that could not be stored', async () => {
    const after = await startOf();
    await write(app, 2);
    const saveCursor = () => Promise.reject(new Error('the disk is full'));
    const changes = changesOf({ after, saveCursor, onRetry: (error) => expect.unreachable(error.message) });
    await changes.next();
    await expect(changes.next()).rejects.toThrow('the disk is full');
    await until(() => subscriberCount(app) === 0);
  });

  it('does not try again with a key that is refused, a module that is missing, or a cursor that is none', async () => {
    const onRetry = () => expect.unreachable();
    const limited = await app.keyFor('kyb');
    for (const after of [undefined, 'x']) {
      expect(await reasonOf(changesOf({ after, onRetry }, 'sk_unknown'))).toMatchObject({ name: 'QuipuError', code: 'INVALID_API_KEY' });
      expect(await reasonOf(changesOf({ after, onRetry }, limited))).toMatchObject({ code: 'MODULE_NOT_ENABLED' });
    }
    expect(await reasonOf(changesOf({ after: 'x', onRetry }))).toMatchObject({ code: 'INVALID_INPUT' });
    proxy.isDown = true;
    expect(await reasonOf(changesOf({ onRetry }))).toMatchObject({ code: 'NETWORK' });
  });

  it('ends with its signal, while it waits for a change and while it waits to connect again', async () => {
    const after = await startOf();
    const abort = new AbortController();
    const waiting = reasonOf(changesOf({ after, signal: abort.signal }));
    await until(() => subscriberCount(app) === 1);
    abort.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    await until(() => subscriberCount(app) === 0);

    proxy.isDown = true;
    const later = new AbortController();
    const onRetry = () => later.abort(new Error('enough again'));
    expect(await reasonOf(changesOf({ after, signal: later.signal, retryMs: 60_000, onRetry }))).toMatchObject({ message: 'enough again' });
  });

  it('counts a connection as lost that is silent, whether it was opened or not', async () => {
    const silent = createServer((socket) => void socket.on('error', () => undefined));
    const mute = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    mute.on('connection', (socket) => socket.send('{"type":"connection_ack"}'));
    await Promise.all([once(mute, 'listening'), once(silent.listen(0, '127.0.0.1'), 'listening')]);
    onTestFinished(() => {
      silent.close();
      mute.close();
      for (const socket of mute.clients) socket.terminate();
    });
    for (const server of [silent, mute]) {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const abort = new AbortController();
      const onRetry = ({ code }: QuipuError) => abort.abort(new Error(`retried after ${code}`));
      const reason = await reasonOf(changesOf({ after: 'x', silenceMs: 90, signal: abort.signal, onRetry }, app.key, url));
      expect(reason).toMatchObject({ message: 'retried after NETWORK' });
    }
  });

  it('waits longer and longer for a service that fails at once, and not for one whose connections last', async () => {
    const opened: number[] = [];
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let lastsMs = 0;
    server.on('connection', (socket) => {
      opened.push(performance.now());
      setTimeout(() => socket.close(1012), lastsMs);
    });
    /** Time from the first connection to the last one of `count`. */
    const timeOf = async (count: number) => {
      opened.length = 0;
      const abort = new AbortController();
      const onRetry = () => opened.length === count && abort.abort(new Error('enough'));
      const changes = changesOf({ after: 'x', signal: abort.signal, retryMs: 100, onRetry }, app.key, url);
      expect(await reasonOf(changes)).toMatchObject({ message: 'enough' });
      return (opened.at(-1) ?? 0) - (opened[0] ?? 0);
    };
    expect(await timeOf(5)).toBeGreaterThan(550); // at least half of 100 + 200 + 400 + 800 ms; four delays of 100 ms are less
    lastsMs = 120;
    expect(await timeOf(7)).toBeLessThan(3_500); // six delays of 100 ms; delays that double are longer
  });

  it('subscribes again at its last cursor after a normal closure, too', async () => {
    const asked: (string | undefined)[] = [];
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => server.close());
    server.on('connection', (socket) => {
      socket.on('message', (text) => {
        const { id, type, payload } = JSON.parse(String(text));
        if (type === 'connection_init') return socket.send('{"type":"connection_ack"}');
        if (type !== 'subscribe') return;
        asked.push(payload.variables.after);
        const companyChanged = { id: `evt_${asked.length}`, cursor: `c${asked.length}` };
        socket.send(JSON.stringify({ id, type: 'next', payload: { data: { companyChanged } } }));
        socket.close(1000);
      });
    });
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await idsOf(changesOf({ after: 'c0' }, app.key, url), 3)).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect(asked).toEqual(['c0', 'c1', 'c2']);
  });
});

/** The position now. */
async function startOf(): Promise<string> {
  const abort = new AbortController();
  let start = '';
  const saveCursor = (cursor: string) => {
    start = cursor;
    abort.abort(new Error('enough'));
  };
  expect(await reasonOf(changesOf({ saveCursor, signal: abort.signal }))).toMatchObject({ message: 'enough' });
  await until(() => subscriberCount(app) === 0);
  return start;
}
