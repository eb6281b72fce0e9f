import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pendingMigrations } from '../../src/db/migrations.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { findFault } from '../../src/evidence/seal.ts';
import { testApp } from '../support/app.ts';
import { emptyDb } from '../support/db.ts';
import { receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { fixtureVersions, readFixture, restoreFixture } from '../support/upgrade-fixture.ts';

/** Starts the service on the restored database of a version, one hour after it was saved. */
async function upgraded(version: string) {
  const fixture = await readFixture(version);
  const db = await emptyDb();
  onTestFinished(() => db.close());
  await restoreFixture(version, db.knex);
  const began = Date.now();
  const start = async (roles: string) => {
    const app = await testApp({
      db,
      env: { QUIPU_KEY_SECRET: fixture.keySecret, QUIPU_ROLES: roles },
      now: () => fixture.at + HOUR_MS + Date.now() - began,
    });
    onTestFinished(() => app.close());
    return app;
  };
  const app = await start('server');
  const call = async (url: string, method: 'GET' | 'PATCH' = 'GET', payload?: object) =>
    (await app.server.inject({ method, url, headers: { 'x-api-key': fixture.key }, ...(payload && { payload }) })).json();
  return { ...fixture, app, call, start };
}

it('there is a fixture', () => {
  expect(fixtureVersions()).not.toEqual([]);
});

describe.each(fixtureVersions())('the database of version %s', (version) => {
  it('is migrated by the start, and its keys, replies, usage, dismissals and chain of receipts stay', async () => {
    const { app, call, key, revokedKey, cnpj, checks, dismissalId, replies, keys } = await upgraded(version);
    expect(await pendingMigrations(app.db)).toEqual([]);
    const { checks: ready, details } = (await app.server.inject('/readyz')).json();
    expect(ready).toMatchObject({ database: true, migrations: true });
    expect(details.join()).not.toContain('secret');

    for (const [path, reply] of Object.entries(replies)) expect(await call(path), path).toMatchObject(reply);
    const { body } = await app.query('{ dismissedMatches { nodes { id } } }', {}, key);
    expect(body.data.dismissedMatches.nodes).toEqual([{ id: dismissalId }]);

    expect((await app.post('/v1/compliance-br', { cnpj }, revokedKey)).status).toBe(403);
    expect((await app.post('/v1/compliance-br', { cnpj, receipt: true }, key)).status).toBe(200);
    const { usage } = await call('/v1/usage');
    expect(usage).toContainEqual(expect.objectContaining({ module: 'compliance_br', used: checks + 1 }));

    const { evidence: before } = replies['/v1/evidence'] as { evidence: object[] };
    const { evidence: chain } = await call('/v1/evidence');
    expect(chain).toHaveLength(before.length + 1);
    expect(findFault(chain, keys)).toBeNull(); // by the keys that were published before the upgrade
  });

  it('delivers the change that waited, signed with the secret of its monitor', async () => {
    const { call, start, cnpj, monitor } = await upgraded(version);
    const { url, received } = await receiver();
    await call(`/v1/monitor/subscriptions/${monitor.subscription_id}`, 'PATCH', { webhook_url: url });
    await start('worker');
    await until(() => received.length === 1);
    const { body = '', headers = {} } = received[0] ?? {};
    // The package verifies deliveries of the last minutes only; this one is as old as the fixture.
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1_000);
    expect(headers['webhook-signature']).toBe(new Webhook(monitor.secret).sign(headers['webhook-id'] ?? '', sentAt, body));
    expect(body).toContain(cnpj);
  });
});
