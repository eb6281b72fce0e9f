import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { until } from '../support/until.ts';

const clock = { offset: 0 };
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_DEADLINE: '1s' }, now: () => Date.now() + clock.offset });
});
afterAll(() => app.close());

const { cnpj } = companyByScenario('clean');
const { cnpj: homonym } = companyByScenario('homonym');
const MONITOR = { identifiers: [cnpj], country: 'BR', webhook_url: 'http://127.0.0.1:1/hook' };

async function send(method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object, headers: Readonly<Record<string, string>> = {}) {
  const answer = await app.server.inject({ method, url, headers: { 'x-api-key': app.key, ...headers }, ...(payload && { payload }) });
  return { status: answer.statusCode, body: JSON.parse(answer.body) };
}
const rest = (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => async () => (await send(method, url, payload)).status;
const mutation = (text: string) => async () => {
  const { body } = await app.query(`mutation { ${text} { __typename } }`);
  return body.errors?.[0].extensions.code === 'DEADLINE_EXCEEDED' ? 504 : body.errors ? body.errors : 200;
};

/** A subscription and a screening to change. */
async function arrange() {
  clock.offset += 3_600_000; // a key starts few screenings at once
  const monitor = await send('POST', '/v1/monitor/subscriptions', MONITOR);
  const screening = await send('POST', '/v1/screenings', { identifiers: [cnpj] });
  expect([monitor.status, screening.status]).toEqual([200, 200]);
  const id: string = monitor.body.subscription_id;
  return { id, url: `/v1/monitor/subscriptions/${id}`, screening: screening.body.screening_id as string };
}
type Arranged = Awaited<ReturnType<typeof arrange>>;

const CHANGES: readonly (readonly [string, (to: Arranged) => () => Promise<number>])[] = [
  ['creating a subscription', () => rest('POST', '/v1/monitor/subscriptions', MONITOR)],
  ['updating a subscription', ({ url }) => rest('PATCH', url, { add_identifiers: [homonym] })],
  ['cancelling a subscription', ({ url }) => rest('DELETE', url)],
  ['rotating a secret', ({ url }) => rest('POST', `${url}/rotate`)],
  ['sending a test event', ({ url }) => rest('POST', `${url}/test`)],
  ['starting a screening', () => rest('POST', '/v1/screenings', { identifiers: [cnpj, homonym] })],
  ['cancelling a screening', ({ screening }) => rest('DELETE', `/v1/screenings/${screening}`)],
  [
    'createMonitor',
    () => mutation(`createMonitor(input: { country: BR, identifiers: ["${cnpj}"], webhookUrl: "http://127.0.0.1:1/hook" })`),
  ],
  ['cancelMonitor', ({ id }) => mutation(`cancelMonitor(input: { id: "${id}" })`)],
  ['rotateMonitorSecret', ({ id }) => mutation(`rotateMonitorSecret(input: { id: "${id}" })`)],
  ['startScreening', () => mutation(`startScreening(input: { identifiers: ["${cnpj}"] })`)],
];

/** What the changes above change, as text. */
async function stateOfAll(): Promise<string> {
  const { rows } = await app.db.raw(`SELECT json_build_array(
    (SELECT json_agg(m ORDER BY m.id) FROM monitors m), (SELECT json_agg(c ORDER BY c.monitor_id, c.tax_id) FROM monitor_companies c),
    (SELECT count(*) FROM deliveries), (SELECT json_agg(s ORDER BY s.id) FROM screenings s))::text AS state`);
  return rows[0].state;
}

/** Resolves when no transaction of a request is open any more. */
const allEnded = () =>
  until(async () => {
    const { rows } = await app.db.raw(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%' OR (wait_event_type = 'Lock' AND datname = current_database())",
    );
    return rows[0].n === 0;
  });

describe('a change', () => {
  it.each(CHANGES)('is undone when its deadline passes before the commit, and its answer says so: %s', async (_, changeOf) => {
    const change = changeOf(await arrange());
    const before = await stateOfAll();
    const lock = await app.db.transaction();
    await lock.raw('LOCK TABLE audit_log, deliveries IN SHARE ROW EXCLUSIVE MODE'); // each change writes one of them, at its end
    const status = await change().finally(() => lock.commit());
    expect(status).toBe(504);
    await allEnded();
    expect(await stateOfAll()).toBe(before);
  });

  it.each(CHANGES)('is answered with success when its deadline passes during the commit: %s', async (_, changeOf) => {
    const change = changeOf(await arrange());
    const before = await stateOfAll();
    await app.db.raw(`
      CREATE FUNCTION commit_slowly() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.6); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commit_slowly();
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON deliveries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION commit_slowly()`);
    const status = await change().finally(() => app.db.raw('DROP FUNCTION commit_slowly CASCADE'));
    expect(status).toBe(200);
    expect(await stateOfAll()).not.toBe(before);
  });

  it('that was not made in time is made once by requests that repeat it under one Idempotency-Key', async () => {
    const create = () => send('POST', '/v1/monitor/subscriptions', MONITOR, { 'idempotency-key': 'late' });
    const monitors = async () => (await app.db('monitors')).length;
    const before = await monitors();
    const lock = await app.db.transaction();
    await lock.raw('LOCK TABLE audit_log IN SHARE ROW EXCLUSIVE MODE');
    expect(await create().finally(() => lock.commit())).toMatchObject({ status: 504, body: { code: 'deadline_exceeded' } });
    await allEnded();
    expect(await monitors()).toBe(before);
    const [first, second] = [await create(), await create()];
    expect([first.status, second.body]).toEqual([200, first.body]);
    expect(await monitors()).toBe(before + 1);
  });
});
