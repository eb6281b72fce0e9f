import { createClient } from 'graphql-sse';
import { describe, expect, inject, it } from 'vitest';
import { createMonitor, DELIVERIES } from './monitor.ts';
import { DEBARRED } from './portfolio.ts';

const client = (key = inject('key')) => createClient({ url: `${inject('url')}/graphql`, headers: { 'x-api-key': key }, retryAttempts: 0 });

describe('graphql-sse', () => {
  it('gets the result of a query', async () => {
    const results = client().iterate({ query: `{ company(identifier: "${DEBARRED}") { debarment { isDebarred } } }` });
    expect(await results.next()).toMatchObject({ value: { data: { company: { debarment: { isDebarred: true } } } } });
    expect(await results.next()).toEqual({ done: true, value: undefined });
  });

  it('gets the events of a subscription', async () => {
    const { monitorId, sendTest } = await createMonitor('graphql-sse');
    const events = client().iterate({ query: DELIVERIES, variables: { monitorId } });
    const received = sendTest(events.next());
    expect(await received).toMatchObject({ value: { data: { deliveryUpdated: { id: expect.any(String) } } } });
    await events.return?.();
  });

  it('reports a key that is refused', async () => {
    await expect(client('sk_unknown_key').iterate({ query: '{ apiKey { name } }' }).next()).rejects.toMatchObject({
      response: { status: 403 },
    });
  });
});
