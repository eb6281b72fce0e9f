import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditEntry, audit } from '../../audit/audit-log.ts';
import type { Caller } from '../../context.ts';
import { MODULES } from '../../domain/catalogue.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import { type Clock, isoWithOffset, MINUTE_MS } from '../../domain/time.ts';
import { type Account, ensureAccount, findAccount } from '../accounts/accounts.ts';
import { deleteSecret, insertSecret, keepOnlySecret, keepSecret, keyOfSecret } from '../store/key-secrets.ts';
import {
  grantAllModules,
  insertKey,
  type KeyColumns,
  type KeyRecord,
  type KeyTerms,
  lockKey,
  readKeys,
  termColumns,
  updateKey,
} from '../store/keys.ts';
import { createKeyLookup, type FindOptions, type KeyLookup } from './lookup.ts';
import { createKeyHash, newKey } from './secret.ts';
import { readTerms, termFacts } from './terms.ts';

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
  /** Returns the caller that `find` would return from memory; null for any other key. */
  known(key: string): Caller | null;
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
export const createKeys = (deps: KeysDeps): Keys => new StoredKeys(deps);

class StoredKeys implements Keys {
  readonly #db: Knex;
  readonly #now: Clock;
  readonly #actor: string;
  readonly #bootstrapKey: string | undefined;
  readonly #hashOf: (key: string) => Buffer;
  readonly #lookup: KeyLookup;

  constructor({ db, now, secret, bootstrapKey, actor = 'server' }: KeysDeps) {
    this.#db = db;
    this.#now = now;
    this.#actor = actor;
    this.#bootstrapKey = bootstrapKey;
    this.#hashOf = createKeyHash(secret);
    const bootstrapHash = bootstrapKey ? this.#hashOf(bootstrapKey) : null;
    const isBootstrap = (hash: Buffer) => bootstrapHash !== null && timingSafeEqual(hash, bootstrapHash);
    this.#lookup = createKeyLookup({ db, now, hashOf: this.#hashOf, isBootstrap });
  }

