import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { audit } from '../audit/audit-log.ts';
import { StaleIfErrorCache } from '../cache/stale-if-error-cache.ts';
import type { Sealer } from '../db/sealer.ts';
import { invalidInput } from '../domain/errors.ts';
import { type Clock, isoOrNull, isoWithOffset, MINUTE_MS } from '../domain/time.ts';
import type { PublicKey } from './receipt.ts';
import { type SigningKey, signingKeyOf } from './seal.ts';
import { lockKeys, readKeys, type StoredKey, saveKey } from './store.ts';

/** The keys that sign receipts. */
export interface SigningKeys {
  /** Returns the key in use. It is generated at the first call if there is none, and cached for a minute. */
  current(): Promise<SigningKey>;
  /** Returns all public keys, newest first, including retired ones. They are cached for a minute. */
  published(): Promise<readonly PublicKey[]>;
  /** Replaces the key in use by a new one. Other processes use it within a minute. @throws AppError INVALID_INPUT where a setting gives the key */
  rotate(actor: string): Promise<PublicKey>;
}

export interface SigningKeysDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Encrypts the private keys that are stored. */
  readonly sealer: Sealer;
  /** The key of the setting, 32 bytes in base64; empty where none is given. */
  readonly seed: string;
}

const CACHED = { max: 1, ttlMs: MINUTE_MS, maxStaleAgeMs: 60 * MINUTE_MS };

export function createSigningKeys({ db, now, sealer, seed }: SigningKeysDeps): SigningKeys {
  const current = new StaleIfErrorCache<SigningKey>({ ...CACHED, now });
  const published = new StaleIfErrorCache<readonly PublicKey[]>({ ...CACHED, now });

  /** Stores a key as the one in use. The private key of a setting is not stored. */
  async function use(trx: Knex, actor: string, text: string, isSetting: boolean): Promise<SigningKey> {
    const key = signingKeyOf(text);
    const sealedPrivateKey = isSetting ? null : sealer.seal(text);
    await saveKey(trx, { id: key.id, publicKey: key.publicKey, sealedPrivateKey, createdAt: now(), retiredAt: null });
    await audit(trx, { at: now(), actor, action: 'evidence_key.created', subject: key.id });
    return key;
  }

  const newSeed = (): string => randomBytes(32).toString('base64');
  const inUse = (keys: readonly StoredKey[]): StoredKey | undefined => keys.find(({ retiredAt }) => retiredAt === null);

  /** One process creates the key, and the others read it. */
  const change = <T>(work: (trx: Knex, stored: StoredKey | undefined) => Promise<T>): Promise<T> =>
    db.transaction(async (trx) => {
      await lockKeys(trx);
      return work(trx, inUse(await readKeys(trx)));
    });

  async function read(): Promise<SigningKey> {
    const stored = inUse(await readKeys(db));
    if (seed !== '') {
      const key = signingKeyOf(seed);
      return stored?.id === key.id ? key : change((trx) => use(trx, 'server', seed, true));
    }
    if (stored?.sealedPrivateKey) return signingKeyOf(sealer.open(stored.sealedPrivateKey));
    return change(async (trx, found) =>
      found?.sealedPrivateKey ? signingKeyOf(sealer.open(found.sealedPrivateKey)) : use(trx, 'server', newSeed(), false),
    );
  }

  return {
    current: () => current.get('', read),
    async published() {
      await current.get('', read); // a service that has issued no receipt yet publishes its key, too
      return published.get('', async () => (await readKeys(db)).map(toPublicKey));
    },
    async rotate(actor) {
      if (seed !== '') throw invalidInput('key', 'The key is the setting QUIPU_EVIDENCE_KEY: change the setting and restart the service.');
      const { id } = await change((trx) => use(trx, actor, newSeed(), false));
      current.clear();
      published.clear();
      const stored = (await readKeys(db)).find((key) => key.id === id);
      if (!stored) throw new Error('a key was not stored');
      return toPublicKey(stored);
    },
  };
}

const toPublicKey = ({ id, publicKey, createdAt, retiredAt }: StoredKey): PublicKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  alg: 'EdDSA',
  use: 'sig',
  kid: id,
  x: publicKey,
  created_at: isoWithOffset(createdAt),
  retired_at: isoOrNull(retiredAt),
});
