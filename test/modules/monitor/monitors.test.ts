import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { fromPublicId } from '../../../src/domain/public-ids.ts';
import { DAY_MS, isoWithOffset } from '../../../src/domain/time.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { dumpDatabase } from '../../support/dump.ts';
import { inFullRun } from '../../support/rounds.ts';
import { call, codes, data, HOOK, order, PATH, publishChanges, stranger, subscribe, world } from './api-requests.ts';
import { cnpj } from './support.ts';

let now = Date.parse('2026-11-21T10:00:00Z');
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => now });
});
afterAll(() => app.close());

const CREATE = `mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { secret
  monitor { id identifiers country webhookUrl status createdAt cancelledAt retryPolicy listNews endpointState } } }`;
const cancel = (id: string) => call(app, 'DELETE', `${PATH}/${id}`);
/** Tax ids of the companies that are checked. */
const watched = async (): Promise<string[]> => (await app.db('watched_companies').orderBy('tax_id').pluck('tax_id')) as string[];
const bytesOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
/** Beginnings of these texts, of 16 characters, that `whole` contains. Reads `whole` once, however many texts there are. */
function startsIn(whole: string, texts: readonly string[]): readonly string[] {
  const starts = new Set(texts.map((text) => text.slice(0, 16)));
  const found: string[] = [];
  for (let at = 0; at < whole.length; at += 1) {
    const here = whole.slice(at, at + 16);
    if (starts.has(here)) found.push(here);
  }
  return found;
}
const jobs = async (): Promise<string[]> => (await app.db('graphile_worker.jobs').pluck('task_identifier')) as string[];

