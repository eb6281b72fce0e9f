import type { Knex } from 'knex';
import { groupByQuery, isBeforeCursor, type NumberedRow, type Page, type PageRequest, queryTable, toPages } from '../../db/paging.ts';
import type { CompanyKey } from '../../domain/company.ts';
import type { TimeCursor } from '../../domain/paging.ts';
import { type Approval, type CandidateKey, candidateKeyText, type Outcome, type Review, type ReviewFilter } from './domain/review.ts';
import type { SanctionsList } from './domain.ts';

/** Channel of the notification that an account has decided about a candidate, or withdrawn a decision. */
export const REVIEWS_CHANNEL = 'match_dismissals';

/** A page of the decisions of an account that a filter selects. */
export interface ReviewPageQuery extends PageRequest<TimeCursor>, ReviewFilter {
  readonly accountId: string;
}

/** Name of the key that decided: the stored one, else the present one. */
const KEY_NAME = `coalesce(d.key_name, (SELECT k.name FROM api_keys k WHERE k.id = d.key_id), '')`;

/** SQL expression: a text without accents and letter case. */
const folded = (text: string): string => String.raw`lower(regexp_replace(normalize(${text}, NFD), '[\u0300-\u036f]', '', 'g'))`;

/** SQL condition of a `ReviewFilter`. A tax id is found with or without its punctuation. */
const IS_SELECTED = `(query.lists IS NULL OR d.list = ANY(query.lists)) AND (query.country IS NULL OR d.country = query.country)
  AND (query.text IS NULL OR strpos(${folded(`concat_ws(' / ', d.entry_name, d.reason, ${KEY_NAME})`)}, ${folded('query.text')}) > 0
    OR strpos(d.tax_id, nullif(upper(regexp_replace(query.text, '[[:space:]./-]', '', 'g')), '')) > 0)`;

/** Columns that name a candidate, with their SQL types. */
const KEY_COLUMNS = { country: 'text', taxId: 'text', ownerId: 'text', list: 'text', entityId: 'text' } as const;

const toKey = ({ company: { country, taxId }, ownerId, list, entityId }: CandidateKey) => ({
  country,
  taxId,
  ownerId: ownerId ?? '',
  list,
  entityId,
});

/** The columns of a decision as they are stored, with their SQL types. */
const STORED_COLUMNS = {
  id: 'uuid',
  ...KEY_COLUMNS,
  entryName: 'text',
  recordDigest: 'text',
  reason: 'text',
  keyId: 'uuid',
  keyName: 'text',
  personId: 'text',
  approvedBy: 'uuid',
  approvedByName: 'text',
  approvedAt: 'timestamptz',
  decidedAt: 'timestamptz',
} as const;

const toStored = (review: Review): Readonly<Record<keyof typeof STORED_COLUMNS, string | null>> => {
  const { id, entryName, recordDigest, reason, keyId, keyName, personId, approval, decidedAt } = review;
  return {
    id,
    ...toKey(review),
    entryName,
    recordDigest,
    reason,
    keyId,
    keyName,
    personId,
    approvedBy: approval?.keyId ?? null,
    approvedByName: approval?.keyName ?? null,
    approvedAt: approval ? new Date(approval.approvedAt).toISOString() : null,
    decidedAt: new Date(decidedAt).toISOString(),
  };
};

/** Table of the decisions that have one outcome. */
export interface ReviewTable {
  /** Reads the decisions of accounts about candidates of companies and of their owners. */
  ofCompanies(db: Knex, queries: readonly (CompanyKey & { readonly accountId: string })[]): Promise<readonly (readonly Review[])[]>;
  /** Reads decisions by id; null for a decision that the account does not have. */
  find(db: Knex, queries: readonly { readonly accountId: string; readonly id: string }[]): Promise<readonly (Review | null)[]>;
  /** Reads pages of the decisions of accounts, newest first. */
  page(db: Knex, queries: readonly ReviewPageQuery[]): Promise<readonly Page<Review>[]>;
  /**
   * Stores decisions about different candidates and replaces earlier ones about the same candidates, whose ids are kept. It returns the stored
   * decisions in their order.
   */
  saveAll(trx: Knex, accountId: string, reviews: readonly Review[]): Promise<readonly Review[]>;
  /** Deletes a decision and returns it; null for a decision that the account does not have. */
  delete(trx: Knex, accountId: string, id: string): Promise<Review | null>;
  /** Deletes the decisions about candidates, if there are any. */
  deleteOf(trx: Knex, accountId: string, candidates: readonly CandidateKey[]): Promise<void>;
  count(trx: Knex, accountId: string): Promise<number>;
}

