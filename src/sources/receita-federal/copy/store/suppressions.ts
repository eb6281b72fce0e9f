import type { Knex } from 'knex';
import type pg from 'pg';
import { inClientTransaction } from '../../../../db/client-transaction.ts';
import { GAP } from '../../../copies/store/comparisons.ts';
import { TABLES } from '../rows.ts';
import type { SuppressedHashes } from '../suppression.ts';
import { deleteNames } from './name-table.ts';
import { nameKey } from './namesakes.ts';
import { tableOf } from './tables.ts';

/** An entry of the list of suppressed people and companies. */
export interface Suppression {
  readonly hash: string;
  readonly kind: 'person' | 'company';
  readonly note: string | null;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** Adds an entry. Returns false if it exists. */
export async function insertSuppression(db: Knex, { hash, kind, note, createdAt }: Suppression): Promise<boolean> {
  const { rowCount } = await db.raw(
    'INSERT INTO receita_suppressions (hash, kind, note, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [hash, kind, note, new Date(createdAt)],
  );
  return rowCount === 1;
}

/** Deletes an entry. Returns false if there is none. */
export async function deleteSuppression(db: Knex, hash: string): Promise<boolean> {
  return (await db('receita_suppressions').where({ hash }).delete()) === 1;
}

/** Returns all entries, the oldest first. */
export async function listSuppressions(db: Knex): Promise<readonly Suppression[]> {
  const rows: { hash: string; kind: Suppression['kind']; note: string | null; created_at: Date }[] = await db('receita_suppressions')
    .select('hash', 'kind', 'note', 'created_at')
    .orderBy(['created_at', 'hash']);
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at.getTime() }));
}

export async function suppressedHashes(client: pg.ClientBase): Promise<SuppressedHashes> {
  const { rows } = await client.query('SELECT hash, kind FROM receita_suppressions');
  const ofKind = (wanted: Suppression['kind']) => new Set(rows.filter(({ kind }) => kind === wanted).map(({ hash }) => hash as string));
  return { companies: ofKind('company'), people: ofKind('person') };
}

/** Returns the ids of all versions of an origin that have tables, also of one that is not loaded completely. */
export async function versionIds(client: pg.ClientBase, origin: string): Promise<readonly string[]> {
  const { rows } = await client.query('SELECT id::text AS id FROM receita_versions WHERE origin = $1 ORDER BY id', [origin]);
  return rows.map(({ id }) => id);
}

/** Key of a partner or a representative of a version, and the name. */
export interface PartnerRow {
  readonly root: string;
  readonly line: number;
  readonly name: string | null;
  readonly isRepresentative: boolean;
}

/** Returns partners and representatives with a masked CPF. */
export async function namedPartners(client: pg.ClientBase, id: string, document: string): Promise<readonly PartnerRow[]> {
  const table = tableOf('partners', id);
  const { rows } = await client.query(
    `SELECT root, line, name, false AS "isRepresentative" FROM ${table} WHERE document = $1
     UNION ALL SELECT root, line, representative, true FROM ${table} WHERE representative_document = $1`,
    [document],
  );
  return rows;
}

/** Sets names and documents to null, in one transaction. Returns the number of rows. */
export const removeNames = (client: pg.ClientBase, id: string, found: readonly PartnerRow[]): Promise<number> =>
  inClientTransaction(client, async () => {
    for (const { root, line, isRepresentative } of found) {
      const columns = isRepresentative ? 'representative = NULL, representative_document = NULL' : 'name = NULL, document = NULL';
      await client.query(`UPDATE ${tableOf('partners', id)} SET ${columns} WHERE root = $1 AND line = $2`, [root, line]);
    }
    return found.length;
  });

/** Deletes all rows of a company and marks it as suppressed, in one transaction. Returns the number of rows. */
export const deleteCompany = (client: pg.ClientBase, id: string, root: string): Promise<number> =>
  inClientTransaction(client, async () => {
    let rows = 0;
    for (const table of TABLES) {
      const { rowCount } = await client.query(`DELETE FROM ${tableOf(table, id)} WHERE root = $1`, [root]);
      rows += rowCount ?? 0;
    }
    await deleteNames(client, id, root);
    await client.query(
      `INSERT INTO receita_unread (version_id, root, suppressed) VALUES ($1, $2, true)
       ON CONFLICT (version_id, root) DO UPDATE SET suppressed = true`,
      [id, root],
    );
    return rows;
  });

/**
 * Deletes the recorded changes of a company, and leaves a gap in their place, so that its history begins after it. Returns their number. A
 * monitor or a receipt that has copied one keeps it.
 */
export async function deleteChanges(client: pg.ClientBase, origin: string, root: string): Promise<number> {
  const { rows } = await client.query(
    `WITH gone AS (
       DELETE FROM receita_changes h USING receita_comparisons c WHERE c.id = h.comparison_id AND c.origin = $1 AND h.root = $2
       RETURNING h.comparison_id
     ), gaps AS (
       INSERT INTO receita_changes (comparison_id, root, field) SELECT DISTINCT comparison_id, $2, '${GAP}' FROM gone
     )
     SELECT count(*)::int AS n FROM gone`,
    [origin, root],
  );
  return rows[0].n;
}

/** Counts an erasure, so that no answer from before it is served from a cache. */
export async function countErasure(client: pg.ClientBase, origin: string): Promise<void> {
  await client.query('UPDATE receita_current SET erasures = erasures + 1 WHERE origin = $1', [origin]);
}

/** A recorded change of a partner. */
export interface PartnerChange {
  readonly comparison: string;
  readonly seq: string;
  readonly name: string | null;
}

/** Returns the recorded changes of partners with a masked CPF. */
export async function partnerChanges(client: pg.ClientBase, origin: string, document: string): Promise<readonly PartnerChange[]> {
  const { rows } = await client.query(
    `SELECT h.comparison_id::text AS comparison, h.seq::text AS seq, h.details->>'name' AS name
     FROM receita_changes h JOIN receita_comparisons c ON c.id = h.comparison_id WHERE c.origin = $1 AND h.details->>'document' = $2`,
    [origin, document],
  );
  return rows;
}

/** SQL: the letters of a name without accents, in capitals. */
const lettersSql = (name: string): string => `regexp_replace(${nameKey(name)}, '[^A-Z]', '', 'g')`;

/**
 * Replaces recorded changes of partners by gaps, so that the history of their companies begins after them, and removes a representative of
 * this name from others. Returns the number of changes.
 * @param representative the letters of the name
 */
export const erasePartnerChanges = (
  client: pg.ClientBase,
  origin: string,
  found: readonly PartnerChange[],
  representative: string,
): Promise<number> =>
  inClientTransaction(client, async () => {
    for (const { comparison, seq } of found)
      await client.query(
        `UPDATE receita_changes SET field = '${GAP}', branch = NULL, before = NULL, after = NULL, details = NULL
         WHERE comparison_id = $1 AND seq = $2`,
        [comparison, seq],
      );
    const { rowCount } = await client.query(
      `UPDATE receita_changes h SET details = h.details - 'representative' FROM receita_comparisons c
       WHERE c.id = h.comparison_id AND c.origin = $1 AND ${lettersSql("h.details->>'representative'")} = $2`,
      [origin, representative],
    );
    return found.length + (rowCount ?? 0);
  });
