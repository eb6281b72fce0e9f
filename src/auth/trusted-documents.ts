import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { audit } from '../audit/audit-log.ts';
import { StaleIfErrorCache } from '../cache/stale-if-error-cache.ts';
import { BRIDGED_MS, staleAge } from '../db/unavailable.ts';
import { invalidInput } from '../domain/errors.ts';
import { type Clock, SECOND_MS } from '../domain/time.ts';

/** A GraphQL document that an operator registered. */
export interface TrustedDocument {
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
  /** Name of the file that it was registered from. */
  readonly name: string;
  readonly text: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface DocumentsDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Author of the changes, for the audit log. */
  readonly actor?: string;
}

/** Operations on trusted documents. A change takes effect in every process within 5 s. */
export interface Documents {
  /** Registers a text. It is idempotent: registering a text again updates its name. */
  register(name: string, text: string): Promise<TrustedDocument>;
  /** Returns all documents, sorted by name. */
  list(): Promise<readonly TrustedDocument[]>;
  /**
   * Removes a document. @param which a hash, the beginning of one, or a name. @throws AppError INVALID_INPUT when it matches no document
   * or several
   */
  remove(which: string): Promise<TrustedDocument>;
  /**
   * Returns the text of a hash; null when it is not registered.
   * @throws Error when the database fails and no entry younger than 5 s is cached, or 30 s for a registered one while it is unavailable
   */
  find(hash: string): Promise<string | null>;
}

/** Returns the SHA-256 of the exact text, including white space. */
export const documentHash = (text: string): string => createHash('sha256').update(text).digest('hex');

export function createDocuments({ db, now, actor = 'server' }: DocumentsDeps): Documents {
  const cache = new StaleIfErrorCache<string | null>({
    max: 5_000,
    ttlMs: 4 * SECOND_MS,
    maxStaleAgeMs: staleAge(5 * SECOND_MS, BRIDGED_MS),
    now,
  });

  async function list(): Promise<TrustedDocument[]> {
    const rows: Row[] = await db('trusted_documents').orderBy(['name', 'created_at']);
    return rows.map(toDocument);
  }

  return {
    list,

    async register(name, text) {
      const hash = documentHash(text);
      return db.transaction(async (trx) => {
        const [row]: Row[] = await trx('trusted_documents')
          .insert({ hash: Buffer.from(hash, 'hex'), name, text, created_at: new Date(now()) })
          .onConflict('hash')
          .merge(['name'])
          .returning('*');
        if (!row) throw new Error('INSERT … RETURNING returned no document');
        await audit(trx, { at: now(), actor, action: 'document.registered', subject: hash, facts: { name } });
        return toDocument(row);
      });
    },

    async remove(which) {
      const [document, another] = (await list()).filter(
        ({ hash, name }) => name === which || (which.length >= 4 && hash.startsWith(which.toLowerCase())),
      );
      if (!document) throw invalidInput('document', 'There is no such document.');
      if (another) throw invalidInput('document', 'Several documents match; give more of the hash.');
      await db.transaction(async (trx) => {
        await trx('trusted_documents')
          .where({ hash: Buffer.from(document.hash, 'hex') })
          .delete();
        await audit(trx, { at: now(), actor, action: 'document.removed', subject: document.hash, facts: { name: document.name } });
      });
      return document;
    },

    find: (hash) =>
      cache.get(hash, async () => {
        const row: Row | undefined = await db('trusted_documents')
          .where({ hash: Buffer.from(hash, 'hex') })
          .first();
        return row?.text ?? null;
      }),
  };
}

interface Row {
  readonly hash: Buffer;
  readonly name: string;
  readonly text: string;
  readonly created_at: Date;
}

const toDocument = ({ hash, name, text, created_at }: Row): TrustedDocument => ({
  hash: hash.toString('hex'),
  name,
  text,
  createdAt: created_at.getTime(),
});