function reviewTable(table: string, time: string, { isWaiting }: { readonly isWaiting: boolean }): ReviewTable {
  const toReview = (row: Row): Review => ({ ...reviewOf(row), isWaiting });
  const columns = `d.id, d.country, d.tax_id, d.owner_id, d.list, d.entity_id, d.entry_name, encode(d.record_digest, 'hex') AS record_digest, d.reason, d.key_id, ${KEY_NAME} AS key_name, d.person_id,
    d.approved_by, d.approved_by_name, d.approved_at, d.${time} AS decided_at`;
  return {
    async ofCompanies(db, queries) {
      const { rows } = await db.raw(
        `SELECT query.n, ${columns} FROM ${queryTable({ accountId: 'uuid', country: 'text', taxId: 'text' })}
           JOIN ${table} d ON d.account_id = query."accountId" AND d.country = query.country AND d.tax_id = query."taxId"`,
        [JSON.stringify(queries)],
      );
      return groupByQuery<Row>(rows, queries.length).map((group) => group.map(toReview));
    },
    async find(db, queries) {
      const { rows } = await db.raw(
        `SELECT query.n, ${columns} FROM ${queryTable({ accountId: 'uuid', id: 'uuid' })}
           JOIN ${table} d ON d.id = query.id AND d.account_id = query."accountId"`,
        [JSON.stringify(queries)],
      );
      return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toReview(row) : null));
    },
    async page(db, queries) {
      const { rows } = await db.raw(
        `SELECT query.n, found.* FROM ${queryTable({ accountId: 'uuid', first: 'int', after: 'jsonb', lists: 'text[]', country: 'text', text: 'text' })},
           LATERAL (SELECT ${columns} FROM ${table} d
             WHERE d.account_id = query."accountId" AND ${isBeforeCursor(`d.${time}`, 'd.id')} AND ${IS_SELECTED}
             ORDER BY d.${time} DESC, d.id DESC LIMIT query.first + 1) AS found
         ORDER BY found.decided_at DESC, found.id DESC`,
        [JSON.stringify(queries)],
      );
      return toPages<Row, Review>(rows, queries, toReview);
    },
    async saveAll(trx, accountId, reviews) {
      const { rows } = await trx.raw(
        `INSERT INTO ${table} AS d
           (id, account_id, country, tax_id, owner_id, list, entity_id, entry_name, record_digest, reason, key_id, key_name, person_id, approved_by,
            approved_by_name, approved_at, ${time})
         SELECT id, ?, country, "taxId", "ownerId", list, "entityId", "entryName", decode("recordDigest", 'hex'), reason, "keyId", "keyName", "personId",
           "approvedBy", "approvedByName", "approvedAt", "decidedAt" FROM ${queryTable(STORED_COLUMNS)} ORDER BY n
         ON CONFLICT (account_id, country, tax_id, owner_id, list, entity_id) DO UPDATE SET entry_name = excluded.entry_name,
           record_digest = excluded.record_digest, reason = excluded.reason, key_id = excluded.key_id,
           key_name = excluded.key_name, person_id = excluded.person_id, approved_by = excluded.approved_by, approved_by_name = excluded.approved_by_name,
           approved_at = excluded.approved_at, ${time} = excluded.${time}
         RETURNING ${columns}`,
        [accountId, JSON.stringify(reviews.map(toStored))],
      );
      const stored = new Map(rows.map((row: Row) => [candidateKeyText(reviewOf(row)), toReview(row)]));
      return reviews.map((review) => stored.get(candidateKeyText(review)) as Review);
    },
    async delete(trx, accountId, id) {
      const { rows } = await trx.raw(`DELETE FROM ${table} d WHERE d.id = ? AND d.account_id = ? RETURNING ${columns}`, [id, accountId]);
      return rows[0] ? toReview(rows[0]) : null;
    },
    async deleteOf(trx, accountId, candidates) {
      await trx.raw(
        `DELETE FROM ${table} d USING ${queryTable(KEY_COLUMNS)} WHERE d.account_id = ? AND d.country = query.country
           AND d.tax_id = query."taxId" AND d.owner_id = query."ownerId" AND d.list = query.list AND d.entity_id = query."entityId"`,
        [JSON.stringify(candidates.map(toKey)), accountId],
      );
    },
    async count(trx, accountId) {
      const { rows } = await trx.raw(`SELECT count(*) FROM ${table} WHERE account_id = ?`, [accountId]);
      return Number(rows[0].count);
    },
  };
}

