import type { Knex } from 'knex';
import { groupByQuery, isBeforeCursor, type NumberedRow, type Page, type PageRequest, queryTable, toPages } from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { TimeCursor } from '../../../domain/paging.ts';
import type { Note } from '../domain/note.ts';

const COLUMNS = 'note.id, note.country, note.tax_id, note.note, note.key_id, note.key_name, note.written_at';

/** Reads pages of the notes of accounts about companies, newest first. */
export async function pageNotes(
  db: Knex,
  queries: readonly (PageRequest<TimeCursor> & CompanyKey & { readonly accountId: string })[],
): Promise<readonly Page<Note>[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM
       ${queryTable({ accountId: 'uuid', country: 'text', taxId: 'text', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM company_notes note
         WHERE note.account_id = query."accountId" AND note.country = query.country AND note.tax_id = query."taxId"
           AND ${isBeforeCursor('note.written_at', 'note.id')}
         ORDER BY note.written_at DESC, note.id DESC LIMIT query.first + 1) AS found
     ORDER BY found.written_at DESC, found.id DESC`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, Note>(rows, queries, toNote);
}

/** Reads notes by id; null for a note that the account does not have. */
export async function findNotes(
  db: Knex,
  queries: readonly { readonly accountId: string; readonly id: string }[],
): Promise<readonly (Note | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, ${COLUMNS} FROM ${queryTable({ accountId: 'uuid', id: 'uuid' })}
       JOIN company_notes note ON note.id = query.id AND note.account_id = query."accountId"`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toNote(row) : null));
}

/** Stores a note and returns it. */
export async function insertNote(trx: Knex, accountId: string, note: Note): Promise<Note> {
  const { id, company, text, keyId, keyName, writtenAt } = note;
  const { rows } = await trx.raw(
    `INSERT INTO company_notes AS note (id, account_id, country, tax_id, note, key_id, key_name, written_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING ${COLUMNS}`,
    [id, accountId, company.country, company.taxId, text, keyId, keyName, new Date(writtenAt)],
  );
  return toNote(rows[0]);
}

/** Deletes a note and returns it; null for a note that the account does not have. */
export async function deleteNote(trx: Knex, accountId: string, id: string): Promise<Note | null> {
  const { rows } = await trx.raw(`DELETE FROM company_notes note WHERE note.id = ? AND note.account_id = ? RETURNING ${COLUMNS}`, [
    id,
    accountId,
  ]);
  return rows[0] ? toNote(rows[0]) : null;
}

/** Counts the notes of an account. */
export async function countNotes(trx: Knex, accountId: string): Promise<number> {
  const { rows } = await trx.raw('SELECT count(*) FROM company_notes WHERE account_id = ?', [accountId]);
  return Number(rows[0].count);
}

/** Deletes the notes of an account and returns their ids. */
export async function eraseNotes(trx: Knex, accountId: string): Promise<readonly string[]> {
  const rows: readonly { readonly id: string }[] = await trx('company_notes').where({ account_id: accountId }).delete().returning('id');
  return rows.map(({ id }) => id);
}

interface Row extends NumberedRow {
  readonly id: string;
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly note: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly written_at: Date;
}

const toNote = (row: Row): Note => ({
  id: row.id,
  company: { country: row.country, taxId: row.tax_id },
  text: row.note,
  keyId: row.key_id,
  keyName: row.key_name,
  writtenAt: row.written_at.getTime(),
});
