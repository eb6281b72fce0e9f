import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { listening } from '../server/sockets/support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { rounds } from '../support/rounds.ts';
import { until } from '../support/until.ts';
import { startUpstream } from '../support/upstream.ts';

/** A registry that never answers. */
let silent: Awaited<ReturnType<typeof startUpstream>>;
let app: TestApp;
beforeAll(async () => {
  silent = await startUpstream(() => () => undefined);
  app = await testApp({ env: { QUIPU_RECEITA_URL: silent.url, QUIPU_DEADLINE: '2s' } });
});
afterAll(async () => {
  await app.close();
  await silent.close();
});

const connections = (): Promise<number> => new Promise((resolve) => app.server.server.getConnections((_, count) => resolve(count)));

it('GQ-12 clients that abort requests leave no open source call and no open connection', async () => {
  const url = `http://${await listening(app)}/graphql`;
  const headers = { 'content-type': 'application/json', 'x-api-key': app.key };
  for (let i = 0; i < rounds(1_000); i += 1) {
    const { cnpj } = companies[i % companies.length] ?? { cnpj: '' };
    const leaving = new AbortController();
    const body = JSON.stringify({ query: `{ company(identifier: "${cnpj}") { kyb { status } labor { hasViolations } } }` });
    const answer = fetch(url, { method: 'POST', headers, body, signal: leaving.signal }).catch(() => undefined);
    await delay(i % 20);
    leaving.abort();
    await answer;
  }
  await until(() => silent.open() === 0);
  await until(async () => (await connections()) <= 1);
  const { body } = await app.query('{ sources { name circuit } }');
  expect(body.data.sources).toContainEqual({ name: 'RECEITA_FEDERAL', circuit: 'CLOSED' });
  expect(app.lines.filter(({ level }) => level === 'error' || Number(level) >= 50)).toEqual([]);
}, 300_000);
