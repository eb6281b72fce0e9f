import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, type Page, type PageRequest, queryTable, toPages } from '../db/paging.ts';
import type { CompanyKey } from '../domain/company.ts';
import type { SealedReceipt } from './receipt.ts';

/** The end of the chain of an account. */
export interface ChainHead {
  /** Number of receipts that were ever issued. */
  readonly length: number;
  /** Content hash of the last one; null before the first. */
  readonly hash: string | null;
}

/** Locks the chain of an account until the transaction ends, and creates it if needed. */
export async function lockChain(trx: Knex, accountId: string): Promise<ChainHead> {
  const { rows } = await trx.raw(
    `INSERT INTO evidence_chains AS chain (account_id, length) VALUES (?, 0)
     ON CONFLICT (account_id) DO UPDATE SET length = chain.length RETURNING length, encode(head_hash, 'hex') AS hash`,
    [accountId],
  );
  return { length: Number(rows[0].length), hash: rows[0].hash };
}

/** A receipt, its UUID, and the text that is stored. */
export interface NewReceipt {
  readonly id: string;
  readonly sealed: SealedReceipt;
  readonly text: string;
}

/** Appends receipts to the locked chain of an account, in one statement. */
export async function appendReceipts(trx: Knex, accountId: string, receipts: readonly NewReceipt[]): Promise<void> {
  const last = receipts.at(-1);
  if (!last) return;
  const rows = receipts.map(({ id, sealed: { receipt }, text }) => ({
    id,
    sequence: receipt.sequence,
    issued_at: receipt.issued_at,
    sealed: text,
  }));
  await trx.raw(
    `WITH written AS (
       INSERT INTO evidence_receipts (id, account_id, sequence, issued_at, sealed)
       SELECT id, ?, sequence, issued_at, sealed
       FROM jsonb_to_recordset(?::jsonb) AS receipt (id uuid, sequence bigint, issued_at timestamptz, sealed text)
     )
     UPDATE evidence_chains SET length = ?, head_hash = decode(?, 'hex') WHERE account_id = ?`,
    [accountId, JSON.stringify(rows), last.sealed.receipt.sequence, last.sealed.content_hash, accountId],
  );
}

/** Reads receipts by id; null for a receipt that the account does not have, and for a text that is not an id. */
export async function findReceipts(
  db: Knex,
  queries: readonly { readonly accountId: string; readonly id: string | null }[],
): Promise<readonly (SealedReceipt | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, r.sealed FROM ${queryTable({ accountId: 'uuid', id: 'uuid' })}
       JOIN evidence_receipts r ON r.id = query.id AND r.account_id = query."accountId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toReceipt(row) : null));
}

/** Reads receipts of accounts in the order of their chains. `after` is a sequence. */
export async function pageReceipts(
  db: Knex,
  queries: readonly (PageRequest<number> & { readonly accountId: string })[],
): Promise<readonly Page<SealedReceipt>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ accountId: 'uuid', first: 'int', after: 'bigint' })},
       LATERAL (SELECT r.sealed, r.sequence FROM evidence_receipts r
         WHERE r.account_id = query."accountId" AND r.sequence > coalesce(query.after, 0) ORDER BY r.sequence LIMIT query.first + 1) AS found
     ORDER BY found.sequence`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, SealedReceipt>(rows, queries, toReceipt);
}

/** Reads receipts of accounts about a company, newest first. `after` is a sequence. The index `evidence_receipts_of_company` finds them. */
export async function pageReceiptsOf(
  db: Knex,
  queries: readonly (PageRequest<number> & CompanyKey & { readonly accountId: string })[],
): Promise<readonly Page<SealedReceipt>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM
       ${queryTable({ accountId: 'uuid', country: 'text', taxId: 'text', first: 'int', after: 'bigint' })},
       LATERAL (SELECT r.sealed, r.sequence FROM evidence_receipts r
         WHERE r.account_id = query."accountId" AND (r.sealed::jsonb #>> '{receipt,company,country}') = query.country
           AND (r.sealed::jsonb #>> '{receipt,company,identifier}') = query."taxId" AND (query.after IS NULL OR r.sequence < query.after)
         ORDER BY r.sequence DESC LIMIT query.first + 1) AS found
     ORDER BY found.sequence DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, SealedReceipt>(rows, queries, toReceipt);
}

interface Row extends NumberedRow {
  readonly sealed: string;
}

const toReceipt = ({ sealed }: Row): SealedReceipt => JSON.parse(sealed);

/** Number of rows that one statement deletes. */
const PURGE_ROWS = 5_000;

/** Deletes the receipts issued before `before` (epoch ms), in batches. The chains keep their heads. */
export async function purgeReceipts(db: Knex, before: number): Promise<void> {
  for (let last = PURGE_ROWS; last === PURGE_ROWS; ) {
    const old = db('evidence_receipts').select('id').where('issued_at', '<', new Date(before)).orderBy('issued_at').limit(PURGE_ROWS);
    last = await db('evidence_receipts').whereIn('id', old).delete();
  }
}

/** Deletes the receipts of an account and its chain. */
export async function eraseReceipts(trx: Knex, accountId: string): Promise<void> {
  await trx('evidence_receipts').where({ account_id: accountId }).delete();
  await trx('evidence_chains').where({ account_id: accountId }).delete();
}

/** A stored key. Times are epoch ms. */
export interface StoredKey {
  readonly id: string;
  /** Base64url. */
  readonly publicKey: string;
  /** Sealed private key; null for a key that comes from a setting. */
  readonly sealedPrivateKey: Buffer | null;
  readonly createdAt: number;
  readonly retiredAt: number | null;
}

/** Reads all keys, newest first. */
export async function readKeys(db: Knex): Promise<readonly StoredKey[]> {
  const rows: KeyRow[] = await db('evidence_keys').orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'asc' },
  ]);
  return rows.map((row) => ({
    id: row.id,
    publicKey: row.public_key,
    sealedPrivateKey: row.sealed_private_key,
    createdAt: row.created_at.getTime(),
    retiredAt: row.retired_at?.getTime() ?? null,
  }));
}

/** Makes other writers of keys wait until the transaction ends. */
export async function lockKeys(trx: Knex): Promise<void> {
  await trx.raw("SELECT pg_advisory_xact_lock(hashtext('evidence_keys'))");
}

/** Stores the key that signs from now on, and retires the others. */
export async function saveKey(trx: Knex, { id, publicKey, sealedPrivateKey, createdAt }: StoredKey): Promise<void> {
  const at = new Date(createdAt);
  await trx('evidence_keys').whereNull('retired_at').whereNot({ id }).update({ retired_at: at });
  await trx('evidence_keys')
    .insert({ id, public_key: publicKey, sealed_private_key: sealedPrivateKey, created_at: at })
    .onConflict('id')
    .merge({ retired_at: null });
}

interface KeyRow {
  readonly id: string;
  readonly public_key: string;
  readonly sealed_private_key: Buffer | null;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}
