import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditEntry, audit } from '../../audit/audit-log.ts';
import type { Caller } from '../../context.ts';
import { MODULES } from '../../domain/catalogue.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import { type Clock, isoWithOffset, MINUTE_MS } from '../../domain/time.ts';
import { ensureAccount, findAccount } from '../accounts/accounts.ts';
import { createKeyHash, createKeyLookup, type FindOptions, newKey } from './lookup.ts';
import { type KeyRecord, type KeyTerms, readKeys, termColumns, termFacts } from './record.ts';

/** A new key or a key with a new secret, with the text of the secret. It is returned once and never stored. */
export interface IssuedKey extends KeyRecord {
  readonly key: string;
}

/** Sends a secret to its owner. @throws AppError when that fails: the secret is then revoked */
export type Deliver = (issued: IssuedKey) => Promise<void>;

export interface KeysDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** HMAC key of the stored hashes. Changing it makes every stored API key unknown. */
  readonly secret: string;
  /** The operator's own API key with all modules, in any form. */
  readonly bootstrapKey?: string;
  /** Author of the changes, for the audit log. */
  readonly actor?: string;
}

/**
 * Operations on API keys. `which` is a key's id, the beginning of its id (4 characters or more) or its secret. A change takes effect in
 * this process at once and in all others within 5 s.
 */