export const REVIEW_TABLES: Readonly<Record<Outcome, ReviewTable>> = {
  dismissed: reviewTable('match_dismissals', 'dismissed_at', { isWaiting: false }),
  confirmed: reviewTable('match_confirmations', 'confirmed_at', { isWaiting: false }),
};

/** Tables of the decisions that wait for approval. */
export const WAITING_TABLES: Readonly<Record<Outcome, ReviewTable>> = {
  dismissed: reviewTable('waiting_dismissals', 'dismissed_at', { isWaiting: true }),
  confirmed: reviewTable('waiting_confirmations', 'confirmed_at', { isWaiting: true }),
};

/** Returns, for each account, whether it has any decisions about candidates, in force or waiting. */
export async function haveReviews(db: Knex, accountIds: readonly string[]): Promise<readonly boolean[]> {
  const { rows } = await db.raw(
    `SELECT account_id FROM match_dismissals WHERE account_id = ANY(:accounts::uuid[])
     UNION SELECT account_id FROM match_confirmations WHERE account_id = ANY(:accounts::uuid[])
     UNION SELECT account_id FROM waiting_dismissals WHERE account_id = ANY(:accounts::uuid[])
     UNION SELECT account_id FROM waiting_confirmations WHERE account_id = ANY(:accounts::uuid[])`,
    { accounts: [...accountIds] },
  );
  const found = new Set(rows.map(({ account_id }: { readonly account_id: string }) => account_id));
  return accountIds.map((id) => found.has(id));
}

/** Notifies all processes, after the commit, to read again which accounts have decisions. */
export async function announceReviews(trx: Knex): Promise<void> {
  await trx.raw('SELECT pg_notify(?, ?)', [REVIEWS_CHANNEL, '']);
}

interface Row extends NumberedRow {
  readonly id: string;
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly list: SanctionsList;
  readonly owner_id: string;
  readonly entity_id: string;
  readonly entry_name: string;
  readonly record_digest: string;
  readonly reason: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly person_id: string | null;
  readonly approved_by: string | null;
  readonly approved_by_name: string | null;
  readonly approved_at: Date | null;
  readonly decided_at: Date;
}

const reviewOf = (row: Row): Omit<Review, 'isWaiting'> => ({
  id: row.id,
  company: { country: row.country, taxId: row.tax_id },
  ownerId: row.owner_id || null,
  list: row.list,
  entityId: row.entity_id,
  entryName: row.entry_name,
  recordDigest: row.record_digest,
  reason: row.reason,
  keyId: row.key_id,
  keyName: row.key_name,
  personId: row.person_id,
  approval: approvalOf(row),
  decidedAt: row.decided_at.getTime(),
});

const approvalOf = ({ approved_by, approved_by_name, approved_at }: Row): Approval | null =>
  approved_by !== null && approved_at !== null
    ? { keyId: approved_by, keyName: approved_by_name ?? '', approvedAt: approved_at.getTime() }
    : null;