  async create(
    { account, ...given }: KeyTerms & { readonly name: string; readonly account?: string },
    deliver?: Deliver,
  ): Promise<IssuedKey> {
    const terms = readTerms({ ...given, modules: given.modules ?? [], plan: given.plan ?? 'standard' });
    const key = newKey(randomBytes);
    const id = await this.#db.transaction(async (trx) => {
      const owner = account === undefined ? await this.#ensureAccount(trx, terms.name ?? '') : await findAccount(trx, account);
      const id = await this.#insertKey(trx, owner.id, terms);
      await this.#addSecret(trx, id, key, deliver ? this.#deliveryEnd() : null);
      return id;
    });
    this.#lookup.clear();
    if (deliver) await this.#deliver(id, key, deliver, () => this.revoke(id).then(() => 'The key is revoked again: nobody has it.'));
    return { ...(await this.get(id)), key };
  }

  list(): Promise<readonly KeyRecord[]> {
    return readKeys(this.#db);
  }

  async get(which: string): Promise<KeyRecord> {
    const isId = /^[0-9a-f-]{4,36}$/i.test(which);
    if (!isId && !which.startsWith('sk_'))
      throw invalidInput('id', 'Name the key by its id (or the first 4 characters or more of it), or by the key.');
    const [record, another] = await readKeys(this.#db, isId ? { idPrefix: which.toLowerCase() } : { secretHash: this.#hashOf(which) });
    if (!record) throw invalidInput('id', 'There is no such key.');
    if (another) throw invalidInput('id', 'Several keys begin like this; give more of the id.');
    return record;
  }

  async rotate(which: string, { overlapMs, deliver }: { readonly overlapMs: number; readonly deliver?: Deliver }): Promise<IssuedKey> {
    const { id, expiresAt } = await this.#getUnrevoked(which);
    if (expiresAt !== null && expiresAt <= this.#now()) throw invalidInput('id', 'This key has expired; give it another expiry first.');
    const key = newKey(randomBytes);
    await this.#addSecret(this.#db, id, key, this.#deliveryEnd());
    if (deliver) await this.#deliver(id, key, deliver, () => this.#undoRotation(id, key));
    const end = this.#now() + overlapMs;
    await this.#db.transaction(async (trx) => {
      await lockKey(trx, id);
      await keepOnlySecret(trx, id, this.#hashOf(key), end);
      await this.#log(trx, { action: 'key.rotated', subject: id, facts: { old_open_until: isoWithOffset(end) } });
    });
    this.#lookup.clear();
    return { ...(await this.get(id)), key };
  }

  async revoke(which: string): Promise<KeyRecord> {
    const record = await this.get(which);
    if (record.revokedAt !== null) return record;
    return this.#update(record.id, { revoked_at: new Date(this.#now()) }, { action: 'key.revoked' });
  }

  async update(which: string, terms: KeyTerms): Promise<KeyRecord> {
    const { id } = await this.#getUnrevoked(which);
    const columns = termColumns(readTerms(terms));
    if (Object.keys(columns).length === 0)
      throw invalidInput('modules', 'Nothing to change: give modules, a role, an expiry, a plan, a name or a note.');
    return this.#update(id, columns, { action: 'key.changed', facts: termFacts(terms) });
  }

  find(key: string, options?: FindOptions): Promise<Caller | null> {
    return this.#lookup.find(key, options);
  }

  known(key: string): Caller | null {
    return this.#lookup.known(key);
  }

  stillValid(secretHashes: readonly string[]): Promise<ReadonlyMap<string, Caller>> {
    return this.#lookup.stillValid(secretHashes);
  }

  async ensureBootstrap(): Promise<void> {
    if (this.#bootstrapKey) await this.ensure('bootstrap', this.#bootstrapKey);
  }

  async ensure(name: string, key: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      // locks the account, so that processes that start at the same time run this one after another
      const account = await this.#ensureAccount(trx, name);
      const known = await keyOfSecret(trx, this.#hashOf(key));
      if (known === undefined) await this.#addSecret(trx, await this.#insertKey(trx, account.id, { name, modules: MODULES }), key, null);
      else if (await grantAllModules(trx, known))
        await this.#log(trx, { action: 'key.changed', subject: known, facts: { modules: MODULES } });
    });
    this.#lookup.clear();
  }

  async #getUnrevoked(which: string): Promise<KeyRecord> {
    const record = await this.get(which);
    if (record.revokedAt !== null) throw invalidInput('id', 'This key is revoked and cannot be enabled again; create another.');
    return record;
  }

  async #insertKey(trx: Knex, accountId: string, terms: KeyTerms): Promise<string> {
    const id = randomUUID();
    await insertKey(trx, id, accountId, terms, this.#now());
    await this.#log(trx, {
      action: 'key.created',
      subject: id,
      facts: { account: accountId, modules: terms.modules, plan: terms.plan, role: terms.role },
    });
    return id;
  }

  /** Updates a key and writes the audit log in one transaction. */
  async #update(id: string, columns: KeyColumns, entry: Pick<AuditEntry, 'action' | 'facts'>): Promise<KeyRecord> {
    await this.#db.transaction(async (trx) => {
      await updateKey(trx, id, columns);
      await this.#log(trx, { subject: id, ...entry });
    });
    this.#lookup.clear();
    return this.get(id);
  }

  #addSecret(trx: Knex, keyId: string, key: string, expiresAt: number | null): Promise<void> {
    return insertSecret(trx, { hash: this.#hashOf(key), keyId, lastFour: key.slice(-4), createdAt: this.#now(), expiresAt });
  }

  #deliveryEnd(): number {
    return this.#now() + DELIVERY_MS;
  }

  /** Delivers a secret that was stored until `#deliveryEnd()`. `undo` runs when that fails and returns a sentence about its result. */
  async #deliver(id: string, key: string, deliver: Deliver, undo: () => Promise<string>): Promise<void> {
    try {
      await deliver({ ...(await this.get(id)), key });
    } catch (error) {
      const done = await undo();
      throw error instanceof AppError ? new AppError(error.code, `${error.message} ${done}`, error.facts) : error;
    }
    await keepSecret(this.#db, this.#hashOf(key));
  }

  async #undoRotation(id: string, key: string): Promise<string> {
    await deleteSecret(this.#db, this.#hashOf(key));
    await this.#log(this.#db, { action: 'key.rotation_undone', subject: id });
    this.#lookup.clear();
    return 'The new secret is gone again: the key opens as before.';
  }

  #ensureAccount(trx: Knex, name: string): Promise<Account> {
    return ensureAccount(trx, name, { now: this.#now, actor: this.#actor });
  }

  #log(trx: Knex, entry: Pick<AuditEntry, 'action' | 'subject' | 'facts'>): Promise<void> {
    return audit(trx, { at: this.#now(), actor: this.#actor, ...entry });
  }
}
