import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { openSocket, subscribe } from '../server/sockets/support.ts';
import { dataFolder, run } from '../support/process.ts';

const KEY = 'sk_for_the_stop';
const { cnpj } = companyByScenario('clean');

it('SC-05 the service reports 503 after SIGTERM, answers pending requests, closes sockets and streams, and exits with 0 within 15 s', async () => {
  const env = { PORT: '0', QUIPU_DATA_DIR: await dataFolder(), LOG_LEVEL: 'error', QUIPU_BOOTSTRAP_KEY: KEY, QUIPU_DRAIN: '2s' };
  const server = run('src/main.ts', [], env);
  const [, url = ''] = await server.printed(/answers at (\S+)[\s\S]*Explorer:/);
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const monitor = { identifiers: [cnpj], country: 'BR', webhook_url: 'https://127.0.0.1/hook' };
  expect((await fetch(`${url}/v1/monitor/subscriptions`, { method: 'POST', headers, body: JSON.stringify(monitor) })).status).toBe(200);
  const QUERY = 'subscription { companyChanged { cursor } }';
  const sockets = await Promise.all(Array.from({ length: 15 }, () => openSocket(new URL(url).host, KEY)));
  for (const socket of sockets) socket.send(subscribe('1', QUERY));
  const stream = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query: QUERY }),
  });

  /** The status of each answer, or the error code of a failed request. */
  const outcomes: string[] = [];
  let over = false;
  const ask = async () => {
    while (!over) {
      const query = `{ company(identifier: "${cnpj}") { kyb { status } } }`;
      const answer = fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      outcomes.push(
        await answer.then(async (one) => `${one.status} ${(await one.text()).length > 0}`).catch(({ cause }) => String(cause?.code)),
      );
      await sleep(20);
    }
  };
  const asking = Promise.all([ask(), ask(), ask(), ask()]);
  await expect.poll(() => outcomes.length, { timeout: 15_000 }).toBeGreaterThan(20);

  const stoppedAt = performance.now();
  server.child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 1_500 }).toBe(503);
  await sleep(500); // a load balancer stops sending requests after a while
  over = true;
  await asking;
  expect(await server.ended).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  expect(new Set((await Promise.all(sockets.map(({ closed }) => closed))).map(({ code }) => code))).toEqual(new Set([1012]));
  expect(await stream.text()).toContain('restarting');
  expect([...new Set(outcomes)]).toEqual(['200 true']);
  expect(server.err()).toBe('');
}, 60_000);
