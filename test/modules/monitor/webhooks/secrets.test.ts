import { describe, expect, it } from 'vitest';
import { createSealer } from '../../../../src/db/sealer.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/domain/time.ts';
import { sign } from '../../../../src/webhooks/service/webhook-request.ts';
import { replaceSecret } from '../../../../src/webhooks/store/endpoints.ts';
import { newSealedSecret, SEALER } from './sender.ts';
import { type Received, receiver, setup, taxIdOf } from './support.ts';

/** `signatures` returns the signatures of a request; `under` computes its signature with a secret. */
const signatures = ({ headers }: Received): readonly string[] => String(headers['webhook-signature']).split(' ');
const under = (secret: string, { headers, body }: Received): string =>
  sign([secret], { id: String(headers['webhook-id']), timestamp: Number(headers['webhook-timestamp']), body });

describe('WH-02 a secret', () => {
  it('is whsec_ and 32 bytes, is different each time, and is not readable in the table of monitors', async () => {
    const { db, monitor } = await setup();
    const made = Array.from({ length: 10_000 }, () => newSealedSecret());
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(10_000);
    expect(new Set(made.map(({ sealed }) => sealed.toString('hex'))).size).toBe(10_000);
    for (const { secret } of made.slice(0, 100)) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    const { secret } = await monitor('http://127.0.0.1:1/');
    const { rows } = await db.raw('SELECT monitors.*, monitors::text AS whole FROM monitors');
    expect(SEALER.open(rows[0].secret)).toBe(secret);
    const bytes = Buffer.from(secret.slice(6), 'base64');
    expect(rows[0].secret.includes(bytes)).toBe(false);
    for (const trace of ['whsec_', secret.slice(6), bytes.toString('hex')]) expect(rows[0].whole).not.toContain(trace);
  });

  it('that was rotated signs together with the new one for a day, and not afterwards', async () => {
    let time = Date.now();
    const { db, monitor, change, drain } = await setup({ now: () => time });
    const { url, received } = await receiver();
    const taxIds = Array.from({ length: 100 }, (_, i) => taxIdOf(i));
    const { id, keyId, secret: old } = await monitor(url, { taxIds });
    const { secret: current, sealed } = newSealedSecret();
    await replaceSecret(db, { id, keyId }, { secret: sealed, oldUntil: time + DAY_MS, now: time });
    await change(taxIds);
    time += DAY_MS - 2 * SECOND_MS;
    await change(taxIds);
    await drain();
    expect(received).toHaveLength(200);
    for (const request of received) expect(signatures(request)).toEqual([under(current, request), under(old, request)]);
    time += 2 * SECOND_MS;
    await change([taxIdOf(1)]);
    await drain();
    const [last] = received.slice(200) as [Received];
    expect(signatures(last)).toEqual([under(current, last)]);
  });

  it('that was rotated again signs for its own day, and the oldest of more than ten ends first', async () => {
    let time = Date.now();
    const { db, monitor, change, drain } = await setup({ now: () => time });
    const { url, received } = await receiver();
    const { id, keyId, secret: first } = await monitor(url);
    const all = [{ secret: first, until: 0 }];
    const rotate = async () => {
      const { secret, sealed } = newSealedSecret();
      expect(await replaceSecret(db, { id, keyId }, { secret: sealed, oldUntil: time + DAY_MS, now: time })).toBe(true);
      for (const one of all.slice(-1)) one.until = time + DAY_MS;
      all.push({ secret, until: Number.POSITIVE_INFINITY });
    };
    /** Sends a webhook, and expects the signatures of the secrets that are valid. */
    const expectSigned = async (count: number) => {
      await change([taxIdOf(1)]);
      await drain();
      const [request] = received.slice(-1) as [Received];
      const valid = all.filter(({ until }) => until > time).slice(-11);
      expect(signatures(request)).toEqual(valid.toReversed().map(({ secret }) => under(secret, request)));
      expect(valid).toHaveLength(count);
    };
    for (const count of [2, 3, 4]) {
      await rotate();
      time += HOUR_MS;
      await expectSigned(count);
    }
    time += DAY_MS - 3 * HOUR_MS - 1;
    await expectSigned(4);
    time += 1;
    await expectSigned(3);
    for (let n = 0; n < 12; n += 1) {
      await rotate();
      time += MINUTE_MS;
    }
    await expectSigned(11);
    time += DAY_MS;
    await expectSigned(1);
    await rotate();
    expect((await db('webhook_endpoints').first()).earlier_secrets).toEqual([]);
  });

  it('that cannot be decrypted any more is left out once it has been replaced', async () => {
    const { db, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    const { id, keyId } = await monitor(url);
    const lost = createSealer('another secret of the operator', 'quipu webhooks').seal('whsec_x');
    await db('webhook_endpoints').update({ secret: lost });
    const { secret, sealed } = newSealedSecret();
    await replaceSecret(db, { id, keyId }, { secret: sealed, oldUntil: Date.now() + DAY_MS, now: Date.now() });
    await change([taxIdOf(1)]);
    await drain();
    expect(received.map(signatures)).toEqual(received.map((request) => [under(secret, request)]));
    expect(received).toHaveLength(1);
  });

  it('that cannot be decrypted fails its deliveries, and nothing is sent', async () => {
    const { db, monitor, change, drain } = await setup();
    const { url, received } = await receiver();
    await monitor(url);
    await db('webhook_endpoints').update({ secret: createSealer('another secret of the operator', 'quipu webhooks').seal('whsec_x') });
    await change([taxIdOf(1)]);
    await drain();
    expect(received).toEqual([]);
    expect(await db('delivery_attempts').first()).toMatchObject({ error: 'secret_lost', status: null });
    expect(await db('deliveries').first()).toMatchObject({ state: 'failed' });
  });
});
