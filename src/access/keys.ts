import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Knex } from 'knex';
import type { Caller } from '../context.ts';
import { invalidInput } from '../domain/errors.ts';
import { MODULES, type ModuleName } from '../domain/modules.ts';
import type { Clock } from '../domain/time.ts';
import { KeyCache } from './key-cache.ts';
import { isWellFormed, newKey } from './key-format.ts';

/** A key as it can be shown at any time. Times are epoch ms. */
export interface KeyRecord {
  readonly id: string;
  readonly name: string;
  /** The last four characters of the key, to tell keys apart. */
  readonly lastFour: string;
  readonly modules: readonly ModuleName[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
}

/** A key as it is shown once, to whoever asked for it. */
export interface IssuedKey extends KeyRecord {
  readonly key: string;
}

/** What may be set on a key. `expiresAt` is epoch ms; null is never. */
export interface KeyTerms {
  readonly modules?: readonly ModuleName[];
  readonly expiresAt?: number | null;
}

export interface KeysDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Keys the hashes: with another secret every stored key is unknown. */
  readonly secret: string;
  /** The operator's own key with all modules, in any form. */
  readonly bootstrapKey?: string;
}

/** API keys. `which` names one by its id, the beginning of its id, or the key itself. */
export interface Keys {
  /** @throws AppError INVALID_INPUT for a blank name or no modules */
  create(terms: { readonly name: string } & KeyTerms): Promise<IssuedKey>;
  /** All of them, oldest first, revoked and expired ones included. */
  list(): Promise<readonly KeyRecord[]>;
  /** Works everywhere within 5 s; again does nothing. @throws AppError INVALID_INPUT when `which` names none, or several */
  revoke(which: string): Promise<KeyRecord>;
  /** Works everywhere within 5 s. @throws AppError INVALID_INPUT when `which` names none, several or a revoked one, or nothing is to change */
  update(which: string, terms: KeyTerms): Promise<KeyRecord>;
  /**
   * Whom the key opens to: null for one that is malformed (told without the database), unknown, revoked or expired.
   * @throws Error when the database fails and nothing read in the last 5 s can stand in
   */
  find(key: string): Promise<Caller | null>;
  /** Stores the operator's own key, if there is one, with every module of this release; stays revoked where it was. */
  ensureBootstrap(): Promise<void>;
}

/** Only a keyed hash of a key is stored; a look-up is one indexed read of it, kept for 4 s. */
export function createKeys({ db, now, secret, bootstrapKey }: KeysDeps): Keys {
  const hashOf = (key: string): Buffer => createHmac('sha256', secret).update(key).digest();
  const bootstrapHash = bootstrapKey ? hashOf(bootstrapKey) : null;
  const cache = new KeyCache<KeyRecord | null>(now);

  async function resolve(which: string): Promise<KeyRecord> {
    const byId = /^[0-9a-f-]{4,36}$/i.test(which);
    if (!byId && !which.startsWith('sk_'))
      throw invalidInput('id', 'Name the key by its id (or the first 4 characters or more of it), or by the key.');
    const found = byId
      ? db('api_keys').whereRaw('id::text LIKE ?', [`${which.toLowerCase()}%`])
      : db('api_keys').where({ hash: hashOf(which) });
    const [record, another] = (await found.limit(2)).map(toRecord);
    if (!record) throw invalidInput('id', 'There is no such key.');
    if (another) throw invalidInput('id', 'Several keys begin like this; give more of the id.');
    return record;
  }

  async function set(id: string, columns: Readonly<Record<string, unknown>>): Promise<KeyRecord> {
    const [row] = await db('api_keys').where({ id }).update(columns, '*');
    cache.clear();
    return toRecord(row);
  }

  return {
    async create({ name, modules = [], expiresAt = null }) {
      if (name.trim() === '') throw invalidInput('name', 'A key needs a name, so that people can tell it from others.');
      if (modules.length === 0) throw invalidInput('modules', 'A key needs at least one module.');
      const key = newKey(randomBytes);
      const columns = { ...secretColumns(key), name: name.trim(), created_at: new Date(now()), ...termColumns({ modules, expiresAt }) };
      const [row] = await db('api_keys').insert(columns, '*');
      return { ...toRecord(row), key };
    },

    list: async () => (await db('api_keys').orderBy(['created_at', 'id'])).map(toRecord),

    async revoke(which) {
      const record = await resolve(which);
      return record.revokedAt === null ? set(record.id, { revoked_at: new Date(now()) }) : record;
    },

    async update(which, terms) {
      const { id, revokedAt } = await resolve(which);
      if (revokedAt !== null) throw invalidInput('id', 'This key is revoked, and stays so; create another.');
      if (terms.modules?.length === 0) throw invalidInput('modules', 'A key needs at least one module.');
      const columns = termColumns(terms);
      if (Object.keys(columns).length === 0) throw invalidInput('modules', 'Nothing to change: give modules, an expiry, or both.');
      return set(id, columns);
    },

    async find(key) {
      if (!isWellFormed(key) && !isBootstrap(key)) return null;
      const hash = hashOf(key);
      const record = await cache.through(hash.toString('base64'), async () => {
        const row = await db('api_keys').where({ hash }).first();
        return row ? toRecord(row) : null;
      });
      if (!record || record.revokedAt !== null || (record.expiresAt !== null && record.expiresAt <= now())) return null;
      return { keyId: record.id, name: record.name, modules: new Set(record.modules) };
    },

    async ensureBootstrap() {
      if (!bootstrapKey) return;
      const columns = { ...secretColumns(bootstrapKey), name: 'bootstrap', created_at: new Date(now()), modules: [...MODULES] };
      await db('api_keys').insert(columns).onConflict('hash').merge(['modules']);
    },
  };

  function secretColumns(key: string) {
    return { hash: hashOf(key), last_four: key.slice(-4) };
  }

  function isBootstrap(key: string): boolean {
    return bootstrapHash !== null && timingSafeEqual(hashOf(key), bootstrapHash);
  }
}

/** `kyb,owners` or `all` → modules. @throws AppError INVALID_INPUT, naming the ones there are */
export function readModules(text: string): readonly ModuleName[] {
  if (text.trim() === 'all') return MODULES;
  const names = [...new Set(text.split(',').map((name) => name.trim()))];
  return names.map((name) => {
    const found = MODULES.find((module) => module === name);
    if (!found) throw invalidInput('modules', `There is no module "${name}". Give all, or any of: ${MODULES.join(', ')}.`);
    return found;
  });
}

/** Only what is given changes. */
const termColumns = ({ modules, expiresAt }: KeyTerms) => ({
  ...(modules && { modules: [...modules] }),
  ...(expiresAt !== undefined && { expires_at: expiresAt === null ? null : new Date(expiresAt) }),
});

interface Row {
  readonly id: string;
  readonly last_four: string;
  readonly name: string;
  readonly modules: readonly string[];
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Modules of a newer release are left out: this one cannot open them. */
const toRecord = (row: Row): KeyRecord => ({
  id: row.id,
  name: row.name,
  lastFour: row.last_four,
  modules: MODULES.filter((module) => row.modules.includes(module)),
  createdAt: row.created_at.getTime(),
  expiresAt: row.expires_at?.getTime() ?? null,
  revokedAt: row.revoked_at?.getTime() ?? null,
});
