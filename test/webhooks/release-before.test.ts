import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { down, up } from '../../migrations/20261126000000_webhook_endpoints.ts';
import { createKeys } from '../../src/auth/api-keys/keys.ts';
import { replaceSecret } from '../../src/webhooks/store/endpoints.ts';
import { testDb } from '../support/db.ts';

/** While processes of the release before run, they read and write the endpoints in the columns of `monitors` and `screenings`. */

const AT = new Date('2026-11-26T10:00:00Z');
let db: Knex;
let keyId: string;
let accountId: string;
beforeEach(async () => {
  const database = await testDb();
  onTestFinished(() => database.close());
  db = database.knex;
  const keys = createKeys({ db, now: Date.now, secret: 'a secret for tests', bootstrapKey: undefined });
  keyId = (await keys.create({ name: 'test', modules: ['monitor', 'screening'] })).id;
  accountId = (await db('api_keys').where({ id: keyId }).first('account_id')).account_id;
});

/** Inserts a monitor as the release before does. */
async function monitor(): Promise<string> {
  const id = randomUUID();
  await db('monitors').insert({
    id,
    key_id: keyId,
    country: 'BR',
    webhook_url: 'https://a.example/hook',
    secret: Buffer.from('one'),
    retry_policy: 'standard',
    list_news: false,
    created_at: AT,
  });
  return id;
}

/** Inserts a screening as the release before does. */
async function screening(webhook: object): Promise<string> {
  const id = randomUUID();
  await db('screenings').insert({
    id,
    key_id: keyId,
    account_id: accountId,
    modules: ['kyb'],
    state: 'queued',
    total: 1,
    invalid: 0,
    duplicates: 0,
    created_at: AT,
    due_at: AT,
    ...webhook,
  });
  return id;
}
const WEBHOOK = { webhook_url: 'https://b.example/hook', webhook_secret: Buffer.from('two') };
const endpoint = (id: string) => db('webhook_endpoints').where({ id }).first();
const OF_MONITOR = { owner_kind: 'monitor', url: 'https://a.example/hook', secret: Buffer.from('one'), retry_policy: 'standard' };
const OF_SCREENING = { owner_kind: 'screening', url: 'https://b.example/hook', secret: Buffer.from('two'), retry_policy: 'standard' };

describe('the endpoints of webhooks', () => {
  it('are taken over from the monitors and screenings of the release before', async () => {
    await down(db);
    const [of, without, to] = [await monitor(), await screening({}), await screening(WEBHOOK)];
    await db('monitors').where({ id: of }).update({ failures: 3, failing_since: AT, cancelled_at: AT });
    await up(db);
    expect(await endpoint(of)).toMatchObject({ ...OF_MONITOR, key_id: keyId, failures: 3, failing_since: AT, closed_at: AT });
    expect(await endpoint(to)).toMatchObject({ ...OF_SCREENING, key_id: keyId, failures: 0, closed_at: null });
    expect(await endpoint(without)).toBeUndefined();
  });

  it('follow what a process of the release before writes', async () => {
    const [of, to] = [await monitor(), await screening(WEBHOOK)];
    expect(await endpoint(of)).toMatchObject({ ...OF_MONITOR, disabled_at: null, closed_at: null });
    expect(await endpoint(to)).toMatchObject(OF_SCREENING);
    const rotated = { secret: Buffer.from('new'), old_secret: Buffer.from('one'), old_secret_until: AT };
    await db('monitors')
      .where({ id: of })
      .update({ ...rotated, webhook_url: null, disabled_at: AT, cancelled_at: AT });
    expect(await endpoint(of)).toMatchObject({ ...rotated, url: null, disabled_at: AT, closed_at: AT });
    await db('monitors').where({ id: of }).delete();
    await db('screenings').where({ id: to }).delete();
    expect(await db('webhook_endpoints')).toEqual([]);
  });

  it('keep the secrets that were replaced earlier when such a process replaces one', async () => {
    const of = await monitor();
    for (const secret of ['two', 'three'])
      await replaceSecret(db, { id: of, keyId }, { secret: Buffer.from(secret), oldUntil: AT.getTime() + 1, now: AT.getTime() });
    const earlier = [{ secret: Buffer.from('one').toString('hex'), until: expect.any(String) }];
    expect(await endpoint(of)).toMatchObject({ old_secret: Buffer.from('two'), earlier_secrets: earlier });
    await db('monitors')
      .where({ id: of })
      .update({ secret: Buffer.from('four'), old_secret: Buffer.from('three') });
    expect(await endpoint(of)).toMatchObject({ secret: Buffer.from('four'), old_secret: Buffer.from('three'), earlier_secrets: earlier });
  });

  it('are shown to a process of the release before', async () => {
    const [of, to] = [await monitor(), await screening(WEBHOOK)];
    const changed = { url: 'https://c.example/hook', secret: Buffer.from('new') };
    await db('webhook_endpoints').update({ ...changed, failures: 7, parked_until: AT });
    const seen = { webhook_url: changed.url, secret: changed.secret, failures: 7, parked_until: AT, cancelled_at: null };
    expect(await db('monitors').where({ id: of }).first()).toMatchObject(seen);
    expect(await db('screenings').where({ id: to }).first()).toMatchObject({ webhook_url: changed.url, webhook_secret: changed.secret });
  });
});
