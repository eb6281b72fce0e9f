import type { Knex } from 'knex';
import type { Finding } from '../domain/finding.ts';

/** Makes what was observed the state of its companies, and forgets what was ignored of the source. */
export async function adopt(trx: Knex, findings: readonly Finding[]): Promise<void> {
  if (findings.length === 0) return;
  await trx.raw(
    `UPDATE watched_companies w SET
       snapshot = CASE WHEN r.is_list THEN w.snapshot ELSE r.observed END,
       listings = CASE WHEN r.is_list THEN w.listings || jsonb_build_object(r.source, r.observed) ELSE w.listings END,
       ignored = w.ignored - r.source
     ${OBSERVED}`,
    [JSON.stringify(findings.map(toRow))],
  );
}

/** While the source says the same again, nothing has changed. */
export async function ignore(trx: Knex, findings: readonly Finding[]): Promise<void> {
  await trx.raw(`UPDATE watched_companies w SET ignored = w.ignored || jsonb_build_object(r.source, r.observed) ${OBSERVED}`, [
    JSON.stringify(findings.map(toRow)),
  ]);
}

const OBSERVED = `FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, is_list boolean, observed jsonb)
  WHERE w.country = r.country AND w.tax_id = r.tax_id`;

const toRow = ({ company, source, observed }: Finding) => ({
  country: company.country,
  tax_id: company.taxId,
  source,
  is_list: Array.isArray(observed),
  observed,
});
