import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';

const MESSAGE = 'quipu: fingerprint of the key secret';

/** Returns the keyed hash of a constant, which distinguishes two secrets and reveals neither. */
const fingerprintOf = (secret: string): Buffer => createHmac('sha256', secret).update(MESSAGE).digest();

/**
 * Returns true if the keys and sealed values of a database were made with this secret. The first call for a database, and one for a
 * database without keys, stores the fingerprint of the secret; later calls compare it.
 */
export async function isKeySecretOf(db: Knex, secret: string): Promise<boolean> {
  const fingerprint = fingerprintOf(secret);
  await db.raw(
    `INSERT INTO secret_fingerprints (purpose, fingerprint) VALUES ('key_secret', ?)
     ON CONFLICT (purpose) DO UPDATE SET fingerprint = EXCLUDED.fingerprint WHERE NOT EXISTS (SELECT FROM api_key_secrets)`,
    [fingerprint],
  );
  return (await matches(db, fingerprint)) ?? true;
}

/** Compares the fingerprint like `isKeySecretOf`, without a change; null if none is stored. */
export const compareKeySecret = (db: Knex, secret: string): Promise<boolean | null> => matches(db, fingerprintOf(secret));

async function matches(db: Knex, fingerprint: Buffer): Promise<boolean | null> {
  const stored: { readonly fingerprint: Buffer } | undefined = await db('secret_fingerprints')
    .where({ purpose: 'key_secret' })
    .first('fingerprint');
  return stored === undefined ? null : timingSafeEqual(stored.fingerprint, fingerprint);
}
