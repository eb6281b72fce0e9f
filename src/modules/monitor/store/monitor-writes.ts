import type { Knex } from 'knex';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import type { Monitor } from '../domain/monitor.ts';
import type { Owned } from './questions.ts';

/** Names the advisory lock of those who begin and end to watch; any number that nothing else uses. */
const WATCHING = 7_185_118;

/** A monitor as it is made. */
export interface NewMonitor
  extends Pick<Monitor, 'id' | 'keyId' | 'country' | 'identifiers' | 'webhookUrl' | 'retryPolicy' | 'listNews' | 'createdAt'> {
  /** Tax ids, in the order of `identifiers`. */
  readonly companies: readonly CompanyKey[];
  /** Sealed. */
  readonly secret: Buffer;
}

/**
 * One after another they begin and end to watch, until the transaction ends: so no company is dropped while another monitor takes
 * it up. The first lock of all.
 */
export const takeTurn = (trx: Knex): Promise<unknown> => trx.raw('SELECT pg_advisory_xact_lock(?)', [WATCHING]);

/** Stores a monitor. Companies that nobody watched are due at once; the check that follows is their baseline. */
export async function insertMonitor(trx: Knex, monitor: NewMonitor): Promise<void> {
  const { companies, identifiers, createdAt } = monitor;
  await takeTurn(trx);
  const at = new Date(createdAt);
  await trx.raw(
    `INSERT INTO watched_companies (country, tax_id, legal_person, anchor_at, due_at)
     SELECT country, tax_id, legal_person, ?, ? FROM unnest(?::text[], ?::text[], ?::text[]) AS named (country, tax_id, legal_person)
     ORDER BY country, tax_id ON CONFLICT DO NOTHING`,
    [at, at, companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), companies.map(legalPersonText)],
  );
  await trx('monitors').insert({
    id: monitor.id,
    key_id: monitor.keyId,
    country: monitor.country,
    webhook_url: monitor.webhookUrl,
    secret: monitor.secret,
    retry_policy: monitor.retryPolicy,
    list_news: monitor.listNews,
    created_at: at,
  });
  await trx.raw(
    `INSERT INTO monitor_companies (monitor_id, country, tax_id, identifier, place)
     SELECT ?, ?, tax_id, identifier, n - 1 FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS named (tax_id, identifier, n)`,
    [monitor.id, monitor.country, companies.map(({ taxId }) => taxId), [...identifiers]],
  );
}

/** Ends a monitor, and the watch on companies that no other has. False when the key has no such active monitor. */
export async function cancelMonitor(trx: Knex, { keyId, id }: Owned, now: number): Promise<boolean> {
  await takeTurn(trx);
  const active = trx('monitors').where({ id, key_id: keyId, cancelled_at: null });
  if (!(await active.clone().first('id'))) return false;
  await trx.raw(
    `WITH left_alone AS (
       SELECT w.country, w.tax_id FROM monitor_companies c JOIN watched_companies w USING (country, tax_id)
       WHERE c.monitor_id = ? AND NOT EXISTS (
         SELECT FROM monitor_companies other JOIN monitors m ON m.id = other.monitor_id
         WHERE other.country = c.country AND other.tax_id = c.tax_id AND m.id <> c.monitor_id AND m.cancelled_at IS NULL)
       ORDER BY w.country, w.tax_id FOR UPDATE OF w)
     DELETE FROM watched_companies USING left_alone
     WHERE watched_companies.country = left_alone.country AND watched_companies.tax_id = left_alone.tax_id`,
    [id],
  );
  await active.update({ cancelled_at: new Date(now) });
  return true;
}

/** Puts a new secret into use, the one before it beside it until `oldUntil` (epoch ms). False when the key has no such active monitor. */
export async function replaceSecret(
  db: Knex,
  { keyId, id }: Owned,
  { secret, oldUntil }: { readonly secret: Buffer; readonly oldUntil: number },
): Promise<boolean> {
  const replaced = await db('monitors')
    .where({ id, key_id: keyId, cancelled_at: null })
    .update({ secret, old_secret: db.ref('secret'), old_secret_until: new Date(oldUntil) });
  return replaced === 1;
}

/** Forgets that its receiver failed. False when the key has no such active monitor. */
export async function enableMonitor(db: Knex, { keyId, id }: Owned): Promise<boolean> {
  const enabled = await db('monitors')
    .where({ id, key_id: keyId, cancelled_at: null })
    .update({ failures: 0, failing_since: null, disabled_at: null });
  return enabled === 1;
}
