import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditEntry, audit } from '../audit/audit-log.ts';
import type { Caller } from '../context.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { MODULES } from '../domain/modules.ts';
import { type Clock, isoWithOffset, MINUTE_MS } from '../domain/time.ts';
import { ensureAccount, findAccount } from './accounts.ts';
import { newKey } from './key-format.ts';
import { createLookUp } from './key-lookup.ts';
import { type KeyRecord, readKeys } from './key-record.ts';
import { type KeyTerms, termColumns, termFacts } from './key-terms.ts';

/** A key as it is shown once, to whoever asked for it. */
export interface IssuedKey extends KeyRecord {
  readonly key: string;
}

/** Hands a key to whoever is to have it. @throws AppError when it could not: the key is then taken back */
export type Deliver = (issued: IssuedKey) => Promise<void>;

export interface KeysDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Keys the hashes: with another secret every stored key is unknown. */
  readonly secret: string;
  /** The operator's own key with all modules, in any form. */
  readonly bootstrapKey?: string;
  /** Who makes the changes, for the audit log. */
  readonly actor?: string;
}

/** API keys. `which` names one by its id, the beginning of its id, or the key itself. Changes work everywhere within 5 s. */
export interface Keys {
  /**
   * `account` names one as `Accounts` does; without it the key belongs to the account of its own name, made where there is none.
   * @throws AppError INVALID_INPUT for a blank name, no modules or an unknown account; what `deliver` throws, once the key is revoked
   */
  create(terms: KeyTerms & { readonly name: string; readonly account?: string }, deliver?: Deliver): Promise<IssuedKey>;
  /** All of them, oldest first, revoked and expired ones included. */
  list(): Promise<readonly KeyRecord[]>;
  /** @throws AppError INVALID_INPUT when `which` names none, or several */
  get(which: string): Promise<KeyRecord>;
  /**
   * Gives the key another secret. Those it had open for `overlapMs` more, at most.
   * @throws AppError INVALID_INPUT as `update` does, and for one that has expired; what `deliver` throws, once the new secret is gone
   */
  rotate(which: string, options: { readonly overlapMs: number; readonly deliver?: Deliver }): Promise<IssuedKey>;
  /** Again does nothing. @throws AppError INVALID_INPUT when `which` names none, or several */
  revoke(which: string): Promise<KeyRecord>;
  /** @throws AppError INVALID_INPUT when `which` names none, several or a revoked one, or nothing is to change */
  update(which: string, terms: KeyTerms): Promise<KeyRecord>;
  /**
   * Whom the key opens to: null for one that is malformed (told without the database), unknown, revoked or expired.
   * @throws Error when the database fails and nothing read in the last 5 s can stand in
   */
  find(key: string): Promise<Caller | null>;
  /** Ids of keys → whom they open to; without those that open no more. One statement. */
  stillOpen(ids: readonly string[]): Promise<ReadonlyMap<string, Caller>>;
  /** Stores the operator's own key, if there is one, with every module of this release; stays revoked where it was. */
  ensureBootstrap(): Promise<void>;
}

/** What is on its way to somebody opens for this long, and for good once it got there: a process that dies meanwhile leaves nothing open. */
const DELIVERY_MS = 10 * MINUTE_MS;

