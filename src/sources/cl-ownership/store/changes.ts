import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import { chainSql, coveredFromSql } from '../../copies/store/comparisons.ts';
import { type StoredVersion, toVersion, VERSION, type VersionRow } from '../../registry/version-store.ts';
import { OWNERSHIP_FIELDS, type OwnershipField, WITHDRAWN } from '../change-field.ts';
import { PARENT } from './tables.ts';

/** A difference of a company between two files. Dates are ISO. */
export interface StoredOwnershipChange {
  readonly seq: number;
  readonly field: OwnershipField | typeof WITHDRAWN;
  /** Number of the RUT of the owner; 0 for all natural persons together, null for the company as a whole. */
  readonly partner: number | null;
  /** Percentages; null if they are not known, or there are none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly extractFrom: string;
  readonly extractTo: string;
}

/** The files between which the changes of a company are known. */
interface Coverage {
  /** Null if no two files were compared. */
  readonly coveredFrom: string | null;
  readonly coveredTo: string | null;
}

/** A page of the changes of a company, newest first. */
export interface OwnershipChangesQuery {
  readonly society: number;
  readonly fields: readonly string[];
  readonly first: number;
  /** `seq` of the last change of the previous page; null for the first page. */
  readonly after: number | null;
}

/** A page with at most one change more than requested, and what the file has of the company. */
export interface FoundOwnershipChanges extends Coverage {
  readonly isListed: boolean;
  readonly changes: readonly StoredOwnershipChange[];
}

/** The changes of a company after a date, newest first. */
export interface OwnershipSince extends Coverage {
  /** Date of the last file up to the date; null if that is the file that answers. */
  readonly extractedOn: string | null;
  /** True if a row of that file does not say whose owners it has. */
  readonly hadLost: boolean;
  readonly changes: readonly StoredOwnershipChange[];
}

/** Answers to queries, in their order, and the version that they lead to; null for none. */
interface FromVersion<T> {
  readonly version: StoredVersion | null;
  readonly found: readonly T[];
}

type CopyName = readonly [name: string, origin: string];

/** SQL: the chain of the comparisons that lead to the version that answers. */
const CHAIN = chainSql('cl_ownership', 'c.to_version = (SELECT version_id FROM registries WHERE name = ? AND origin = ?)');
const CHANGE = `c.seq::float8 AS seq, c.field, c.partner, c.before, c.after, chain.extract_from::text AS "extractFrom",
       chain.extract_to::text AS "extractTo"`;
const COVERED = `covered.at::text AS "coveredFrom", (SELECT max(extract_to) FROM chain)::text AS "coveredTo"`;
const COVERED_FROM = coveredFromSql('cl_ownership', 'g.society = query.society');
const CHANGES_OF_COMPANY = `SELECT ${CHANGE} FROM cl_ownership_changes c JOIN chain ON chain.id = c.comparison_id WHERE c.society = query.society`;

/** Reads the changes that lead to the version that answers, one page per query, by one statement. */
export async function findOwnershipChanges(
  db: Knex,
  copy: CopyName,
  queries: readonly OwnershipChangesQuery[],
): Promise<FromVersion<FoundOwnershipChanges>> {
  const { rows } = await db.raw(
    `WITH RECURSIVE ${CHAIN}
     SELECT ${VERSION}, query.n, ${COVERED},
       EXISTS (SELECT FROM ${PARENT} l WHERE l.version_id = r.version_id AND l.society = query.society) AS "isListed", found.*
     FROM registries r JOIN registry_versions v ON v.id = r.version_id
       CROSS JOIN ${queryTable({ society: 'integer', fields: 'text[]', first: 'integer', after: 'bigint' })}
       CROSS JOIN LATERAL (${COVERED_FROM}) AS covered
       LEFT JOIN LATERAL (${CHANGES_OF_COMPANY} AND c.field = ANY (query.fields) AND chain.extract_to >= covered.at
           AND (query.after IS NULL OR c.seq < query.after)
         ORDER BY c.seq DESC LIMIT query.first + 1) AS found ON true
     WHERE r.name = ? AND r.origin = ?
     ORDER BY query.n, found.seq DESC`,
    [...copy, JSON.stringify(queries), ...copy],
  );
  return toAnswers<FoundOwnershipChanges>(rows, queries.length, (first) => ({ isListed: first?.isListed ?? false }));
}

/** Reads the changes after a date for each company, by one statement. @param queries dates are ISO */
export async function findOwnershipSince(
  db: Knex,
  copy: CopyName,
  queries: readonly { readonly society: number; readonly asOf: string }[],
): Promise<FromVersion<OwnershipSince>> {
  const fields = [...OWNERSHIP_FIELDS, WITHDRAWN];
  const { rows } = await db.raw(
    `WITH RECURSIVE ${CHAIN}
     SELECT ${VERSION}, query.n, ${COVERED},
       past.at::text AS "extractedOn", EXISTS (SELECT FROM chain JOIN registry_versions f ON f.id = chain.from_version
         WHERE chain.extract_from = past.at AND f.rows_unmatched > 0) AS "hadLost", found.*
     FROM registries r JOIN registry_versions v ON v.id = r.version_id
       CROSS JOIN ${queryTable({ society: 'integer', asOf: 'date' })}
       CROSS JOIN LATERAL (${COVERED_FROM}) AS covered
       CROSS JOIN LATERAL (SELECT max(extract_from) AS at FROM chain WHERE extract_from <= query."asOf" AND extract_to > query."asOf") AS past
       LEFT JOIN LATERAL (${CHANGES_OF_COMPANY} AND c.field = ANY (?::text[]) AND chain.extract_to > query."asOf") AS found ON true
     WHERE r.name = ? AND r.origin = ?
     ORDER BY query.n, found.seq DESC`,
    [...copy, JSON.stringify(queries), fields, ...copy],
  );
  return toAnswers<OwnershipSince>(rows, queries.length, (first) => ({
    extractedOn: first?.extractedOn ?? null,
    hadLost: first?.hadLost ?? false,
  }));
}

type Answered = Coverage & { readonly changes: readonly StoredOwnershipChange[] };
type AnswerRow<T extends Answered> = VersionRow & NumberedRow & Omit<T, 'changes'> & Partial<StoredOwnershipChange>;

/** Groups the rows of a statement by query. @param own members of an answer besides the coverage and the changes */
function toAnswers<T extends Answered>(
  rows: readonly AnswerRow<T>[],
  count: number,
  own: (first: AnswerRow<T> | undefined) => Omit<T, keyof Answered>,
): FromVersion<T> {
  const found = groupByQuery(rows, count).map((group) => {
    const [first] = group;
    const changes = group.flatMap(({ seq, field, partner = null, before = null, after = null, extractFrom = '', extractTo = '' }) =>
      seq == null || field === undefined ? [] : [{ seq, field, partner, before, after, extractFrom, extractTo }],
    );
    return { ...own(first), coveredFrom: first?.coveredFrom ?? null, coveredTo: first?.coveredTo ?? null, changes } as unknown as T;
  });
  return { version: rows[0] ? toVersion(rows[0]) : null, found };
}