describe('a monitor', () => {
  it('has the same fields in REST and GraphQL, created by either API', async () => {
    const rest = await subscribe(app, {
      retry_policy: 'standard',
      list_news: true,
      record_news: true,
      candidate_news: true,
      webhook_format: 'slack',
      webhook_language: 'pt',
    });
    now += 1_000;
    const input = {
      identifiers: world.slice(0, 2),
      country: 'BR',
      webhookUrl: HOOK,
      retryPolicy: 'STANDARD',
      listNews: true,
      recordNews: true,
      candidateNews: true,
      webhookFormat: 'TEAMS',
      webhookLanguage: 'ES',
    };
    const { monitor } = (await data(app, CREATE, { input })).createMonitor;
    const { subscriptions, total } = (await call(app, 'GET', PATH)).body;
    const { monitors } = await data(
      app,
      '{ monitors { nodes { id identifiers webhookUrl webhookFormat webhookLanguage status retryPolicy listNews recordNews candidateNews endpointState heldChanges createdAt } } }',
    );
    expect(total).toBe(2);
    expect(subscriptions.map((one: { subscription_id: string }) => one.subscription_id)).toEqual([monitor.id, rest.subscription_id]);
    expect(
      monitors.nodes.map((one: Record<string, string>) => ({
        subscription_id: one.id,
        identifiers: one.identifiers,
        country: 'BR',
        webhook_url: one.webhookUrl,
        status: one.status?.toLowerCase(),
        created_at: one.createdAt,
        retry_policy: one.retryPolicy?.toLowerCase(),
        webhook_format: one.webhookFormat?.toLowerCase(),
        webhook_language: one.webhookLanguage?.toLowerCase(),
        list_news: one.listNews,
        record_news: one.recordNews,
        candidate_news: one.candidateNews,
        endpoint_state: one.endpointState?.toLowerCase(),
        held_changes: one.heldChanges,
      })),
    ).toEqual(subscriptions);
    await cancel(monitor.id);
    await data(app, 'mutation ($id: ID!) { cancelMonitor(input: { id: $id }) { monitor { status } } }', { id: rest.subscription_id });
    expect((await call(app, 'GET', PATH)).body).toEqual({ subscriptions: [], total: 0, has_more: false, next_after: null });
  });

  it('can be cancelled once, and stays readable with its identifiers', async () => {
    const { subscription_id: id, identifiers } = await subscribe(app);
    now += 5_000;
    expect((await cancel(id)).body).toEqual({ subscription_id: id, status: 'cancelled', cancelled_at: isoWithOffset(now) });
    expect((await cancel(id)).body).toMatchObject({ status: 404, code: 'subscription_not_found' });
    expect(await codes(app, 'mutation ($id: ID!) { cancelMonitor(input: { id: $id }) { monitor { id } } }', { id })).toEqual([
      'cancelMonitor MONITOR_NOT_FOUND',
    ]);
    const { monitor } = await data(app, 'query ($id: ID!) { monitor(id: $id) { status identifiers cancelledAt } }', { id });
    expect(monitor).toEqual({ status: 'CANCELLED', identifiers, cancelledAt: isoWithOffset(now) });
  });

  it('WH-11 drops its pending deliveries when it is cancelled', async () => {
    const { subscription_id: id } = await subscribe(app);
    await publishChanges(app, world.slice(0, 2), { at: now });
    await cancel(id);
    const query = 'query ($id: ID!) { monitor(id: $id) { deliveries { nodes { status settledAt nextAttemptAt } } } }';
    const { monitor } = await data(app, query, { id });
    expect(monitor.deliveries.nodes).toEqual(Array(2).fill({ status: 'DROPPED', settledAt: isoWithOffset(now), nextAttemptAt: null }));
  });

  it('schedules the first check of a new company at once, and keeps the schedule of companies watched before', async () => {
    const [shared = '', fresh = ''] = [cnpj(1), cnpj(2)];
    const first = await subscribe(app, { identifiers: [shared] });
    const later = new Date(now + DAY_MS);
    await app
      .db('watched_companies')
      .where({ tax_id: shared })
      .update({ snapshot: { status: 'active' }, due_at: later, anchor_at: later });
    await app.db.raw('DELETE FROM graphile_worker._private_jobs');
    const second = await subscribe(app, { identifiers: [shared, fresh] });
    const rows = await app.db('watched_companies').whereIn('tax_id', [shared, fresh]).orderBy('tax_id');
    expect(rows).toMatchObject([
      { tax_id: shared, snapshot: { status: 'active' }, due_at: later, anchor_at: later },
      { tax_id: fresh, snapshot: null, due_at: new Date(now), anchor_at: new Date(now), legal_person: `BR:${fresh.slice(0, 8)}` },
    ]);
    expect(await jobs()).toEqual(['monitor.tick']);
    await cancel(first.subscription_id);
    await cancel(second.subscription_id);
  });

  it('removes a watched company when its last monitor is cancelled', async () => {
    const [a = '', b = '', c = ''] = [cnpj(10), cnpj(11), cnpj(12)];
    const one = await subscribe(app, { identifiers: [a, b] });
    const two = await subscribe(app, { identifiers: [b, c] });
    expect(await watched()).toEqual([a, b, c]);
    await cancel(one.subscription_id);
    expect(await watched()).toEqual([b, c]);
    await cancel(two.subscription_id);
    expect(await watched()).toEqual([]);
  });

  it('keeps its companies watched when another monitor of them is cancelled at the same time', async () => {
    const identifiers = Array.from({ length: 20 }, (_, i) => cnpj(100 + i));
    const living = [await subscribe(app, { identifiers })];
    for (let round = 0; round < 20; round += 1) {
      const [made, ended] = await Promise.all([subscribe(app, { identifiers }), cancel(living.shift()?.subscription_id ?? '')]);
      expect(ended.status).toBe(200);
      expect(await watched()).toEqual(identifiers);
      living.push(made);
    }
    await cancel(living[0]?.subscription_id ?? '');
    expect(await watched()).toEqual([]);
  });

  it('MO-07 accepts 500 companies, rejects 501 and then stores nothing', async () => {
    const identifiers = Array.from({ length: 501 }, (_, i) => cnpj(1_000 + i));
    const before = await app.db('monitors').count();
    const refused = await app.post(PATH, order({ identifiers }));
    expect(refused.body).toMatchObject({ status: 422, code: 'invalid_input', errors: [{ field: 'identifiers' }] });
    const input = { identifiers, country: 'BR', webhookUrl: HOOK };
    expect(await codes(app, CREATE, { input })).toEqual(['createMonitor INVALID_INPUT']);
    expect([await app.db('monitors').count(), await watched()]).toEqual([before, []]);
    const made = await subscribe(app, { identifiers: identifiers.slice(0, 500) });
    expect([made.identifiers, await watched()]).toEqual([identifiers.slice(0, 500), identifiers.slice(0, 500).sort()]);
    await cancel(made.subscription_id);
  });

  it('is rejected beyond the limits of the plan for companies and monitors', async () => {
    const { key } = await app.keys.create({ name: 'full', modules: ['monitor'] });
    const ids = Array.from({ length: 500 }, (_, n) => cnpj(5_000 + n));
    await subscribe(app, { identifiers: ids }, key);
    const count = async () => Number((await app.db('monitors').count({ count: '*' }))[0]?.count);
    const before = await count();
    const refused = await app.post(PATH, order({ identifiers: [cnpj(6_000)] }), key);
    expect(refused.body).toMatchObject({
      status: 403,
      code: 'plan_limit_reached',
      detail: expect.stringContaining('500 watched companies'),
    });
    const input = { identifiers: [cnpj(6_000)], country: 'BR', webhookUrl: HOOK };
    expect(await codes(app, CREATE, { input }, key)).toEqual(['createMonitor PLAN_LIMIT_REACHED']);
    expect(await count()).toBe(before);
    for (let n = 1; n < 100; n += 1) await subscribe(app, { identifiers: ids.slice(0, 1) }, key);
    const another = await app.post(PATH, order({ identifiers: ids.slice(0, 1) }), key);
    expect(another.body).toMatchObject({ code: 'plan_limit_reached', detail: expect.stringContaining('100 active monitors') });
    const pages: string[][] = [];
    for (let after: string | undefined = '', more = true; more; ) {
      const { body } = await call(app, 'GET', `${PATH}?limit=30${after ? `&after=${after}` : ''}`, key);
      expect(body.total).toBe(100);
      pages.push(body.subscriptions.map(({ subscription_id: id }: { subscription_id: string }) => id));
      after = pages.at(-1)?.at(-1);
      more = body.has_more;
    }
    expect(pages.map(({ length }) => length)).toEqual([30, 30, 30, 10]);
    expect(new Set(pages.flat()).size).toBe(100);
  });

  it('stores a repeated company once, in its first spelling', async () => {
    const { cnpj: bare } = companyByScenario('clean');
    const dotted = bare.replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5');
    const made = await subscribe(app, { identifiers: [`  ${dotted} `, bare, world[3] ?? '', dotted] });
    expect(made.identifiers).toEqual([dotted, world[3]]);
    const { monitor } = await data(app, 'query ($id: ID!) { monitor(id: $id) { companies { nodes { identifier } } } }', {
      id: made.subscription_id,
    });
    expect(monitor.companies.nodes).toEqual([{ identifier: bare }, { identifier: world[3] }]);
    await cancel(made.subscription_id);
  });
});