/** Only a keyed hash of a key is stored: it is shown, or delivered, once. */
export function createKeys({ db, now, secret, bootstrapKey, actor = 'server' }: KeysDeps): Keys {
  const hashOf = (key: string): Buffer => createHmac('sha256', secret).update(key).digest();
  const bootstrapHash = bootstrapKey ? hashOf(bootstrapKey) : null;
  const isOwn = (key: string) => bootstrapHash !== null && timingSafeEqual(hashOf(key), bootstrapHash);
  const lookUp = createLookUp({ db, now, hashOf, isOwn });
  const note = (trx: Knex, entry: Pick<AuditEntry, 'action' | 'subject' | 'facts'>) => audit(trx, { at: now(), actor, ...entry });

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

  async function getOpen(which: string): Promise<KeyRecord> {
    const record = await get(which);
    if (record.revokedAt !== null) throw invalidInput('id', 'This key is revoked, and stays so; create another.');
    return record;
  }

  /** Changes a key together with its entry in the audit log. */
  async function set(id: string, columns: object, entry: Pick<AuditEntry, 'action' | 'facts'>): Promise<KeyRecord> {
    await db.transaction(async (trx) => {
      await trx('api_keys').where({ id }).update(columns);
      await note(trx, { subject: id, ...entry });
    });
    lookUp.forget();
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
    await note(trx, { action: 'key.created', subject: id, facts: { account: accountId, modules: terms.modules, plan: terms.plan } });
    return id;
  }

  /** Delivers what was added under `deliveryEnd()`; `takeBack` says in a sentence what it did where that fails. */
  async function handOver(id: string, key: string, deliver: Deliver, takeBack: () => Promise<string>): Promise<void> {
    try {
      await deliver({ ...(await get(id)), key });
    } catch (error) {
      const done = await takeBack();
      throw error instanceof AppError ? new AppError(error.code, `${error.message} ${done}`, error.facts) : error;
    }
    await db('api_key_secrets')
      .where({ hash: hashOf(key) })
      .update({ expires_at: null });
  }
  const deliveryEnd = () => new Date(now() + DELIVERY_MS);

  async function revoke(which: string): Promise<KeyRecord> {
    const record = await get(which);
    return record.revokedAt === null ? set(record.id, { revoked_at: new Date(now()) }, { action: 'key.revoked' }) : record;
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
      if (deliver) await handOver(id, key, deliver, () => revoke(id).then(() => 'The key is revoked again: nobody has it.'));
      return { ...(await get(id)), key };
    },

    list: () => readKeys(db),
    get,
    revoke,
    find: lookUp.find,
    stillOpen: lookUp.stillOpen,

    async rotate(which, { overlapMs, deliver }) {
      const { id, expiresAt } = await getOpen(which);
      if (expiresAt !== null && expiresAt <= now()) throw invalidInput('id', 'This key has expired; give it another expiry first.');
      const key = newKey(randomBytes);
      const hash = hashOf(key);
      await addSecret(db, id, key, deliveryEnd());
      const takeBack = async () => {
        await db('api_key_secrets').where({ hash }).delete();
        await note(db, { action: 'key.rotation_undone', subject: id });
        lookUp.forget();
        return 'The new secret is gone again: the key opens as before.';
      };
      if (deliver) await handOver(id, key, deliver, takeBack);
      const end = now() + overlapMs;
      await db.transaction(async (trx) => {
        await trx('api_keys').where({ id }).forUpdate();
        await trx.raw(
          'UPDATE api_key_secrets SET expires_at = CASE WHEN hash <> ? THEN LEAST(expires_at, ?::timestamptz) END WHERE key_id = ?',
          [hash, new Date(end), id],
        );
        await note(trx, { action: 'key.rotated', subject: id, facts: { old_open_until: isoWithOffset(end) } });
      });
      lookUp.forget();
      return { ...(await get(id)), key };
    },

    async update(which, terms) {
      const { id } = await getOpen(which);
      const columns = termColumns(terms);
      if (Object.keys(columns).length === 0)
        throw invalidInput('modules', 'Nothing to change: give modules, an expiry, a plan, a name or a note.');
      return set(id, columns, { action: 'key.changed', facts: termFacts(terms) });
    },

    async ensureBootstrap() {
      if (!bootstrapKey || !bootstrapHash) return;
      await db.transaction(async (trx) => {
        const account = await ensureAccount(trx, 'bootstrap', { now, actor }); // those who start at once come past here one by one
        const known = await trx('api_key_secrets').where({ hash: bootstrapHash }).first('key_id');
        if (!known) await addSecret(trx, await insertKey(trx, account.id, { name: 'bootstrap', modules: MODULES }), bootstrapKey, null);
        else if (
          await trx('api_keys')
            .where({ id: known.key_id })
            .whereRaw('modules <> ?', [[...MODULES]])
            .update({ modules: [...MODULES] })
        )
          await note(trx, { action: 'key.changed', subject: known.key_id, facts: { modules: MODULES } });
      });
    },
  };
}
