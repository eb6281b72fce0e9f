import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, sign } from '../../../../src/webhooks/service/webhook-request.ts';
import { type Received, receiver, setup, taxIdOf } from './support.ts';

const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const headersOf = ({ headers }: Received) => ({
  'webhook-id': String(headers['webhook-id']),
  'webhook-timestamp': String(headers['webhook-timestamp']),
  'webhook-signature': String(headers['webhook-signature']),
});
const verified = (secret: string, { body, ...rest }: Received): unknown => new Webhook(secret).verify(body, headersOf({ body, ...rest }));

/** Computes the signature without the library. */
function byHand(secret: string, request: Received): string {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp } = headersOf(request);
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(Buffer.from(request.body)).digest('base64')}`;
}

describe('WH-01 a signature', () => {
  it('matches the published test vector', () => {
    expect(sign([VECTOR.secret], VECTOR)).toBe(VECTOR.signature);
  });

  it('is accepted by the reference library and by a hand-written check for 1,000 bodies in several scripts', async () => {
    const { monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const taxIds = Array.from({ length: 50 }, (_, i) => taxIdOf(i));
    const { secret } = await monitor(url, { taxIds });
    const letters = ['ação', 'ñandú', '🦙🧶', '\u{1F9B8}\u200D♀️', '\u0001\u001f', 'ﷺ', '"\\</script>', 'x'.repeat(3_000), '中文'];
    for (let round = 0; round < 20; round += 1) {
      const to = `${letters[round % letters.length]} ${round}`;
      await change(taxIds, [{ field: 'activity', from: null, to }]);
    }
    await drain();
    expect(received).toHaveLength(1_000);
    for (const request of received) {
      expect(verified(secret, request)).toEqual(JSON.parse(request.body));
      expect(request.headers['webhook-signature']).toBe(byHand(secret, request));
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1_000);
  }, 120_000);

  it('is rejected when a bit of the body, the id, the timestamp or the secret is different', async () => {
    const { monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const { secret } = await monitor(url);
    await change([taxIdOf(1)]);
    await drain();
    const [request] = received as [Received];
    const headers = headersOf(request);
    expect(() => verified(secret, request)).not.toThrow();
    for (let at = 0; at < request.body.length; at += 1) {
      const bytes = Buffer.from(request.body);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(() => new Webhook(secret).verify(bytes.toString(), headers)).toThrow();
    }
    const others = [
      { ...headers, 'webhook-id': `${headers['webhook-id']}0` },
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
    ];
    for (const other of others) expect(() => new Webhook(secret).verify(request.body, other)).toThrow();
    expect(() => verified(newSecret(), request)).toThrow();
  });
});
