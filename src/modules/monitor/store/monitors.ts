import type { Knex } from 'knex';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import type { Monitor } from '../domain/monitor.ts';
import {
  type Answering,
  ASKED_ROWS,
  askedTable,
  byQuestion,
  type Owned,
  olderThanAfter,
  type Page,
  type PartOf,
  type Stretch,
  type TimedPlace,
  toPages,
} from './paging.ts';

/** What is read of a monitor `m`; never its secrets. */
const COLUMNS = `m.id, m.key_id, m.country, m.webhook_url, m.retry_policy, m.list_news, m.created_at, m.cancelled_at, m.failing_since, m.disabled_at,
  ARRAY(SELECT identifier FROM monitor_companies WHERE monitor_id = m.id ORDER BY place) AS identifiers`;

/** Monitors, cancelled ones too; null for one that its key does not have. */
export async function findMonitors(db: Knex, asked: readonly Owned[]): Promise<readonly (Monitor | null)[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, ${COLUMNS} FROM ${ASKED_ROWS} JOIN monitors m ON m.id = asked.id AND m.key_id = asked."keyId"`,
    [JSON.stringify(asked)],
  );
  return byQuestion<Row>(rows, asked.length).map(([row]) => (row ? toMonitor(row) : null));
}

/** Keys' active monitors, newest first. */
export async function pageMonitors(
  db: Knex,
  asked: readonly (Stretch<TimedPlace> & { readonly keyId: string })[],
): Promise<readonly Page<Monitor>[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, found.* FROM ${askedTable({ keyId: 'uuid', first: 'int', after: 'jsonb' })},
       LATERAL (SELECT ${COLUMNS} FROM monitors m
         WHERE m.key_id = asked."keyId" AND m.cancelled_at IS NULL AND ${olderThanAfter('m.created_at', 'm.id')}
         ORDER BY m.created_at DESC, m.id DESC LIMIT asked.first + 1) AS found
     ORDER BY found.created_at DESC, found.id DESC`,
    [JSON.stringify(asked)],
  );
  return toPages<Row, Monitor>(rows, asked, toMonitor);
}

/** All active monitors of a key, newest first. */
export async function listMonitors(db: Knex, keyId: string): Promise<readonly Monitor[]> {
  const { rows } = await db.raw(
    `SELECT ${COLUMNS} FROM monitors m WHERE m.key_id = ? AND m.cancelled_at IS NULL ORDER BY m.created_at DESC, m.id DESC`,
    [keyId],
  );
  return rows.map(toMonitor);
}

/** Active monitors of a key that watch a company, newest first. Each is read once, however many of the companies it watches. */
export async function monitorsWatching(
  db: Knex,
  asked: readonly (CompanyKey & { readonly keyId: string })[],
): Promise<readonly (readonly Monitor[])[]> {
  const { rows } = await db.raw(
    `SELECT array_agg(asked.n) AS places, ${COLUMNS} FROM ${askedTable({ keyId: 'uuid', country: 'text', taxId: 'text' })}
       JOIN monitor_companies c ON c.country = asked.country AND c.tax_id = asked."taxId"
       JOIN monitors m ON m.id = c.monitor_id AND m.key_id = asked."keyId"
     WHERE m.cancelled_at IS NULL GROUP BY m.id ORDER BY m.created_at DESC, m.id DESC`,
    [JSON.stringify(asked)],
  );
  const found: readonly (Row & { readonly places: readonly string[] })[] = rows;
  const watching = asked.map((): Monitor[] => []);
  for (const row of found) {
    const monitor = toMonitor(row);
    for (const place of row.places) watching[Number(place) - 1]?.push(monitor);
  }
  return watching;
}

/** A company that a monitor watches. */
export interface Watched extends CompanyKey {
  /** In the order in which the monitor's maker named them, from 0. */
  readonly place: number;
}

/** Companies that monitors watch, in their places. `after` is a place. */
export async function pageCompanies(db: Knex, asked: readonly PartOf<number>[]): Promise<readonly Page<Watched>[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, found.* FROM ${askedTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint' })}
       JOIN monitors m ON m.id = asked.id AND m.key_id = asked."keyId",
       LATERAL (SELECT c.country, c.tax_id, c.place FROM monitor_companies c
         WHERE c.monitor_id = m.id AND c.place > coalesce(asked.after, -1) ORDER BY c.place LIMIT asked.first + 1) AS found
     ORDER BY found.place`,
    [JSON.stringify(asked)],
  );
  return toPages<WatchedRow, Watched>(rows, asked, ({ country, tax_id: taxId, place }) => ({ country, taxId, place }));
}

interface WatchedRow extends Answering {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly place: number;
}

interface Row extends Answering {
  readonly id: string;
  readonly key_id: string;
  readonly country: Monitor['country'];
  readonly identifiers: readonly string[];
  readonly webhook_url: string;
  readonly retry_policy: Monitor['retryPolicy'];
  readonly list_news: boolean;
  readonly created_at: Date;
  readonly cancelled_at: Date | null;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
}

const toMonitor = (row: Row): Monitor => ({
  id: row.id,
  keyId: row.key_id,
  country: row.country,
  identifiers: row.identifiers,
  webhookUrl: row.webhook_url,
  retryPolicy: row.retry_policy,
  listNews: row.list_news,
  status: row.cancelled_at === null ? 'active' : 'cancelled',
  endpointState: endpointStateOf(row),
  createdAt: row.created_at.getTime(),
  cancelledAt: row.cancelled_at?.getTime() ?? null,
});

function endpointStateOf({ disabled_at, failing_since }: Row): Monitor['endpointState'] {
  if (disabled_at !== null) return 'disabled';
  return failing_since === null ? 'active' : 'failing';
}

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
