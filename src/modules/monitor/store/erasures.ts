import type { Knex } from 'knex';
import { REGISTRY_OF } from '../../../domain/company.ts';
import type { FieldChange, Snapshot } from '../domain/change.ts';

/** Everything that monitoring stores about the registry record of a Brazilian company. */
export interface StoredRecord {
  readonly taxId: string;
  readonly snapshot: Snapshot | null;
  /** The observation that an operator discarded; null without one. */
  readonly ignored: Snapshot | null;
  /** The fields and the observation of the held change; null without one. */
  readonly fields: readonly FieldChange[] | null;
  readonly observed: Snapshot | null;
}

const SOURCE = REGISTRY_OF.BR;

/** Locks and reads the Brazilian companies of whose stored record a part contains a text. */
export async function lockRecordsWith(trx: Knex, text: string): Promise<readonly StoredRecord[]> {
  const { rows } = await trx.raw(
    `SELECT w.tax_id AS "taxId", w.snapshot, w.ignored -> :source AS ignored, h.fields, h.observed
     FROM watched_companies w LEFT JOIN held_changes h ON h.country = w.country AND h.tax_id = w.tax_id AND h.source = :source
     WHERE w.country = 'BR' AND strpos(concat(w.snapshot, w.ignored, h.fields, h.observed), :text) > 0
     ORDER BY w.tax_id FOR UPDATE OF w`,
    { source: SOURCE, text },
  );
  return rows;
}

/** Deletes the held and the discarded changes of Brazilian companies at the registry. The companies must be locked. */
export async function forgetObservations(trx: Knex, taxIds: readonly string[]): Promise<void> {
  await trx('held_changes').where({ country: 'BR', source: SOURCE }).whereIn('tax_id', taxIds).delete();
  await trx.raw(`UPDATE watched_companies SET ignored = ignored - ? WHERE country = 'BR' AND tax_id = ANY (?)`, [SOURCE, [...taxIds]]);
}

/** Removes the owners from the snapshots of Brazilian companies. The companies must be locked. */
export async function forgetOwners(trx: Knex, taxIds: readonly string[]): Promise<void> {
  await trx.raw(`UPDATE watched_companies SET snapshot = snapshot - 'owners' WHERE country = 'BR' AND tax_id = ANY (?)`, [[...taxIds]]);
}

/** Locks the watched establishments of a Brazilian company. @param root first eight characters of the CNPJ @returns their CNPJs */
export const lockEstablishments = (trx: Knex, root: string): Promise<readonly string[]> =>
  trx('watched_companies')
    .where({ country: 'BR' })
    .whereRaw('starts_with(tax_id, ?)', [root])
    .orderBy('tax_id')
    .forUpdate()
    .pluck('tax_id');
