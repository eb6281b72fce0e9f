import type { Knex } from 'knex';
import { type AccountListColumns, toAccountLists } from '../../../db/account-lists.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import type { AccountLists } from '../../../domain/optional-lists.ts';
import type { Findings, ScreenedModule, Screening } from '../domain/screening.ts';
import { COLUMNS, type ScreeningRow, toScreening } from './screenings.ts';

/** A screening that this process works on until `lease` expires. */
export interface ClaimedScreening extends Screening {
  readonly lease: string;
  /** Optional lists that its account has chosen. */
  readonly lists: AccountLists;
}

/** A company of a batch. */
export interface PendingCompany extends CompanyKey {
  readonly row: number;
  /** Number of attempts so far. */
  readonly attempts: number;
}

/**
 * Claims the next screening by rotation: one of the account that was served longest ago, so that a large portfolio of one account does not
 * delay a small one of another. Marks the account as served.
 */
export async function claimScreening(
  db: Knex,
  { now, lease, until }: { readonly now: number; readonly lease: string; readonly until: number },
): Promise<ClaimedScreening | null> {
  const at = new Date(now);
  const { rows } = await db.raw<{ rows: readonly (ScreeningRow & AccountListColumns)[] }>(
    `WITH claimed AS (UPDATE screenings SET state = 'running', lease = :lease, leased_until = :until, served_at = :at
     WHERE id = (
       SELECT s.id FROM screenings s
       WHERE s.finished_at IS NULL AND s.due_at <= :at AND (s.leased_until IS NULL OR s.leased_until <= :at)
       ORDER BY (SELECT max(served_at) FROM screenings WHERE account_id = s.account_id) NULLS FIRST, s.served_at NULLS FIRST, s.created_at
       LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING *) SELECT ${COLUMNS}, coalesce(a.lists, '{}') AS lists, coalesce(a.verdict_lists, '{}') AS verdict_lists
     FROM claimed s LEFT JOIN accounts a ON a.id = s.account_id`,
    { lease, until: new Date(until), at },
  );
  const [row] = rows;
  return row ? { ...toScreening(row), lease, lists: toAccountLists(row) } : null;
}

/** Reads the companies of the next batch of a screening. */
export async function pendingCompanies(
  db: Knex,
  { id }: Pick<Screening, 'id'>,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<readonly PendingCompany[]> {
  const rows: readonly { ordinal: number; country: CompanyKey['country']; tax_id: string; attempts: number }[] = await db(
    'screening_companies',
  )
    .where({ screening_id: id, state: 'pending' })
    .where('due_at', '<=', new Date(now))
    .orderBy(['due_at', 'ordinal'])
    .limit(limit)
    .select('ordinal', 'country', 'tax_id', 'attempts');
  return rows.map(({ ordinal, country, tax_id: taxId, attempts }) => ({ row: ordinal, country, taxId, attempts }));
}

/** Extends the lease. @returns false when the lease is lost: the screening was cancelled, or another process took over */
export async function extendLease(db: Knex, { id, lease }: ClaimedScreening, until: number): Promise<boolean> {
  return (
    (await db('screenings')
      .where({ id, lease })
      .update({ leased_until: new Date(until) })) === 1
  );
}

/** Locks a screening until the transaction ends. @returns false when the lease is lost */
export const lockClaimed = async (trx: Knex, { id, lease }: ClaimedScreening): Promise<boolean> =>
  (await trx('screenings').where({ id, lease }).forUpdate().first('id')) !== undefined;

/** The outcome of an attempt to check a company. */
export interface CompanyOutcome {
  readonly row: number;
  /** `pending`: the company is checked again at `dueAt`. */
  readonly state: 'pending' | 'answered' | 'failed';
  /** Epoch ms; meaningless for a settled company. */
  readonly dueAt: number;
  readonly findings: Findings;
  readonly failedModules: readonly ScreenedModule[];
}

/** Stores the outcomes of a batch. @returns rows of the companies that were pending until now and are settled. Only these are counted */
export async function saveOutcomes(
  trx: Knex,
  { id }: Pick<Screening, 'id'>,
  outcomes: readonly CompanyOutcome[],
  now: number,
): Promise<ReadonlySet<number>> {
  const values = outcomes.map(({ findings: { riskLevel, completeness, ...findings }, dueAt, ...outcome }) => ({
    ...outcome,
    dueAt: new Date(dueAt),
    riskLevel,
    completeness,
    findings: Object.fromEntries(Object.entries(findings).filter(([, value]) => value !== null)),
  }));
  const { rows } = await trx.raw(
    `UPDATE screening_companies c
     SET state = o.state, attempts = c.attempts + 1, due_at = o."dueAt", risk_level = o."riskLevel", completeness = o.completeness,
       findings = o.findings, failed_modules = o."failedModules", checked_at = CASE WHEN o.state = 'pending' THEN NULL ELSE ?::timestamptz END
     FROM jsonb_to_recordset(?::jsonb) AS o (row int, state text, "dueAt" timestamptz, "riskLevel" text, completeness text, findings jsonb,
       "failedModules" text[])
     WHERE c.screening_id = ? AND c.ordinal = o.row AND c.state = 'pending'
     RETURNING c.ordinal, c.state`,
    [new Date(now), JSON.stringify(values), id],
  );
  const settled = (rows as readonly { ordinal: number; state: string }[]).filter(({ state }) => state !== 'pending');
  return new Set(settled.map(({ ordinal }) => ordinal));
}

/** Adds to the counts of a screening and releases its lease. @returns true when it is done */
export async function advance(
  trx: Knex,
  { id }: Pick<Screening, 'id'>,
  counted: { readonly done: number; readonly failed: number },
  now: number,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: readonly { state: string }[] }>(
    `UPDATE screenings s SET done = s.done + :done, failed = s.failed + :failed, lease = NULL, leased_until = NULL,
       state = CASE WHEN next.due_at IS NULL THEN 'done' ELSE s.state END,
       finished_at = CASE WHEN next.due_at IS NULL THEN :at::timestamptz END,
       due_at = coalesce(next.due_at, s.due_at)
     FROM (SELECT min(due_at) AS due_at FROM screening_companies WHERE screening_id = :id AND state = 'pending') AS next
     WHERE s.id = :id RETURNING s.state`,
    { id, at: new Date(now), ...counted },
  );
  return rows[0]?.state === 'done';
}

/** True when some screening waits for a process. */
export async function hasDueScreening(db: Knex, now: number): Promise<boolean> {
  const at = new Date(now);
  const due = await db('screenings')
    .whereNull('finished_at')
    .where('due_at', '<=', at)
    .where((query) => query.whereNull('leased_until').orWhere('leased_until', '<=', at))
    .first('id');
  return due !== undefined;
}
