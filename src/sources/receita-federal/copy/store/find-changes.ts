import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../../db/paging.ts';
import { chainSql, coveredFromSql, GAP } from '../../../copies/store/comparisons.ts';
import { BRANCH_FIELDS, type ChangeField, REGISTRY_FIELDS, type RegistryField } from '../change-field.ts';
import type { StoredPartner } from './find.ts';
import { preparedRead } from './prepared.ts';
import { headOfficeCnpj, isPartSql, isUnreadSql, tableOf } from './tables.ts';

/** The row of a partner that joined or left. Dates are ISO. */
export type ChangedPartner = Pick<StoredPartner, 'kind' | 'name' | 'document' | 'role' | 'since' | 'representative'> & {
  readonly representative_role: number | null;
};

/** A difference between two extracts. Dates are ISO. */
export interface StoredChange {
  readonly seq: number;
  readonly field: ChangeField;
  /** Order number of the establishment; null for a field of the legal person. */
  readonly branch: string | null;
  /** Value or code; the place is `SP/7107`. Null for none. */
  readonly before: string | null;
  readonly after: string | null;
  /** Other columns of the earlier version that depend on the field, or the row of a partner. */
  readonly details: ChangedPartner | { readonly since: string | null; readonly reason?: number | null } | null;
  /** Names of the municipalities, and of the country of a partner; null where there is none. */
  readonly beforePlace: string | null;
  readonly afterPlace: string | null;
  readonly country: string | null;
  /** CNPJ of a partner of which the details have the root only; null for the others, and for a root without a head office. */
  readonly partnerCnpj: string | null;
  /** Name of the earlier reason of a status; null for none. */
  readonly reasonName: string | null;
  readonly extractFrom: string;
  readonly extractTo: string;
}

/** The extracts between which the changes of a company are known. */
export interface Coverage {
  /** Null if no two extracts were compared. */
  readonly coveredFrom: string | null;
  readonly coveredTo: string | null;
}

/** A page of the changes of an establishment and its legal person, newest first. */
export interface ChangesQuery {
  readonly root: string;
  readonly branch: string;
  readonly fields: readonly RegistryField[];
  readonly first: number;
  /** `seq` of the last change of the previous page. */
  readonly after: number | null;
}

/** A page with at most one change more than requested, and what is known about the establishment. */
export interface FoundChanges extends Coverage {
  /** False if neither the version nor an earlier one has such an establishment. */
  readonly isKnown: boolean;
  /** True if a row of its legal person could not be read, or the version has a part of it only. */
  readonly isUnread: boolean;
  readonly changes: readonly StoredChange[];
}

/** SQL: the names of the codes of a change `c`, and the CNPJ of its partner, from the tables of a version. */
function namesSql(version: string): string {
  const name = (kind: string, code: string) =>
    `(SELECT l.name FROM receita_lookups l WHERE l.version_id = ${version} AND l.kind = '${kind}' AND l.code = ${code})`;
  const place = (side: string) =>
    `CASE WHEN c.field = 'address' THEN ${name('municipality', `nullif(split_part(c.${side}, '/', 2), '')::integer`)} END`;
  return `${place('before')} AS "beforePlace", ${place('after')} AS "afterPlace", ${name('country', `(c.details->>'country')::integer`)} AS country,
    ${name('reason', `(c.details->>'reason')::integer`)} AS "reasonName",
    CASE WHEN length(c.details->>'document') = 8 THEN ${headOfficeCnpj(version, `c.details->>'document'`)} END AS "partnerCnpj"`;
}

const CHANGE = `c.seq::float8 AS seq, c.field, c.branch, c.before, c.after, c.details, chain.extract_from::text AS "extractFrom", chain.extract_to::text AS "extractTo"`;

/** SQL: the first extract since which every change of an establishment `query` is known. */
const COVERED_FROM = coveredFromSql('receita', 'g.root = query.root AND coalesce(g.branch, query.branch) = query.branch');

const textsOf = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');

