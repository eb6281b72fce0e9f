import type { Knex } from 'knex';
import { type AccountListColumns, toAccountLists } from '../../../db/account-lists.ts';
import { purgeOlder } from '../../../db/batches.ts';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import { MODULES, type ModuleName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { Completeness, RiskLevel } from '../../../domain/compliance.ts';
import type { AccountLists } from '../../../domain/optional-lists.ts';
import { type DaysQuery, type LevelGroup, mayReplace, type PortfolioDay, retryAfterMs } from '../domain/history.ts';

/** A key whose portfolio has no snapshot of the day yet, or one that a further attempt can complete. */
export interface DueKey {
  readonly keyId: string;
  readonly modules: ReadonlySet<ModuleName>;
  /** Optional lists that its account has chosen. */
  readonly lists: AccountLists;
}

/** Finds the valid keys with active monitors that have no snapshot of the day, or whose next attempt to complete it is due. */
export async function dueKeys(db: Knex, { day, now }: { readonly day: string; readonly now: number }): Promise<readonly DueKey[]> {
  const { rows } = await db.raw(
    `SELECT k.id, k.modules, coalesce(a.lists, '{}') AS lists, coalesce(a.verdict_lists, '{}') AS verdict_lists
     FROM api_keys k LEFT JOIN accounts a ON a.id = k.account_id
     WHERE (k.revoked_at IS NULL OR k.revoked_at > :now) AND (k.expires_at IS NULL OR k.expires_at > :now) AND 'monitor' = ANY (k.modules)
       AND EXISTS (SELECT FROM monitors m WHERE m.key_id = k.id AND m.cancelled_at IS NULL)
       AND NOT EXISTS (SELECT FROM portfolio_attempts t
         WHERE t.key_id = k.id AND t.day = :day AND (t.retry_at IS NULL OR t.retry_at > :now))
     ORDER BY k.id`,
    { now: new Date(now), day },
  );
  return rows.map(({ id, modules, ...lists }: AccountListColumns & { readonly id: string; readonly modules: readonly string[] }) => ({
    keyId: id,
    modules: new Set(MODULES.filter((module) => modules.includes(module))),
    lists: toAccountLists(lists),
  }));
}

/** Reads the different companies of the active monitors of a key. */
export async function companiesOfKey(db: Knex, keyId: string): Promise<readonly CompanyKey[]> {
  const { rows } = await db.raw(
    `SELECT DISTINCT c.country, c.tax_id AS "taxId" FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
     WHERE m.key_id = ? AND m.cancelled_at IS NULL ORDER BY 1, 2`,
    [keyId],
  );
  return rows;
}

const rowsOf = (keyId: string, { day, groups, isMadeUp }: PortfolioDay) =>
  groups.map(({ riskLevel, completeness, companies }) => ({
    key_id: keyId,
    day,
    risk_level: riskLevel ?? 'none',
    completeness: completeness ?? 'none',
    companies,
    is_made_up: isMadeUp,
  }));

/** A snapshot that was taken now. */
export interface TakenSnapshot extends PortfolioDay {
  /** True if a further attempt may give a level to a company that has none. */
  readonly canImprove: boolean;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Counts an attempt and stores its snapshot, unless the one of the same day has more levels. It stores nothing for a key that was erased
 * meanwhile.
 */
export async function savePortfolioDay(db: Knex, keyId: string, snapshot: TakenSnapshot): Promise<void> {
  await db.transaction(async (trx) => {
    const key = await trx('api_keys').where({ id: keyId }).forKeyShare().first('id');
    if (!key) return;
    await countAttempt(trx, keyId, snapshot); // locks the row, so that two processes compare their snapshots one after the other
    const { day } = snapshot;
    const earlier: readonly Row[] = await trx('portfolio_days').where({ key_id: keyId, day, is_made_up: false });
    if (!mayReplace(earlier.map(toGroup), snapshot.groups)) return;
    await trx('portfolio_days').where({ key_id: keyId, day }).delete();
    const rows = rowsOf(keyId, snapshot);
    if (rows.length > 0) await trx('portfolio_days').insert(rows);
  });
}

async function countAttempt(trx: Knex, keyId: string, { day, canImprove, now }: TakenSnapshot): Promise<void> {
  const { rows } = await trx.raw(
    `INSERT INTO portfolio_attempts AS t (key_id, day, attempts) VALUES (:keyId, :day, 1)
     ON CONFLICT (key_id) DO UPDATE SET day = excluded.day, attempts = CASE WHEN t.day = excluded.day THEN t.attempts + 1 ELSE 1 END
     RETURNING attempts`,
    { keyId, day },
  );
  const wait = canImprove ? retryAfterMs(rows[0].attempts) : null;
  await trx('portfolio_attempts')
    .where({ key_id: keyId })
    .update({ retry_at: wait === null ? null : new Date(now + wait) });
}

/** Stores snapshots of days without one, in one statement. */
export async function insertPortfolioDays(db: Knex, keyId: string, snapshots: readonly PortfolioDay[]): Promise<void> {
  const rows = snapshots.flatMap((snapshot) => rowsOf(keyId, snapshot));
  if (rows.length > 0) await db('portfolio_days').insert(rows).onConflict().ignore();
}

/** True if the key has a snapshot of any day. */
export const hasPortfolioDays = async (db: Knex, keyId: string): Promise<boolean> =>
  (await db('portfolio_days').where({ key_id: keyId }).first('day')) !== undefined;

interface Row extends NumberedRow {
  readonly day: string;
  readonly risk_level: RiskLevel | 'none';
  readonly completeness: Completeness | 'none';
  readonly companies: number;
  readonly is_made_up: boolean;
}

/** Reads the snapshots of a key since a day, oldest first. */
export async function readPortfolioDays(db: Knex, queries: readonly DaysQuery[]): Promise<readonly (readonly PortfolioDay[])[]> {
  const { rows } = await db.raw(
    `SELECT query.n, to_char(d.day, 'YYYY-MM-DD') AS day, d.risk_level, d.completeness, d.companies, d.is_made_up
     FROM ${queryTable({ keyId: 'uuid', from: 'date' })} JOIN portfolio_days d ON d.key_id = query."keyId" AND d.day >= query."from"
     ORDER BY d.day, d.risk_level, d.completeness`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map((group) =>
    [...Map.groupBy(group, ({ day }) => day)].map(([day, those]) => ({
      day,
      groups: those.map(toGroup),
      isMadeUp: those.some(({ is_made_up }) => is_made_up),
    })),
  );
}

const toGroup = ({ risk_level, completeness, companies }: Row): LevelGroup => ({
  riskLevel: risk_level === 'none' ? null : risk_level,
  completeness: completeness === 'none' ? null : completeness,
  companies,
});

/** Deletes the snapshots of days before `day` (`2026-11-30`). */
export const purgePortfolioDays = (db: Knex, day: string): Promise<void> =>
  purgeOlder(db, { table: 'portfolio_days', column: 'day', before: day });
