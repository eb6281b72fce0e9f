import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { startUpstream } from '../../support/upstream.ts';
import { listening, openSocket, subscribe } from '../sockets/support.ts';
import { overHttp, TRANSPORTS } from './support.ts';

/** A registry that accepts every request and answers none. */
let silent: Awaited<ReturnType<typeof startUpstream>>;
let app: TestApp;
beforeAll(async () => {
  silent = await startUpstream(() => () => undefined);
  app = await testApp({ env: { QUIPU_RECEITA_URL: silent.url, QUIPU_DEADLINE: '1s' } });
});
afterAll(async () => {
  await app.close();
  await silent.close();
});

const { cnpj } = companyByScenario('clean');
const { cnpj: other } = companyByScenario('debarred-ceis');
const HALF = `{ company(identifier: "${cnpj}") { identifier kyb { status } labor { hasViolations } } }`;
const whole = (identifier: string): string => JSON.stringify({ query: `{ company(identifier: "${identifier}") { kyb { status } } }` });

/** Sends a request and disconnects after the registry has received its call. */
async function comeAndGo(path: string, body: string): Promise<void> {
  const leaving = new AbortController();
  await until(() => silent.open() === 0);
  const headers = { 'content-type': 'application/json', 'x-api-key': app.key };
  const answer = fetch(`http://${await listening(app)}${path}`, { method: 'POST', headers, body, signal: leaving.signal });
  await until(() => silent.open() > 0);
  leaving.abort();
  await expect(answer).rejects.toThrow();
}

describe('GQ-12 an operation that takes too long', () => {
  it.each(Object.entries(TRANSPORTS))('is answered over %s with null and DEADLINE_EXCEEDED for unfinished fields', async (_, over) => {
    const { status, codes, body } = await over(app)(HALF);
    expect([status, codes]).toEqual([200, ['DEADLINE_EXCEEDED']]);
    expect(body.data).toEqual({ company: { identifier: cnpj, kyb: null, labor: { hasViolations: false } } });
    expect(body.errors).toMatchObject([{ path: ['company', 'kyb'] }]);
  });

  it('cancels its upstream calls when it is answered', async () => {
    await overHttp(app)(HALF);
    await until(() => silent.open() === 0);
    expect(silent.open()).toBe(0);
  });
});

describe('GQ-12 a client that hangs up', () => {
  it('cancels its upstream calls, of GraphQL and REST', async () => {
    await comeAndGo('/graphql', whole(other));
    await until(() => silent.open() === 0);
    await comeAndGo('/v1/kyb', JSON.stringify({ identifier: other, country: 'BR' }));
    await until(() => silent.open() === 0);
    expect(app.lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('cancels the upstream calls of its socket', async () => {
    const socket = await openSocket(await listening(app), app.key);
    socket.send(subscribe('1', `{ company(identifier: "${other}") { kyb { status } } }`));
    await until(() => silent.open() > 0);
    socket.ws.terminate();
    await until(() => silent.open() === 0);
    expect(silent.open()).toBe(0);
  });

  it('cancels the upstream calls of its event stream', async () => {
    await until(() => silent.open() === 0);
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': app.key };
    await fetch(`http://${await listening(app)}/graphql`, { method: 'POST', headers, body: whole(other), signal: leaving.signal });
    await until(() => silent.open() > 0);
    leaving.abort();
    await until(() => silent.open() === 0);
    expect(silent.open()).toBe(0);
  });

  it('does not cancel a call that another request waits for', async () => {
    const asked = silent.asked.length;
    const staying = app.post('/v1/kyb', { identifier: other, country: 'BR' });
    await until(() => silent.asked.length > asked);
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json', 'x-api-key': app.key };
    const gone = fetch(`http://${await listening(app)}/graphql`, { method: 'POST', headers, body: whole(other), signal: leaving.signal });
    setTimeout(() => leaving.abort(), 200);
    await expect(gone).rejects.toThrow();
    expect([silent.asked.length - asked, silent.open()]).toEqual([1, 1]);
    expect((await staying).body).toMatchObject({ status: 504, code: 'deadline_exceeded' });
  });

  it('does not count as a failure of the source', async () => {
    for (let i = 0; i < 12; i += 1) await comeAndGo('/graphql', whole(other));
    const { body } = await app.query('{ sources { name circuit } }');
    expect(body.data.sources).toContainEqual({ name: 'RECEITA_FEDERAL', circuit: 'CLOSED' });
  });
});
