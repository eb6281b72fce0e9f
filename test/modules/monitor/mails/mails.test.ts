import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { directUrlOf } from '../../../../src/db/knex.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/domain/time.ts';
import { monitorService } from '../../../../src/modules/monitor/service/monitor.ts';
import type { TestApp } from '../../../support/app.ts';
import { type ReceivedMail, startSmtp, type TestSmtp } from '../../../support/smtp.ts';
import { data, publishChanges, subscribe, world } from '../api-requests.ts';
import { bodyOf, LIST, linkIn, mailApp, page, runMailJobs, SAVE, sendDueMails } from './support.ts';

/** 08:00 in Bogota, an hour after the mails. */
const START = Date.parse('2026-11-21T13:00:00Z');
const EMAIL = 'ana@acme.example';
const INPUT = { email: EMAIL, language: 'EN', timeZone: 'America/Bogota' };
let now = START;
let smtp: TestSmtp;
let app: TestApp;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await mailApp(smtp, { now: () => now });
});
afterAll(async () => {
  await app.close();
  await smtp.close();
});

/** Forgets the mails that have arrived. */
const clearMails = (): void => void (smtp.mails as ReceivedMail[]).splice(0);
beforeEach(async () => {
  now += 30 * DAY_MS;
  now -= (now - START) % DAY_MS;
  clearMails();
  await app.db.raw('TRUNCATE monitors, webhook_endpoints, watched_companies, changes, mail_subscriptions CASCADE');
  await app.db.raw('DELETE FROM graphile_worker._private_jobs');
  await app.db('registries').update({ checked_at: new Date(now), failed_at: null });
});

const save = async (over = {}, key = app.key) =>
  (await data(app, SAVE, { input: { ...INPUT, ...over } }, key)).saveMailSubscription.mailSubscription;
const list = async (key = app.key) => (await data(app, LIST, {}, key)).mailSubscriptions;
const last = () => smtp.mails.at(-1)?.raw ?? '';

/** Subscribes the person, who confirms the address. The watched companies count as checked just now. */
async function subscribed(over = {}): Promise<string> {
  const { id } = await save(over);
  await runMailJobs(app);
  expect((await page(app, 'POST', linkIn(last()))).statusCode).toBe(200);
  clearMails();
  return id;
}
const checked = () => app.db('watched_companies').update({ checked_at: new Date(now), failures: 0 });
/** Lets the hour of the next mail come. */
async function nextMorning(): Promise<readonly Error[]> {
  now += DAY_MS;
  await checked();
  await app.db('registries').update({ checked_at: new Date(now), failed_at: null });
  return sendDueMails(app);
}

