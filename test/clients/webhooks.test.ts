import { Webhook } from 'standardwebhooks';
import { describe, expect, inject, it } from 'vitest';
import { createMonitor, query } from './monitor.ts';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What the sandbox's receiver of this name was sent. */
async function received(name: string): Promise<readonly Received[]> {
  const answer = await fetch(`${inject('sandbox')}/_control/webhooks/${name}`);
  return ((await answer.json()) as { requests: readonly Received[] }).requests;
}

describe('standardwebhooks', () => {
  it('verifies a delivery with the secret of its monitor, and refuses another body, time or secret', async () => {
    const { monitorId, secret } = await createMonitor('standardwebhooks');
    await query('mutation ($id: ID!) { testMonitor(input: { id: $id }) { delivery { id } } }', { id: monitorId });
    await expect.poll(async () => (await received('standardwebhooks')).length, { timeout: 20_000 }).toBe(1);
    const [{ headers, body } = { headers: {}, body: '' }] = await received('standardwebhooks');
    const webhook = new Webhook(secret);
    expect(webhook.verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => webhook.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => webhook.verify(body, { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) - 1}` })).toThrow(
      'No matching signature',
    );
    expect(() => new Webhook('whsec_c29tZXRoaW5nIGVsc2U=').verify(body, headers)).toThrow('No matching signature');
  });
});
