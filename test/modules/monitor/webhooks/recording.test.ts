import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { receiver, setup, taxIdOf } from './support.ts';

/** Answers that are kept back until `release` is called, which sends them all at once. */
function heldBack() {
  const waiting: ServerResponse[] = [];
  const answer: RequestListener = (_, response) => void waiting.push(response);
  const release = (status: number) => {
    for (const response of waiting.splice(0)) response.writeHead(status).end();
  };
  return { answer, release };
}

describe('WH-08 the outcomes of attempts that end together', () => {
  it('are recorded while another transaction has locked the monitor, when the endpoint has no failures', async () => {
    const { db, webhooks, monitor, change } = await setup();
    const { url } = await receiver();
    const { id } = await monitor(url);
    await change([taxIdOf(1)]);
    const other = await db.transaction();
    onTestFinished(async () => void (await other.rollback()));
    await other('webhook_endpoints').where({ id }).forUpdate().select('id');
    await webhooks.sendDue();
    await expect.poll(() => db('deliveries').first('state')).toEqual({ state: 'delivered' });
  });

  it('do not wait for one whose partition another transaction has locked, which is recorded afterwards', async () => {
    const { db, webhooks, monitor, change } = await setup();
    const { answer, release } = heldBack();
    const [locked, free] = [await receiver(answer), await receiver(answer)];
    for (const { url } of [locked, free]) await monitor(url);
    await change([taxIdOf(1)]);
    await webhooks.sendDue();
    await expect.poll(() => locked.received.length + free.received.length).toBe(2);
    const other = await db.transaction();
    await other('endpoint_partitions').where({ host: locked.host }).forUpdate().select('host');
    release(200);
    const stateOf = async (host: string) => (await db('deliveries').where({ host }).first('state')).state;
    await expect.poll(() => stateOf(free.host)).toBe('delivered');
    expect(await stateOf(locked.host)).toBe('sending');
    await other.commit();
    await expect.poll(() => stateOf(locked.host)).toBe('delivered');
  });

  it('are recorded beside one that cannot be stored', async () => {
    const { db, webhooks, monitor, change } = await setup();
    const { answer, release } = heldBack();
    const [refused, free] = [await receiver(answer), await receiver(answer)];
    for (const { url } of [refused, free]) await monitor(url);
    await change([taxIdOf(1)]);
    await webhooks.sendDue();
    await expect.poll(() => refused.received.length + free.received.length).toBe(2);
    await db.raw(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$;
      CREATE TRIGGER refuse BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (OLD.host = '${refused.host}') EXECUTE FUNCTION refuse()`);
    release(200);
    await expect.poll(() => db('deliveries').where({ host: free.host }).first('state')).toEqual({ state: 'delivered' });
    expect(await db('deliveries').where({ host: refused.host }).first('state')).toEqual({ state: 'sending' });
  });

  it('count each failure of an endpoint, and disable it at the hundredth, which drops the other deliveries', async () => {
    const { db, webhooks, monitor, change } = await setup();
    const { answer, release } = heldBack();
    const { url, received } = await receiver(answer);
    const taxIds = Array.from({ length: 200 }, (_, n) => taxIdOf(n));
    await monitor(url, { taxIds });
    await db('webhook_endpoints').update({ failures: 97, failing_since: new Date() });
    await change(taxIds);
    await db('endpoint_partitions').update({ quick: true });
    await webhooks.sendDue();
    await expect.poll(() => received.length).toBe(4);
    release(500);
    await expect.poll(() => db('deliveries').where({ state: 'sending' }).select('id')).toEqual([]);
    await expect.poll(() => db('deliveries').where({ state: 'pending' }).select('id')).toEqual([]);
    expect(await db('webhook_endpoints').first()).toMatchObject({ failures: 101, disabled_at: expect.any(Date) });
    expect(await db('deliveries').select('state').count().groupBy('state').orderBy('state')).toEqual([
      { state: 'dropped', count: '196' },
      { state: 'failed', count: '4' },
    ]);
  });
});