describe('an address', () => {
  it('gets nothing but one request until its person confirms it', async () => {
    await subscribe(app);
    expect(await save()).toMatchObject({ email: EMAIL, hour: 7, everyDay: false, confirmedAt: null, nextAt: null });
    expect(await runMailJobs(app)).toEqual([]);
    expect(smtp.mails.map(({ to }) => to)).toEqual([[EMAIL]]);
    expect(bodyOf(last())).toContain('wants to send the changes');
    await publishChanges(app, world.slice(0, 1), { at: now });
    await nextMorning();
    expect(smtp.mails).toHaveLength(1);
  });

  it('is confirmed by the button of the page, and not by a program that opens the link', async () => {
    await save({ language: 'ES' });
    await runMailJobs(app);
    const link = linkIn(last());
    const shown = await page(app, 'GET', link);
    expect(shown.statusCode).toBe(200);
    expect(shown.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    expect(shown.body).toContain('<form method="post"><button type="submit">Confirmar');
    expect((await list())[0].confirmedAt).toBeNull();
    expect((await page(app, 'POST', link)).body).toContain('Confirmado');
    expect((await list())[0]).toMatchObject({ confirmedAt: new Date(now).toISOString().replace('.000Z', '+00:00') });
    expect((await page(app, 'POST', link)).statusCode).toBe(200);
  });

  it('says after the confirmation that a mail comes each day to a person who wants one without a change, too', async () => {
    await save({ language: 'ES', everyDay: true });
    await runMailJobs(app);
    const { body } = await page(app, 'POST', linkIn(last()));
    expect([body.includes('y llega uno cada día'), body.includes('con algo que informar')]).toEqual([true, false]);
  });

  it('is asked again after ten minutes, and not before', async () => {
    await save();
    await runMailJobs(app);
    now += 9 * MINUTE_MS;
    await save();
    await runMailJobs(app);
    expect(smtp.mails).toHaveLength(1);
    now += MINUTE_MS;
    await save();
    await runMailJobs(app);
    expect(smtp.mails).toHaveLength(2);
  });

  it('is deleted after seven days without a confirmation, and its link is not valid any more', async () => {
    await save();
    await runMailJobs(app);
    now += 7 * DAY_MS + HOUR_MS;
    await app.open(monitorService).purge();
    expect(await list()).toEqual([]);
    expect((await page(app, 'POST', linkIn(last()))).statusCode).toBe(404);
  });

  it.each([
    ['no address', { email: 'ana' }, 'email'],
    ['a line break', { email: 'ana@acme.example\r\nBcc: b@acme.example' }, 'email'],
    ['an address literal', { email: 'ana@[127.0.0.1]' }, 'email'],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['an hour that does not exist', { hour: 24 }, 'hour'],
  ])('is refused for %s', async (_, over, field) => {
    const { body } = await app.query(SAVE, { input: { ...INPUT, ...over } });
    expect(body.errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', field } }]);
    expect(await list()).toEqual([]);
  });
});

describe('the daily mail', () => {
  it('has the changes since the mail before, once each, and is sent once a day', async () => {
    await subscribe(app);
    await subscribe(app); // a second monitor of the same companies
    await subscribed();
    await publishChanges(app, world.slice(0, 2), { at: now });
    expect(await nextMorning()).toEqual([]);
    expect(smtp.mails).toHaveLength(1);
    expect(last()).toMatch(/^Subject: test: 2 companies changed$/m);
    expect(last()).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    expect(last()).toMatch(/^Content-Type: text\/plain/m);
    expect(last()).toMatch(/^Content-Type: text\/html/m);
    expect(bodyOf(last()).match(/Registration: active → inactive/g)).toHaveLength(4); // two companies, in text and HTML
    for (let hour = 0; hour < 3; hour += 1) {
      now += HOUR_MS;
      await sendDueMails(app);
    }
    expect(smtp.mails).toHaveLength(1);
    now -= 3 * HOUR_MS;
    await publishChanges(app, world.slice(1, 2), { at: now });
    await nextMorning();
    expect(last()).toMatch(/^Subject: test: 1 company changed$/m);
  });

  it('is enqueued once by processes that look for due mails at the same time', async () => {
    await subscribe(app);
    await subscribed();
    await publishChanges(app, world.slice(0, 1), { at: now });
    now += DAY_MS;
    const { digests } = app.open(monitorService);
    await Promise.all([digests.tick(), digests.tick(), digests.tick()]);
    expect(await app.db('graphile_worker.jobs').where({ task_identifier: 'monitor.mail' })).toHaveLength(1);
    expect(await runMailJobs(app)).toEqual([]);
    await Promise.all([digests.tick(), digests.tick()]);
    await runMailJobs(app);
    expect(smtp.mails).toHaveLength(1);
  });

  it('is sent on a day on which its person changes a setting after the hour and before it is enqueued', async () => {
    await subscribe(app);
    await subscribed();
    await publishChanges(app, world.slice(0, 1), { at: now });
    now += DAY_MS;
    await save({ language: 'ES' });
    expect(await sendDueMails(app)).toEqual([]);
    expect(smtp.mails).toHaveLength(1);
  });

  it('puts a company that a list names newly before others', async () => {
    await subscribe(app);
    await subscribed();
    const fields = [{ field: 'sanctions', from: '0', to: '1', list: 'OFAC_SDN' }] as const;
    await publishChanges(app, world.slice(1, 2), { fields, at: now });
    await publishChanges(app, world.slice(0, 1), { at: now });
    await nextMorning();
    const body = bodyOf(last());
    expect(body.indexOf('Sanctions entries · OFAC SDN list (US): 0 → 1')).toBeLessThan(body.indexOf('Registration: active → inactive'));
  });

  it('is not sent on a day without a change, unless its person wants it every day', async () => {
    await subscribe(app);
    await subscribed();
    expect(await nextMorning()).toEqual([]);
    expect(smtp.mails).toEqual([]);
    await save({ everyDay: true });
    await nextMorning();
    expect(last()).toMatch(/^Subject: test: no change in 2 watched companies$/m);
  });

  it('names the companies that could not be checked, although nothing changed', async () => {
    await subscribe(app);
    await subscribed();
    now += DAY_MS;
    await checked();
    await app
      .db('watched_companies')
      .where({ tax_id: world[0] })
      .update({ failures: 3, names: ['ANDES LTDA'] });
    await sendDueMails(app);
    expect(last()).toMatch(/^Subject: test: no change known, but not everything could be\r?\n? ?checked/m);
    expect(bodyOf(last())).toContain('ANDES LTDA');
  });

  it('names a list that could not be read, unless it is about companies of another country', async () => {
    await subscribe(app);
    await subscribed();
    const fail = (name: string) =>
      app
        .db('registries')
        .where({ name })
        .update({ failed_at: new Date(now), last_error: 'timeout' });
    now += DAY_MS;
    await checked();
    expect(await fail('MULTAS_SECOP_I')).toBe(1);
    await sendDueMails(app);
    expect(smtp.mails).toEqual([]);
    now += DAY_MS;
    await checked();
    await fail('OFAC_SDN');
    await sendDueMails(app);
    expect(bodyOf(last())).toMatch(/Lists that could not be read[\s\S]*OFAC SDN list/);
    expect(bodyOf(last())).not.toContain('Contract fines');
  });

  it('is sent again with the same Message-ID and changes if the process ended before it was recorded', async () => {
    await subscribe(app);
    await subscribed();
    await publishChanges(app, world.slice(0, 1), { at: now });
    await nextMorning();
    const [first] = smtp.mails;
    await app.db('mail_subscriptions').update({ last_day: null, position: 0, last_sent_at: null });
    await publishChanges(app, world.slice(1, 2), { at: now });
    const { id, day } = await app.db('mail_subscriptions').first('id', 'day');
    await app.open(monitorService).digests.send(id, day);
    const messageId = (raw = '') => /^Message-ID: (.*)$/m.exec(raw)?.[1];
    expect(messageId(last())).toBe(messageId(first?.raw));
    expect(last()).toMatch(/^Subject: test: 1 company changed$/m);
  });

  it('is tried again after a failure, whose codes its page shows, and the next one has its changes', async () => {
    await subscribe(app);
    await subscribed();
    await publishChanges(app, world.slice(0, 1), { at: now });
    const refused = await startSmtp({ onRcptTo: (_address, _session, done) => done(new Error('who is ana@acme.example?')) });
    const other = await mailApp(refused, { now: () => now, db: { url: directUrlOf(app.db) }, listsTried: false });
    now += DAY_MS;
    await checked();
    const failures = await sendDueMails(other);
    await other.close();
    await refused.close();
    expect(failures.map(String)).toEqual([expect.stringContaining('EENVELOPE 550')]);
    expect(String(failures)).not.toContain('ana@');
    expect((await list())[0]).toMatchObject({ lastError: 'EENVELOPE 550', lastSentAt: null });
    expect(await runMailJobs(app)).toEqual([]);
    expect(last()).toMatch(/^Subject: test: 1 company changed$/m);
    expect((await list())[0].lastError).toBeNull();
  });

  it('is not sent once the key that saved it is revoked', async () => {
    const key = await app.keyFor('monitor');
    await subscribe(app, {}, key);
    await save({}, key);
    await runMailJobs(app);
    await page(app, 'POST', linkIn(last()));
    clearMails();
    await publishChanges(app, world.slice(0, 1), { at: now });
    await app
      .db('api_keys')
      .where({ id: (await data(app, '{ apiKey { id } }', {}, key)).apiKey.id })
      .update({ revoked_at: new Date(now) });
    await nextMorning();
    expect(smtp.mails).toEqual([]);
  });
});

describe('a subscription', () => {
  it('ends by one POST of a mail program, and nothing of the person stays', async () => {
    await subscribe(app);
    await subscribed({ everyDay: true });
    await nextMorning();
    const unsubscribe = /^List-Unsubscribe:\s+<https:\/\/quipu\.example(\/mail\/[\w-]+)>/m.exec(last())?.[1] ?? '';
    expect((await page(app, 'GET', unsubscribe)).body).toContain('<button');
    expect(await list()).toHaveLength(1);
    const ended = await page(app, 'POST', unsubscribe);
    expect(ended.statusCode).toBe(200);
    expect(ended.body).toContain('the address is deleted');
    expect(await app.db('mail_subscriptions')).toEqual([]);
    expect(JSON.stringify(await app.db('audit_log'))).not.toContain('ana@');
    expect((await page(app, 'POST', unsubscribe)).statusCode).toBe(404);
    clearMails();
    await nextMorning();
    expect(smtp.mails).toEqual([]);
  });
});