describe('the audit log', () => {
  it('records who created a monitor, rotated its secret and cancelled it', async () => {
    const { subscription_id: id } = await subscribe(app);
    await data(app, 'mutation ($id: ID!) { rotateMonitorSecret(input: { id: $id }) { secret } }', { id });
    await cancel(id);
    const entries = await app.db('audit_log').where({ subject: id }).orderBy('id');
    expect(entries.map(({ action }) => action)).toEqual(['monitor.created', 'monitor.secret_rotated', 'monitor.cancelled']);
    expect(new Set(entries.map(({ actor }) => actor)).size).toBe(1);
    expect(entries[0]).toMatchObject({ actor: expect.stringMatching(/^key [0-9a-f-]{36}$/), facts: { companies: expect.any(Number) } });
  });
});

describe('the secret of a monitor', () => {
  it('WH-02 is 32 unique bytes that appear in no later response, no log line and no dump of the database', async () => {
    const keys: string[] = [];
    const secrets: string[] = [];
    const createFor = async (key: string, company: string) => {
      for (let n = 0; n < inFullRun(100, 25); n += 1) secrets.push((await subscribe(app, { identifiers: [company] }, key)).secret);
    };
    while (secrets.length < inFullRun(10_000, 50)) {
      const two = [await stranger(app), await stranger(app)];
      await Promise.all(two.map((key, i) => createFor(key, world[i] ?? '')));
      keys.push(...two);
    }
    expect(new Set(secrets).size).toBe(inFullRun(10_000, 50));
    expect(secrets.filter((secret) => bytesOf(secret).length !== 32)).toEqual([]);
    const listed: string[] = [];
    for (const key of keys) {
      listed.push(JSON.stringify((await call(app, 'GET', PATH, key)).body));
      listed.push(JSON.stringify(await data(app, '{ monitors(first: 100) { nodes { id webhookUrl endpointState } } }', {}, key)));
    }
    expect(listed.join().split(HOOK).length - 1).toBe(2 * secrets.length);
    const spellings = secrets.flatMap((secret) => {
      const bytes = bytesOf(secret);
      return [secret.slice('whsec_'.length), Buffer.from(secret).toString('hex'), bytes.toString('hex'), bytes.toString('latin1')];
    });
    expect(startsIn([...listed, JSON.stringify(app.lines), await dumpDatabase(app.db)].join('\n'), spellings)).toEqual([]);
  }, 600_000);

  it('WH-02 is rotated with an overlap: the old secret is kept for 24 h', async () => {
    const { subscription_id: id, secret } = await subscribe(app);
    const ROTATE = 'mutation ($id: ID!) { rotateMonitorSecret(input: { id: $id }) { secret oldSecretValidUntil monitor { id } } }';
    const { rotateMonitorSecret: rotated } = await data(app, ROTATE, { id });
    expect(rotated).toMatchObject({ oldSecretValidUntil: isoWithOffset(now + DAY_MS), monitor: { id } });
    expect(rotated.secret).not.toBe(secret);
    const sealed = await app
      .db('monitors')
      .where({ id: fromPublicId('monitor', id) })
      .first('secret', 'old_secret', 'old_secret_until');
    expect(sealed.secret.equals(sealed.old_secret)).toBe(false);
    expect(sealed.old_secret_until).toEqual(new Date(now + DAY_MS));
    await cancel(id);
    expect(await codes(app, ROTATE, { id })).toEqual(['rotateMonitorSecret MONITOR_NOT_FOUND']);
  });
});