/** Reads the changes that lead to a version, one page per query, by one statement. */
export async function findChanges(db: Knex, version: string, queries: readonly ChangesQuery[]): Promise<readonly FoundChanges[]> {
  const { rows } = await preparedRead(
    db,
    `changes_${version}`,
    `WITH RECURSIVE ${chainSql('receita', 'c.to_version = ?')}
     SELECT query.n, covered.at::text AS "coveredFrom", (SELECT max(extract_to) FROM chain)::text AS "coveredTo",
       (EXISTS (SELECT FROM ${tableOf('establishments', version)} e WHERE e.root = query.root AND e.branch = query.branch)
         OR EXISTS (SELECT FROM receita_changes g JOIN chain ON chain.id = g.comparison_id WHERE g.root = query.root
           AND ((g.branch = query.branch AND g.field <> '${GAP}') OR g.field = 'removed'))) AS "isKnown",
       ${isUnreadSql(version, 'query.root')} OR ${isPartSql(version, 'query.root')} AS "isUnread", found.*
     FROM ${queryTable({ root: 'text', branch: 'text', fields: 'text[]', first: 'int', after: 'bigint' })}
       CROSS JOIN LATERAL (${COVERED_FROM}) AS covered
       LEFT JOIN LATERAL (SELECT ${CHANGE}, ${namesSql(version)} FROM receita_changes c JOIN chain ON chain.id = c.comparison_id
         WHERE c.root = query.root AND c.field = ANY (query.fields) AND chain.extract_to >= covered.at
           AND (c.branch IS NULL OR c.branch = query.branch OR c.field IN (${textsOf(BRANCH_FIELDS)}))
           AND (query.after IS NULL OR c.seq < query.after)
         ORDER BY c.seq DESC LIMIT query.first + 1) AS found ON true
     ORDER BY query.n, found.seq DESC`,
    [version, JSON.stringify(queries)],
  );
  return groupByQuery<NumberedRow & Omit<FoundChanges, 'changes'> & Partial<StoredChange>>(rows, queries.length).map(
    ([first, ...rest]) => ({
      coveredFrom: first?.coveredFrom ?? null,
      coveredTo: first?.coveredTo ?? null,
      isKnown: first?.isKnown ?? false,
      isUnread: first?.isUnread ?? false,
      changes: [first, ...rest].filter((row): row is typeof row & StoredChange => row?.seq != null),
    }),
  );
}

/** The state of the knowledge about an establishment at a date. */
export interface ChangesSince extends Coverage {
  /** Date of the last extract up to the date; null if that is the extract of the version. */
  readonly extractedOn: string | null;
  /** Changes after it, newest first. */
  readonly changes: readonly StoredChange[];
}

/** Reads the changes after a date that lead to a version, for each establishment, by one statement. @param queries dates are ISO */
export async function findChangesSince(
  db: Knex,
  version: string,
  queries: readonly { readonly root: string; readonly branch: string; readonly asOf: string }[],
): Promise<readonly ChangesSince[]> {
  const { rows } = await preparedRead(
    db,
    `changes_since_${version}`,
    `WITH RECURSIVE ${chainSql('receita', 'c.to_version = ?')}
     SELECT query.n, covered.at::text AS "coveredFrom", (SELECT max(extract_to) FROM chain)::text AS "coveredTo",
       (SELECT max(extract_from) FROM chain WHERE extract_from <= query."asOf" AND extract_to > query."asOf")::text AS "extractedOn", found.*
     FROM ${queryTable({ root: 'text', branch: 'text', asOf: 'date' })}
       CROSS JOIN LATERAL (${COVERED_FROM}) AS covered
       LEFT JOIN LATERAL (SELECT ${CHANGE}, ${namesSql(version)} FROM receita_changes c JOIN chain ON chain.id = c.comparison_id
         WHERE c.root = query.root AND c.field IN (${textsOf(REGISTRY_FIELDS)}) AND chain.extract_to > query."asOf"
           AND (c.branch IS NULL OR c.branch = query.branch)) AS found ON true
     ORDER BY query.n, found.seq DESC`,
    [version, JSON.stringify(queries)],
  );
  return groupByQuery<NumberedRow & Omit<ChangesSince, 'changes'> & Partial<StoredChange>>(rows, queries.length).map(
    ([first, ...rest]) => ({
      coveredFrom: first?.coveredFrom ?? null,
      coveredTo: first?.coveredTo ?? null,
      extractedOn: first?.extractedOn ?? null,
      changes: [first, ...rest].filter((row): row is typeof row & StoredChange => row?.seq != null),
    }),
  );
}
