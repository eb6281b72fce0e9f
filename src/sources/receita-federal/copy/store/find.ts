import type { Knex } from 'knex';
import { type CodeNames, createCodeNames } from './code-names.ts';
import { preparedRead } from './prepared.ts';
import { isPartSql, partnerDocument, tableOf } from './tables.ts';

/** The version that answers. */
export interface AnsweringVersion {
  readonly id: string;
  /** Number of erasures of people and companies until now. */
  readonly erasures: number;
  /** ISO date on which Receita Federal extracted the data. */
  readonly extractedOn: string;
  /** Epoch ms. */
  readonly loadedAt: number;
  /** True if the company of an unread line is unknown, so that the copy cannot prove an absence. */
  readonly hasUnattributed: boolean;
  /** Number of lines in the files of partners that could not be read, so that an owner or a company may be missing. */
  readonly unreadPartners: number;
  /** True if the operator has erased people or companies, whose rows are missing; and if companies are among them. */
  readonly hasErased: boolean;
  readonly hasErasedCompanies: boolean;
  /** True if lines of partners could not be read whose companies are not known. */
  readonly hasLostPartners: boolean;
  /** True if lines of any file could not be read, or establishments have no company. */
  readonly lacksRows: boolean;
}

/** A partner as stored, with the names of its codes. */
export interface StoredPartner {
  readonly kind: 1 | 2 | 3;
  readonly name: string | null;
  readonly document: string | null;
  readonly role: number | null;
  readonly roleName: string | null;
  readonly since: string | null;
  readonly country: string | null;
  readonly representative: string | null;
  readonly representativeRole: number | null;
  readonly representativeRoleName: string | null;
}

/** Row of a company in the file of tax regimes; null if the file has none, or no answer. Dates are ISO. */
interface StoredRegimes {
  readonly simples: boolean | null;
  readonly simplesSince: string | null;
  readonly simplesUntil: string | null;
  readonly mei: boolean | null;
  readonly meiSince: string | null;
  readonly meiUntil: string | null;
}

/** Fields of an establishment and its company that no check is based on, with the names of their codes. */
interface StoredDetails extends StoredRegimes {
  readonly natureName: string | null;
  readonly federativeEntity: string | null;
  readonly reason: number | null;
  readonly reasonName: string | null;
  readonly foreignCity: string | null;
  readonly country: string | null;
  readonly specialSince: string | null;
  readonly otherActivities: readonly { readonly codigo: number; readonly descricao: string | null }[];
}

/** An establishment as stored, with its company, the names of its codes, and its partners. */
export interface StoredCompany extends StoredDetails {
  readonly cnpj: string;
  /** True if a row of the company could not be read, or the files lack this establishment and have a part of the company only. */
  readonly isUnread: boolean;
  /** True if an operator has erased the company. It is unread, too. */
  readonly isSuppressed: boolean;
  /** False if the company's row is missing. */
  readonly hasCompany: boolean;
  /** Null if the version has no such establishment. */
  readonly status: number | null;
  readonly name: string | null;
  readonly nature: number | null;
  readonly size: number | null;
  /** Digits, because JavaScript reads a bigint of Postgres as text. */
  readonly capitalCents: string | null;
  readonly isHead: boolean;
  readonly tradeName: string | null;
  readonly statusSince: string | null;
  readonly startedOn: string | null;
  readonly activity: number | null;
  readonly activityName: string | null;
  readonly state: string | null;
  readonly municipality: string | null;
  readonly specialSituation: string | null;
  readonly partners: readonly StoredPartner[];
}

export async function readAnswering(db: Knex, origin: string): Promise<AnsweringVersion | null> {
  const { rows } = await db.raw(
    `SELECT v.id::text AS id, c.erasures, v.extracted_on::text AS "extractedOn", (extract(epoch FROM v.loaded_at) * 1000)::float8 AS "loadedAt",
       (v.facts->>'unattributed')::int > 0 AS "hasUnattributed",
       (SELECT coalesce(sum(f.unread), 0)::int FROM receita_files f WHERE f.version_id = v.id AND f.name LIKE 'Socios%') AS "unreadPartners",
       EXISTS (SELECT FROM receita_files f WHERE f.version_id = v.id AND f.name LIKE 'Socios%' AND f.unattributed > 0) AS "hasLostPartners",
       EXISTS (SELECT FROM receita_suppressions) AS "hasErased",
       EXISTS (SELECT FROM receita_suppressions WHERE kind = 'company') AS "hasErasedCompanies",
       (v.facts->>'unread')::int + (v.facts->>'orphans')::int > 0 AS "lacksRows"
     FROM receita_current c JOIN receita_versions v ON v.id = c.version_id WHERE c.origin = ?`,
    [origin],
  );
  return rows[0] ?? null;
}

/** True if the database has all rows of a version, because the import writes `loaded_at` after them, and none that were erased. */
export async function hasVersion(db: Knex, { id, erasures }: Pick<AnsweringVersion, 'id' | 'erasures'>): Promise<boolean> {
  const { rows } = await db.raw(
    `SELECT v.loaded_at IS NOT NULL AND c.erasures >= ? AS "isCurrent"
     FROM receita_versions v JOIN receita_current c ON c.origin = v.origin WHERE v.id = ?`,
    [erasures, id],
  );
  return rows[0]?.isCurrent === true;
}

