import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { monitorCommand } from '../../../src/cli/monitor.ts';
import { toPublicId } from '../../../src/domain/public-ids.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { deliver, NOW, runMonitor, watch } from './command.ts';

let monitorId: string;
let keyId: string;
let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => NOW });
});
afterAll(() => app.close());
afterEach(() => {
  process.exitCode = undefined;
});
beforeEach(async () => {
  await app.db.raw(
    'TRUNCATE monitors, webhook_endpoints, monitor_companies, watched_companies, held_changes, deliveries, delivery_attempts, changes',
  );
  ({ monitorId, keyId } = await watch(app));
});

const run = (...args: readonly string[]) => runMonitor(app, ...args);

describe('quipu monitor list', () => {
  it('shows each monitor with its number of companies, and only the host of its webhook', async () => {
    const { out } = await run('list');
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'KEY', 'COMPANIES', 'WEBHOOK HOST', 'STATE', 'CREATED'],
      [toPublicId('monitor', monitorId), 'acme', '3 BR', 'hooks.example.com', 'active', '2026-11-21T12:00:00+00:00'],
      [''],
    ]);
    expect(JSON.parse((await run('list', '--json')).out)).toEqual([
      {
        id: toPublicId('monitor', monitorId),
        key_id: keyId,
        key_name: 'acme',
        country: 'BR',
        companies: 3,
        webhook_host: 'hooks.example.com',
        endpoint_state: 'active',
        created_at: '2026-11-21T12:00:00+00:00',
      },
    ]);
  });

  it('shows failing and disabled receivers, and leaves out cancelled monitors', async () => {
    await app.db('monitors').update({ failing_since: new Date(NOW) });
    expect((await run('list')).out).toContain('  failing  ');
    await app.db('monitors').update({ disabled_at: new Date(NOW) });
    expect((await run('list')).out).toContain('  disabled  ');
    await app.db('monitors').update({ cancelled_at: new Date(NOW) });
    expect((await run('list')).out).toBe('There are no monitors.\n');
  });
});

describe('quipu monitor deliveries', () => {
  it('shows the latest deliveries with their attempts', async () => {
    await deliver(app, monitorId, keyId, 'delivered', NOW - 2_000);
    const failed = await deliver(app, monitorId, keyId, 'failed');
    const attempt = {
      delivery_id: failed,
      number: 1,
      started_at: new Date(NOW),
      latency_ms: 87,
      status: 500,
      error: 'status_500',
      answer: 'sorry',
    };
    await app.db('delivery_attempts').insert(attempt);
    const { out } = await run('deliveries');
    expect(out.split('\n')).toEqual([
      expect.stringMatching(`^${toPublicId('delivery', failed)}  failed  hooks.example.com  evt_`),
      '  1. 2026-11-21T12:00:00+00:00  500  87 ms  status_500',
      expect.stringMatching(/^dlv_\w+ {2}delivered /),
      '',
    ]);
    const [listed, ...rest] = JSON.parse((await run('deliveries', '--status', 'failed', '--json')).out);
    expect(rest).toEqual([]);
    expect(listed).toMatchObject({
      id: toPublicId('delivery', failed),
      monitor_id: toPublicId('monitor', monitorId),
      status: 'failed',
      settled_at: '2026-11-21T12:00:00+00:00',
      next_attempt_at: null,
      attempts: [{ number: 1, latency_ms: 87, status: 500, error: 'status_500', answer: 'sorry' }],
    });
  });

  it('shows those of screenings, too, and sends them again', async () => {
    const { body } = await app.post('/v1/screenings', { identifiers: ['hello'], webhook_url: 'https://hooks.example.com/ended' });
    const { db } = app;
    await db('deliveries').update({ state: 'failed', due_at: null, settled_at: new Date(NOW) });
    const [listed] = JSON.parse((await run('deliveries', '--json')).out);
    expect(listed).toMatchObject({ monitor_id: null, screening_id: body.screening_id, event_id: body.screening_id, status: 'failed' });
    expect((await run('redeliver', listed.id)).out).toBe(`${listed.id} will be sent again to hooks.example.com.\n`);
    expect(await db('deliveries').pluck('state')).toEqual(['pending']);
  });

  it('filters by monitor and applies the limit', async () => {
    await deliver(app, monitorId, keyId, 'delivered', NOW - 2_000);
    const latest = await deliver(app, monitorId, keyId, 'pending');
    const ids = async (...args: string[]) =>
      JSON.parse((await run('deliveries', '--json', ...args)).out).map(({ id }: { id: string }) => id);
    expect(await ids('--limit', '1')).toEqual([toPublicId('delivery', latest)]);
    expect(await ids('--monitor', toPublicId('monitor', monitorId))).toHaveLength(2);
    expect(await ids('--monitor', toPublicId('monitor', randomUUID()))).toEqual([]);
  });

  it('filters by screening', async () => {
    await deliver(app, monitorId, keyId, 'delivered');
    const { body } = await app.post('/v1/screenings', { identifiers: ['hello'], webhook_url: 'https://hooks.example.com/ended' });
    const listed = JSON.parse((await run('deliveries', '--json', '--screening', body.screening_id)).out);
    expect(listed).toMatchObject([{ screening_id: body.screening_id, monitor_id: null }]);
    expect((await run('deliveries', '--screening', body.screening_id)).out).toMatch(
      new RegExp(`^${listed[0].id}  pending  hooks\\.example\\.com  ${body.screening_id}  .*\\n$`),
    );
    expect((await run('deliveries', '--screening', toPublicId('screening', randomUUID()))).out).toBe('There are no such deliveries.\n');
  });

  it.each([
    { args: ['--monitor', 'dlv_1'], error: /"dlv_1" is no id of a monitor/ },
    { args: ['--screening', 'mon_1'], error: /"mon_1" is no id of a screening/ },
    { args: ['--screening', 'scr_1', '--monitor', 'mon_1'], error: /--monitor or --screening, not both/ },
    { args: ['--status', 'lost'], error: /no status "lost". There are: pending, sending, delivered, failed, dropped/ },
    { args: ['--limit', '0'], error: /whole number from 1 to 1000/ },
  ])('rejects $args', async ({ args, error }) => {
    expect(await run('deliveries', ...args)).toEqual({ out: '', err: expect.stringMatching(error), code: 1 });
  });
});

