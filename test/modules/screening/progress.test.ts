import { createClient as createSseClient } from 'graphql-sse';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { listening, openSocket, subscribe } from '../../server/sockets/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { start, work } from './support.ts';

const PROGRESS = 'subscription ($id: ID!) { screeningProgress(id: $id) { state total done failed } }';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp();
  host = await listening(app);
});
afterAll(() => app.close());

const companies = ['clean', 'debarred-ceis'].map((scenario) => companyByScenario(scenario).cnpj);
const over = (id: string, key = app.key) =>
  createSseClient({ url: `http://${host}/graphql`, headers: { 'X-API-Key': key } }).iterate({ query: PROGRESS, variables: { id } });

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
async function all(events: AsyncIterator<any>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let { done, value } = await events.next(); !done; { done, value } = await events.next())
    seen.push(value.errors ?? value.data.screeningProgress);
  return seen;
}

describe('Subscription.screeningProgress', () => {
  it('gives the state at once, the end when it comes, and completes', async () => {
    const events = over(await start(app, companies));
    const { value: first } = await events.next();
    expect(first.data?.screeningProgress).toEqual({ state: 'QUEUED', total: 2, done: 0, failed: 0 });
    await work(app);
    expect((await all(events)).at(-1)).toEqual({ state: 'DONE', total: 2, done: 2, failed: 0 });
  });

  it('completes when the screening is cancelled or deleted', async () => {
    const [cancelled, deleted] = [await start(app, companies), await start(app, companies)];
    const streams = [over(cancelled), over(deleted)];
    for (const stream of streams) await stream.next();
    await app.server.inject({ method: 'DELETE', url: `/v1/screenings/${cancelled}`, headers: { 'x-api-key': app.key } });
    await app.db('screenings').whereNull('finished_at').del();
    expect(await all(streams[0] as never)).toMatchObject([{ state: 'CANCELLED' }]);
    expect(await all(streams[1] as never)).toEqual([]);
  });

  it('is one state for a screening that is over, over a socket, too', async () => {
    const id = await start(app, companies);
    await work(app);
    expect(await all(over(id))).toMatchObject([{ state: 'DONE' }]);
    const socket = await openSocket(host, app.key);
    socket.send(subscribe('p', PROGRESS, { id }));
    expect([await socket.received(), await socket.received()]).toMatchObject([
      { type: 'next', payload: { data: { screeningProgress: { state: 'DONE' } } } },
      { type: 'complete', id: 'p' },
    ]);
  });

  it('refuses a screening of another key, and a key without the module', async () => {
    const id = await start(app, companies);
    const refusal = async (...modules: Parameters<TestApp['keyFor']>) =>
      (
        await app.server.inject({
          method: 'POST',
          url: '/graphql',
          headers: { 'x-api-key': await app.keyFor(...modules), accept: 'text/event-stream' },
          payload: { query: PROGRESS, variables: { id } },
        })
      ).body;
    expect(await refusal('screening', 'kyb')).toContain('SCREENING_NOT_FOUND');
    expect(await refusal('kyb')).toContain('MODULE_NOT_ENABLED');
  });
});