const REGIMES = `r.simples, r.simples_since::text AS "simplesSince", r.simples_until::text AS "simplesUntil",
       r.mei, r.mei_since::text AS "meiSince", r.mei_until::text AS "meiUntil"`;

/** Fields of which the statement returns the code and `named` the name. */
type Named = 'natureName' | 'activityName' | 'reasonName' | 'municipality' | 'country' | 'otherActivities' | 'partners';

/** A row of the statement: codes without their names. */
interface CodedCompany extends Omit<StoredCompany, Named> {
  readonly municipalityCode: number | null;
  readonly countryCode: number | null;
  /** Null if the version has no such establishment. */
  readonly otherActivities: readonly number[] | null;
  readonly partners: readonly (Omit<StoredPartner, 'roleName' | 'country' | 'representativeRoleName'> & {
    readonly countryCode: number | null;
  })[];
}

/** Creates `findCompanies` with the names of codes in memory. */
export function companyFinder(): (db: Knex, id: string, cnpjs: readonly string[]) => Promise<readonly StoredCompany[]> {
  const codeNames = createCodeNames();
  return async (db, id, cnpjs) => {
    // First the names: a version that is dropped meanwhile loses its tables not later than its names, so that the statement below fails.
    const names = await codeNames(db, id);
    return (await findCompanies(db, id, cnpjs)).map((row) => named(row, names));
  };
}

/**
 * Returns a row for every CNPJ, by one statement. The name of a partner that is a company is that of its own record, because the names in
 * the file of partners were wrong for months; its CNPJ is that of its head office if the file has the root only, and the root if the files
 * have no head office.
 * @param cnpjs bare CNPJs
 * @throws the error 42P01 of Postgres if the version was dropped meanwhile
 */
async function findCompanies(db: Knex, id: string, cnpjs: readonly string[]): Promise<readonly CodedCompany[]> {
  const [companies, establishments, partners, regimes] = (['companies', 'establishments', 'partners', 'regimes'] as const).map((table) =>
    tableOf(table, id),
  );
  const { rows } = await preparedRead(
    db,
    `companies_${id}`,
    `SELECT k.cnpj, u.root IS NOT NULL OR (e.root IS NULL AND ${isPartSql(id, 'k.root')}) AS "isUnread", coalesce(u.suppressed, false) AS "isSuppressed", c.root IS NOT NULL AS "hasCompany", e.status, c.name, c.nature, c.size, c.capital_cents AS "capitalCents",
       c.federative_entity AS "federativeEntity", ${REGIMES},
       e.is_head AS "isHead", e.trade_name AS "tradeName", e.status_since::text AS "statusSince", e.started_on::text AS "startedOn",
       e.activity, e.state, e.municipality AS "municipalityCode", e.special_situation AS "specialSituation",
       e.special_since::text AS "specialSince", e.reason, e.foreign_city AS "foreignCity", e.country AS "countryCode",
       e.other_activities AS "otherActivities", p.partners
     FROM (SELECT cnpj, left(cnpj, 8) COLLATE "C" AS root, substr(cnpj, 9, 4) COLLATE "C" AS branch FROM unnest((SELECT ?::text[])) AS t(cnpj)) k
       LEFT JOIN receita_unread u ON u.version_id = ? AND u.root = k.root
       LEFT JOIN ${establishments} e ON e.root = k.root AND e.branch = k.branch
       LEFT JOIN ${companies} c ON c.root = k.root
       LEFT JOIN ${regimes} r ON r.root = k.root
       CROSS JOIN LATERAL (SELECT coalesce(jsonb_agg(jsonb_build_object('kind', p.kind,
           'name', coalesce((SELECT o.name FROM ${companies} o WHERE p.kind = 1 AND o.root = left(p.document, 8)), p.name),
           'document', ${partnerDocument(id)},
           'role', p.role, 'since', p.since, 'countryCode', p.country,
           'representative', p.representative, 'representativeRole', p.representative_role) ORDER BY p.line), '[]') AS partners
         FROM ${partners} p WHERE p.root = k.root) p`,
    [[...cnpjs], id],
  );
  return rows;
}

/** Adds the names of the codes of a row. */
const named = ({ municipalityCode, countryCode, otherActivities, partners, ...row }: CodedCompany, names: CodeNames): StoredCompany => ({
  ...row,
  natureName: names('nature', row.nature),
  activityName: names('activity', row.activity),
  reasonName: names('reason', row.reason),
  municipality: names('municipality', municipalityCode),
  country: names('country', countryCode),
  otherActivities: otherActivities?.map((codigo) => ({ codigo, descricao: names('activity', codigo) })) ?? [],
  partners: partners.map(({ countryCode: country, ...partner }) => ({
    ...partner,
    roleName: names('role', partner.role),
    country: names('country', country),
    representativeRoleName: names('role', partner.representativeRole),
  })),
});