describe('quipu monitor redeliver', () => {
  it('queues a settled delivery again', async () => {
    const id = await deliver(app, monitorId, keyId, 'failed');
    const { out, code } = await run('redeliver', toPublicId('delivery', id));
    expect({ out, code }).toEqual({ out: `${toPublicId('delivery', id)} will be sent again to hooks.example.com.\n`, code: 0 });
    expect(await app.db('deliveries').where({ id }).first()).toMatchObject({ state: 'pending', settled_at: null });
  });

  it('names the host to which the delivery goes now', async () => {
    const id = await deliver(app, monitorId, keyId, 'failed');
    await app.db('webhook_endpoints').update({ url: 'https://new.example.com/hook' });
    const sent = JSON.parse((await run('redeliver', toPublicId('delivery', id), '--json')).out);
    expect(sent).toEqual({ id: toPublicId('delivery', id), webhook_host: 'new.example.com', status: 'pending' });
  });

  it('sends the webhook of a screening again, also if its delivery is not kept any more', async () => {
    const { body } = await app.post('/v1/screenings', { identifiers: ['hello'], webhook_url: 'https://hooks.example.com/ended' });
    const { db } = app;
    await db('deliveries').update({ state: 'failed', due_at: null, settled_at: new Date(NOW) });
    const again = async () => JSON.parse((await run('redeliver', '--screening', body.screening_id, '--json')).out);
    const [id] = await db('deliveries').pluck('id');
    expect(await again()).toEqual({ id: toPublicId('delivery', id), webhook_host: 'hooks.example.com', status: 'pending' });
    await db('deliveries').delete();
    const { id: published } = await again();
    expect(published).not.toBe(toPublicId('delivery', id));
    expect(await db('deliveries').select('state', 'event_id')).toEqual([{ state: 'pending', event_id: body.screening_id }]);
  });

  it.each([
    { args: [], error: /Give the id of a delivery or --screening/ },
    { args: ['dlv_1', '--screening', 'scr_1'], error: /or --screening, not both/ },
    { args: ['--screening', toPublicId('screening', randomUUID())], error: /There is no screening scr_/ },
  ])('rejects $args', async ({ args, error }) => {
    expect(await run('redeliver', ...args)).toEqual({ out: '', err: expect.stringMatching(error), code: 1 });
  });

  it('rejects an unknown delivery and a delivery of a cancelled monitor', async () => {
    const cancelled = toPublicId('delivery', await deliver(app, monitorId, keyId, 'failed'));
    await app.db('monitors').update({ cancelled_at: new Date(NOW) });
    for (const id of ['mon_1', toPublicId('delivery', randomUUID()), cancelled]) {
      expect(await run('redeliver', id)).toMatchObject({ out: '', err: expect.stringMatching(/\S/), code: 1 });
    }
  });
});

describe('quipu monitor --help', () => {
  it('shows the commands and examples', async () => {
    const said: string[] = [];
    const io = { out: (text: string) => void said.push(text), err: () => undefined };
    const command = monitorCommand(() => Promise.reject(new Error('not to be opened')), io).exitOverride();
    await expect(command.parseAsync(['--help'], { from: 'user' })).rejects.toThrow();
    for (const name of ['held', 'release', 'discard', 'list', 'deliveries', 'redeliver', 'Examples:'])
      expect(said.join('')).toContain(name);
  });
});

describe('quipu monitor forget-mail', () => {
  it('deletes the address in all accounts, however it is written, and nothing else', async () => {
    const { account_id } = await app.db('api_keys').where({ id: keyId }).first('account_id');
    const at = new Date(NOW);
    const row = { account_id, key_id: keyId, language: 'pt', time_zone: 'UTC', hour: 7, every_day: false, created_at: at, invited_at: at };
    const emails = ['ana@acme.example', 'rui@acme.example'];
    await app.db('mail_subscriptions').insert(emails.map((email) => ({ ...row, email, id: randomUUID() })));
    expect((await run('forget-mail', 'Ana@ACME.example')).out).toBe('Deleted 1 subscription.\n');
    expect(await app.db('mail_subscriptions').pluck('email')).toEqual(['rui@acme.example']);
    expect(await run('forget-mail', 'nobody')).toMatchObject({ code: 1, err: expect.stringContaining('e-mail address') });
    expect(JSON.stringify(await app.db('audit_log').where({ action: 'mail.unsubscribed' }))).not.toContain('ana@');
  });
});
