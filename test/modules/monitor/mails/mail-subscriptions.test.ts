import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MODULES } from '../../../../src/domain/catalogue.ts';
import type { TestApp } from '../../../support/app.ts';
import { startSmtp, type TestSmtp } from '../../../support/smtp.ts';
import { codes, data } from '../api-requests.ts';
import { LIST, mailApp, page, SAVE } from './support.ts';

const INPUT = { email: 'ana@acme.example', language: 'EN', timeZone: 'America/Bogota' };
let smtp: TestSmtp;
let app: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await mailApp(smtp);
});
afterAll(async () => {
  await app.close();
  await smtp.close();
});
beforeEach(() => app.db('mail_subscriptions').delete());

const save = async (over = {}) => (await data(app, SAVE, { input: { ...INPUT, ...over } })).saveMailSubscription.mailSubscription;
const list = async (key = app.key) => (await data(app, LIST, {}, key)).mailSubscriptions;

describe('a mail subscription', () => {
  it.each(['/mail/a', `/mail/${'a'.repeat(90)}`, `/mail/${Buffer.alloc(61).toString('base64url')}`])('has no page at %s', async (url) => {
    expect((await page(app, 'GET', url)).statusCode).toBe(404);
    expect((await page(app, 'POST', url)).statusCode).toBe(404);
  });

  it('is reached by the keys of its account only', async () => {
    const { id } = await save();
    const { key: other } = await app.keys.create({ name: 'another customer', modules: MODULES });
    expect(await list(other)).toEqual([]);
    const remove = 'mutation ($id: ID!) { deleteMailSubscription(input: { id: $id }) { id } }';
    expect(await codes(app, remove, { id }, other)).toEqual(['deleteMailSubscription MAIL_SUBSCRIPTION_NOT_FOUND']);
    expect((await data(app, remove, { id })).deleteMailSubscription).toEqual({ id });
    expect(await codes(app, remove, { id })).toEqual(['deleteMailSubscription MAIL_SUBSCRIPTION_NOT_FOUND']);
  });

  it('is not one of more than fifty of an account', async () => {
    const { id } = await save();
    const row = await app.db('mail_subscriptions').first();
    const copies = Array.from({ length: 49 }, (_, n) => ({ ...row, id: crypto.randomUUID(), email: `p${n}@acme.example` }));
    await app.db('mail_subscriptions').insert(copies);
    expect(await codes(app, SAVE, { input: { ...INPUT, email: 'one@acme.example' } })).toEqual(['saveMailSubscription PLAN_LIMIT_REACHED']);
    expect((await save({ hour: 8 })).id).toBe(id);
  });
});
