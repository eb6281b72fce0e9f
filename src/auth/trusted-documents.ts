import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { audit } from '../audit/audit-log.ts';
import { invalidInput } from '../domain/errors.ts';
import type { Clock } from '../domain/time.ts';
import { KeyCache } from './key-cache.ts';

/** A GraphQL document that an operator registered. */
export interface TrustedDocument {
  /** SHA-256 of its text, in hexadecimal. */
  readonly hash: string;
  /** The file that it came from. */
  readonly name: string;
  readonly text: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface DocumentsDeps {
  readonly db: Knex;
  readonly now: Clock;
  /** Who makes the changes, for the audit log. */
  readonly actor?: string;
}

/** Trusted documents. Changes work everywhere within 5 s. */
export interface Documents {
  /** Again changes nothing but the name. */
  register(name: string, text: string): Promise<TrustedDocument>;
  /** By name. */
  list(): Promise<readonly TrustedDocument[]>;
  /** @param which its hash, the beginning of it, or its name. @throws AppError INVALID_INPUT when that names none, or several */
  remove(which: string): Promise<TrustedDocument>;
  /** The text under a hash; null where none is registered. @throws Error when the database fails */
  find(hash: string): Promise<string | null>;
}

/** How a document is named: by its very text, spaces included. */
export const documentHash = (text: string): string => createHash('sha256').update(text).digest('hex');

export function createDocuments({ db, now, actor = 'server' }: DocumentsDeps): Documents {
  const cache = new KeyCache<string | null>(now);

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
        if (!row) throw new Error('a document that was written is not there');
        await audit(trx, { at: now(), actor, action: 'document.registered', subject: hash, facts: { name } });
        return toDocument(row);
      });
    },

    async remove(which) {
      const [document, another] = (await list()).filter(
        ({ hash, name }) => name === which || (which.length >= 4 && hash.startsWith(which.toLowerCase())),
      );
      if (!document) throw invalidInput('document', 'There is no such document.');
      if (another) throw invalidInput('document', 'Several documents are called like this; give more of the hash.');
      await db.transaction(async (trx) => {
        await trx('trusted_documents')
          .where({ hash: Buffer.from(document.hash, 'hex') })
          .delete();
        await audit(trx, { at: now(), actor, action: 'document.removed', subject: document.hash, facts: { name: document.name } });
      });
      return document;
    },

    find: (hash) =>
      cache.through(hash, async () => {
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
