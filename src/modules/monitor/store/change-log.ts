import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { FieldChange } from '../domain/snapshot.ts';
import { drawPositions } from './log-head.ts';

/** A change as one monitor is told it. */
export interface NewChange {
  /** UUID; the event id on every transport. */
  readonly id: string;
  readonly monitorId: string;
  readonly keyId: string;
  readonly company: CompanyKey;
  /** The tax id as the monitor's maker wrote it. */
  readonly identifier: string;
  /** The registry or list that said so. */
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  /** Epoch ms. */
  readonly detectedAt: number;
}

/** A row of the change log. Positions are in commit order and without gaps. */
export interface Change extends NewChange {
  readonly position: number;
}

/** Appends to the log; the last thing a transaction does but commit. */
export async function appendChanges(trx: Knex, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const first = await drawPositions(trx, 'changes', changes.length);
  await trx.batchInsert(
    'changes',
    changes.map(({ id, monitorId, keyId, company, identifier, source, fields, detectedAt }, i) => ({
      position: first + i,
      id,
      monitor_id: monitorId,
      key_id: keyId,
      country: company.country,
      tax_id: company.taxId,
      identifier,
      source,
      fields: JSON.stringify(fields),
      detected_at: new Date(detectedAt),
    })),
    1_000,
  );
}

/** Rows after a position, oldest first, at most `limit`; of one key where `keyId` is given. */
export async function changesAfter(
  db: Knex,
  after: number,
  { limit, keyId }: { readonly limit: number; readonly keyId?: string },
): Promise<readonly Change[]> {
  const query = db('changes').where('position', '>', after).orderBy('position').limit(limit);
  return (await (keyId === undefined ? query : query.where({ key_id: keyId }))).map(toChange);
}

export interface ChangeRow {
  readonly position: string;
  readonly id: string;
  readonly monitor_id: string;
  readonly key_id: string;
  readonly country: Country;
  readonly tax_id: string;
  readonly identifier: string;
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  readonly detected_at: Date;
}

export const toChange = (row: ChangeRow): Change => ({
  position: Number(row.position),
  id: row.id,
  monitorId: row.monitor_id,
  keyId: row.key_id,
  company: { country: row.country, taxId: row.tax_id },
  identifier: row.identifier,
  source: row.source,
  fields: row.fields,
  detectedAt: row.detected_at.getTime(),
});
