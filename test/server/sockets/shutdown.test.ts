import { createClient } from 'graphql-ws';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { append } from '../../modules/monitor/feed-support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { testDb } from '../../support/db.ts';
import { dataFolder, run } from '../../support/process.ts';
import { until } from '../../support/until.ts';
import { CHANGES, follow, listening, openSocket, replicaOf, subscribe, subscriberCount } from './support.ts';

async function anApp(): Promise<TestApp & { readonly host: string; readonly keyId: string }> {
  const app = await testApp({ listsTried: false });
  const keyId = (await app.keys.find(app.key))?.keyId ?? '';
  return { ...app, host: await listening(app), keyId };
}

const streamFrom = (host: string, key: string) =>
  fetch(`http://${host}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: CHANGES }),
  });

describe('SC-05 a closing server', () => {
  it('closes sockets with 1012 and event streams with a comment, also without a reader, and accepts no new ones', async () => {
    const app = await anApp();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => openSocket(app.host, app.key)));
    for (const socket of sockets) await follow(app, socket);
    const paused = await openSocket(app.host, app.key);
    paused.net().pause();
    const stream = await streamFrom(app.host, app.key);
    await until(() => subscriberCount(app) === 6);
    const closing = app.close();
    for (const { closed } of sockets) expect(await closed).toEqual({ code: 1012, reason: 'restarting; resume with after' });
    const text = await stream.text();
    expect(text).toContain(': restarting; resume with after');
    expect(text).not.toContain('complete');
    await closing;
    await expect(fetch(`http://${app.host}/healthz`)).rejects.toThrow();
  });

  it('loses no event: a graphql-ws client resumes at another replica', async () => {
    const app = await anApp();
    onTestFinished(() => app.close());
    const [first, second] = [await replicaOf(app), await replicaOf(app)];
    const hosts = [await listening(first), await listening(second)];
    const ids: string[] = [];
    let after: string | undefined;
    let at = 0;
    const client = createClient({
      url: () => `ws://${hosts[at]}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { 'X-API-Key': app.key },
      retryWait: async () => {
        at = 1;
      },
    });
    onTestFinished(() => client.dispose());
    client.subscribe<{ companyChanged: { id: string; cursor: string } }>(
      {
        query: CHANGES,
        get variables() {
          return { after };
        },
      },
      {
        next({ data }) {
          ids.push(data?.companyChanged.id ?? '');
          after = data?.companyChanged.cursor;
        },
        error: () => undefined,
        complete: () => undefined,
      },
    );
    await until(() => subscriberCount(first) === 1);
    const sent = [...(await append(app.db, 3, { keyId: app.keyId }))];
    await until(() => ids.length === 3);
    const closing = first.server.close();
    sent.push(...(await append(app.db, 3, { keyId: app.keyId })));
    await closing;
    sent.push(...(await append(app.db, 3, { keyId: app.keyId })));
    await until(() => ids.length >= 9);
    expect(ids).toEqual(sent.map((id) => `evt_${id.replaceAll('-', '')}`));
  });
});

describe('SC-05 a process that receives SIGTERM', () => {
  it('closes its sockets and exits with 0', async () => {
    const db = await testDb();
    onTestFinished(() => db.close());
    const key = 'sk_of-the-operator-of-this-test';
    const env = { PORT: '0', DATABASE_URL: db.url, QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'warn', QUIPU_BOOTSTRAP_KEY: key };
    const { printed, child, ended } = run('src/main.ts', [], env);
    const [, host = ''] = await printed(/answers at http:\/\/(\S+)/);
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(host, key)));
    for (const socket of sockets) socket.send(subscribe('1'));
    const paused = await openSocket(host, key);
    paused.net().pause();
    child.kill('SIGTERM');
    for (const { closed } of sockets) expect(await closed).toMatchObject({ code: 1012 });
    expect(await ended).toBe(0);
  }, 60_000);
});