export interface Keys {
  /**
   * Creates a key. `account` is a name or id as in `Accounts`; without it the key belongs to the account of its own name, which is created
   * if needed.
   * @throws AppError INVALID_INPUT for a blank name, no modules or an unknown account; the error of `deliver`, after revoking the key
   */
  create(terms: KeyTerms & { readonly name: string; readonly account?: string }, deliver?: Deliver): Promise<IssuedKey>;
  /** Returns all keys, oldest first, including revoked and expired ones. */
  list(): Promise<readonly KeyRecord[]>;
  /** @throws AppError INVALID_INPUT when `which` matches no key or several */
  get(which: string): Promise<KeyRecord>;
  /**
   * Adds a secret to the key. The earlier secrets stay valid for `overlapMs` at most.
   * @throws AppError INVALID_INPUT as `update`, and for an expired key; the error of `deliver`, after removing the new secret
   */
  rotate(which: string, options: { readonly overlapMs: number; readonly deliver?: Deliver }): Promise<IssuedKey>;
  /** Revokes a key. It is idempotent. @throws AppError INVALID_INPUT when `which` matches no key or several */
  revoke(which: string): Promise<KeyRecord>;
  /** @throws AppError INVALID_INPUT when `which` matches no key, several or a revoked one, or `terms` is empty */
  update(which: string, terms: KeyTerms): Promise<KeyRecord>;
  /**
   * Finds the caller of a secret; null for a malformed (without a read), unknown, revoked or expired key.
   * @throws Error when the database fails and no entry younger than 5 s is cached
   */
  find(key: string, options?: FindOptions): Promise<Caller | null>;
  /**
   * Returns the callers of hashes of secrets (`Caller.secretHash`), without ended secrets and invalid keys, by one statement that is never
   * cached.
   */
  stillValid(secretHashes: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Stores the bootstrap key, if one is set, like `ensure`. */
  ensureBootstrap(): Promise<void>;
  /** Stores a given secret with every module of this release, in the account of that name. A revoked secret stays revoked. */
  ensure(name: string, key: string): Promise<void>;
}

/**
 * Validity of a secret in delivery, which becomes unlimited once it is delivered. A process that dies in between leaves no valid secret.
 */
const DELIVERY_MS = 10 * MINUTE_MS;

/** Creates the operations. They store only keyed hashes of secrets, so that a secret is returned or delivered once. */
export function createKeys({ db, now, secret, bootstrapKey, actor = 'server' }: KeysDeps): Keys {
  const hashOf = createKeyHash(secret);
  const bootstrapHash = bootstrapKey ? hashOf(bootstrapKey) : null;
  const isBootstrap = (hash: Buffer) => bootstrapHash !== null && timingSafeEqual(hash, bootstrapHash);
  const lookup = createKeyLookup({ db, now, hashOf, isBootstrap });
  const log = (trx: Knex, entry: Pick<AuditEntry, 'action' | 'subject' | 'facts'>) => audit(trx, { at: now(), actor, ...entry });

  async function get(which: string): Promise<KeyRecord> {
    const isId = /^[0-9a-f-]{4,36}$/i.test(which);
    if (!isId && !which.startsWith('sk_'))
      throw invalidInput('id', 'Name the key by its id (or the first 4 characters or more of it), or by the key.');
    const [record, another] = isId
      ? await readKeys(db, { where: 'k.id::text LIKE ?', bindings: [`${which.toLowerCase()}%`] })
      : await readKeys(db, { where: 'k.id = (SELECT key_id FROM api_key_secrets WHERE hash = ?)', bindings: [hashOf(which)] });
    if (!record) throw invalidInput('id', 'There is no such key.');
    if (another) throw invalidInput('id', 'Several keys begin like this; give more of the id.');
    return record;
  }

  async function getUnrevoked(which: string): Promise<KeyRecord> {
    const record = await get(which);
    if (record.revokedAt !== null) throw invalidInput('id', 'This key is revoked and cannot be enabled again; create another.');
    return record;
  }

  /** Updates a key and writes the audit log in one transaction. */
  async function updateRow(id: string, columns: object, entry: Pick<AuditEntry, 'action' | 'facts'>): Promise<KeyRecord> {
    await db.transaction(async (trx) => {
      await trx('api_keys').where({ id }).update(columns);
      await log(trx, { subject: id, ...entry });
    });
    lookup.clear();
    return get(id);
  }

  const addSecret = (trx: Knex, keyId: string, key: string, expiresAt: Date | null) =>
    trx('api_key_secrets').insert({
      hash: hashOf(key),
      key_id: keyId,
      last_four: key.slice(-4),
      created_at: new Date(now()),
      expires_at: expiresAt,
    });

  async function insertKey(trx: Knex, accountId: string, terms: KeyTerms): Promise<string> {
    const id = randomUUID();
    await trx('api_keys').insert({ id, account_id: accountId, created_at: new Date(now()), ...termColumns(terms) });
    await log(trx, { action: 'key.created', subject: id, facts: { account: accountId, modules: terms.modules, plan: terms.plan } });
    return id;
  }

  /** Delivers a secret that was stored until `deliveryEnd()`. `undo` runs when that fails and returns a sentence about its result. */
  async function deliverSecret(id: string, key: string, deliver: Deliver, undo: () => Promise<string>): Promise<void> {
    try {
      await deliver({ ...(await get(id)), key });
    } catch (error) {
      const done = await undo();
      throw error instanceof AppError ? new AppError(error.code, `${error.message} ${done}`, error.facts) : error;
    }
    await db('api_key_secrets')
      .where({ hash: hashOf(key) })
      .update({ expires_at: null });
  }
  const deliveryEnd = () => new Date(now() + DELIVERY_MS);

  async function ensure(name: string, key: string): Promise<void> {
    await db.transaction(async (trx) => {
      // locks the account, so that processes that start at the same time run this one after another
      const account = await ensureAccount(trx, name, { now, actor });
      const known = await trx('api_key_secrets')
        .where({ hash: hashOf(key) })
        .first('key_id');
      if (!known) await addSecret(trx, await insertKey(trx, account.id, { name, modules: MODULES }), key, null);
      else if (
        await trx('api_keys')
          .where({ id: known.key_id })
          .whereRaw('modules <> ?', [[...MODULES]])
          .update({ modules: [...MODULES] })
      )
        await log(trx, { action: 'key.changed', subject: known.key_id, facts: { modules: MODULES } });
    });
    lookup.clear();
  }

  async function revoke(which: string): Promise<KeyRecord> {
    const record = await get(which);
    return record.revokedAt === null ? updateRow(record.id, { revoked_at: new Date(now()) }, { action: 'key.revoked' }) : record;
  }

  return {
    async create({ account, ...given }, deliver) {
      const terms = { ...given, modules: given.modules ?? [], plan: given.plan ?? 'standard' };
      const { name = '' } = termColumns(terms);
      const key = newKey(randomBytes);
      const id = await db.transaction(async (trx) => {
        const owner = account === undefined ? await ensureAccount(trx, name, { now, actor }) : await findAccount(trx, account);
        const id = await insertKey(trx, owner.id, terms);
        await addSecret(trx, id, key, deliver ? deliveryEnd() : null);
        return id;
      });
      lookup.clear();
      if (deliver) await deliverSecret(id, key, deliver, () => revoke(id).then(() => 'The key is revoked again: nobody has it.'));
      return { ...(await get(id)), key };
    },

    list: () => readKeys(db),
    get,
    revoke,
    find: lookup.find,
    stillValid: lookup.stillValid,

    async rotate(which, { overlapMs, deliver }) {
      const { id, expiresAt } = await getUnrevoked(which);
      if (expiresAt !== null && expiresAt <= now()) throw invalidInput('id', 'This key has expired; give it another expiry first.');
      const key = newKey(randomBytes);
      const hash = hashOf(key);
      await addSecret(db, id, key, deliveryEnd());
      const undo = async () => {
        await db('api_key_secrets').where({ hash }).delete();
        await log(db, { action: 'key.rotation_undone', subject: id });
        lookup.clear();
        return 'The new secret is gone again: the key opens as before.';
      };
      if (deliver) await deliverSecret(id, key, deliver, undo);
      const end = now() + overlapMs;
      await db.transaction(async (trx) => {
        await trx('api_keys').where({ id }).forUpdate();
        await trx.raw(
          'UPDATE api_key_secrets SET expires_at = CASE WHEN hash <> ? THEN LEAST(expires_at, ?::timestamptz) END WHERE key_id = ?',
          [hash, new Date(end), id],
        );
        await log(trx, { action: 'key.rotated', subject: id, facts: { old_open_until: isoWithOffset(end) } });
      });
      lookup.clear();
      return { ...(await get(id)), key };
    },

    async update(which, terms) {
      const { id } = await getUnrevoked(which);
      const columns = termColumns(terms);
      if (Object.keys(columns).length === 0)
        throw invalidInput('modules', 'Nothing to change: give modules, an expiry, a plan, a name or a note.');
      return updateRow(id, columns, { action: 'key.changed', facts: termFacts(terms) });
    },

    async ensureBootstrap() {
      if (bootstrapKey) await ensure('bootstrap', bootstrapKey);
    },

    ensure,
  };
}
