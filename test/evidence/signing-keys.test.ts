import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createSealer } from '../../src/db/sealer.ts';
import { MINUTE_MS } from '../../src/domain/time.ts';
import { signingKeyOf } from '../../src/evidence/seal.ts';
import { createSigningKeys } from '../../src/evidence/signing-keys.ts';
import { testDb } from '../support/db.ts';

it('a signing key that the setting gives again is published as not retired, and the one in between as retired', async () => {
  const db = await testDb();
  onTestFinished(() => db.close());
  let time = Date.parse('2026-11-22T12:00:00Z');
  const sealer = createSealer('a secret of sixteen', 'evidence');
  /** Starts a process with this setting, a minute later. Returns for the ids of the published keys whether they are retired. */
  const publishedWith = async (seed: string): Promise<Readonly<Record<string, boolean>>> => {
    time += MINUTE_MS;
    const keys = await createSigningKeys({ db: db.knex, now: () => time, sealer, seed }).published();
    return Object.fromEntries(keys.map(({ kid, retired_at: at }) => [kid, at !== null]));
  };
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const [a, b] = [signingKeyOf(first).id, signingKeyOf(second).id];
  expect(await publishedWith(first)).toEqual({ [a]: false });
  expect(await publishedWith(second)).toEqual({ [a]: true, [b]: false });
  expect(await publishedWith(first)).toEqual({ [a]: false, [b]: true });
});
