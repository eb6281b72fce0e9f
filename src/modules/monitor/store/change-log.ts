import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import {
  groupByQuery,
  type NumberedRow,
  type Owned,
  type OwnedPageRequest,
  type Page,
  type PageRequest,
  queryTable,
  ROW_QUERIES,
  toPages,
} from '../../../db/paging.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import type { Change, FieldChange } from '../domain/change.ts';
import type { Epoch, LogPosition, StreamHead } from '../domain/log-position.ts';
import { countChangeDays } from './change-days.ts';

/** NOTIFY channel of the change log. The payload is the last position; the events are in the table. */
export const CHANNEL = 'quipu_changes';
const STREAM = 'changes';

/**
 * Allocates `count` positions, and notifies listeners when the transaction commits. The head's row stays locked until then, so positions
 * become visible in their order and a rollback leaves no gap. It must be the last step of a transaction, because every other writer of the
 * stream waits for it.
 * @returns the first of the positions
 */
async function allocatePositions(trx: Knex, count: number): Promise<LogPosition> {
  const { rows } = await trx.raw(
    `UPDATE log_heads SET position = position + ? WHERE stream = ? RETURNING position, epochs -> -1 ->> 'id' AS epoch`,
    [count, STREAM],
  );
  const last = Number(rows[0].position);
  await trx.raw('SELECT pg_notify(?, ?)', [CHANNEL, String(last)]);
  return { position: last - count + 1, epoch: rows[0].epoch };
}

/** Reads the range of positions that the change log has. */
export async function readStreamHead(db: Knex): Promise<StreamHead> {
  const { position, kept_from: keptFrom, epochs } = await db('log_heads').where({ stream: STREAM }).first();
  return { position: Number(position), keptFrom: Number(keptFrom), epochs };
}

/** Begins a new epoch of the change log at its last position: cursors for later positions become invalid. */
export async function startEpoch(trx: Knex): Promise<Epoch> {
  const id = randomBytes(4).toString('hex');
  const { rows } = await trx.raw(
    `UPDATE log_heads SET epochs = epochs || jsonb_build_array(jsonb_build_object('id', CAST(? AS text), 'after', position))
     WHERE stream = ? RETURNING position`,
    [id, STREAM],
  );
  return { id, after: Number(rows[0].position) };
}

/** A change without a position. */
export type NewChange = Omit<Change, keyof LogPosition>;

/** Appends to the change log, as the last statement of a transaction: the stream stays locked until its commit. */
export async function appendChanges(trx: Knex, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { position: first, epoch } = await allocatePositions(trx, changes.length);
  await trx.batchInsert(
    'changes',
    changes.map(({ id, observationId, monitorId, keyId, company, identifier, source, fields, detectedAt, observedAt }, i) => ({
      position: first + i,
      epoch,
      id,
      observation_id: observationId,
      monitor_id: monitorId,
      key_id: keyId,
      country: company.country,
      tax_id: company.taxId,
      identifier,
      source,
      fields: JSON.stringify(fields),
      detected_at: new Date(detectedAt),
      observed_at: new Date(observedAt),
    })),
    1_000,
  );
  await countChangeDays(trx, changes);
}

/** Reads changes after a position, oldest first, at most `limit`; only those of `keyId` when it is given. */
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
  readonly epoch: string | null;
  readonly id: string;
  readonly observation_id: string | null;
  readonly monitor_id: string;
  readonly key_id: string;
  readonly country: Country;
  readonly tax_id: string;
  readonly identifier: string;
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  readonly detected_at: Date;
  readonly observed_at: Date | null;
}

export const toChange = (row: ChangeRow): Change => ({
  position: Number(row.position),
  epoch: row.epoch,
  id: row.id,
  observationId: row.observation_id ?? row.id,
  monitorId: row.monitor_id,
  keyId: row.key_id,
  company: { country: row.country, taxId: row.tax_id },
  identifier: row.identifier,
  source: row.source,
  fields: row.fields,
  detectedAt: row.detected_at.getTime(),
  observedAt: (row.observed_at ?? row.detected_at).getTime(),
});

type Row = ChangeRow & NumberedRow;

/** Reads changes by id; null for a change that its key does not own. */
export async function findChanges(db: Knex, queries: readonly Owned[]): Promise<readonly (Change | null)[]> {
  const { rows } = await db.raw(`SELECT query.n, c.* FROM ${ROW_QUERIES} JOIN changes c ON c.id = query.id AND c.key_id = query."keyId"`, [
    JSON.stringify(queries),
  ]);
  return groupByQuery<Row>(rows, queries.length).map(([row]) => (row ? toChange(row) : null));
}

/** SQL: selects the newest changes before `query.after`. @param whose condition on the change `c` */
const newest = (whose: string): string =>
  `LATERAL (SELECT * FROM changes c WHERE ${whose} AND c.key_id = query."keyId" AND c.position < coalesce(query.after, ${END})
     ORDER BY c.position DESC LIMIT query.first + 1) AS found ORDER BY found.position DESC`;
/** Sorts after every position. */
const END = '9223372036854775807';

/** Reads changes of monitors, newest first. `after` is a position. */
export async function pageChangesOfMonitors(db: Knex, queries: readonly OwnedPageRequest<number>[]): Promise<readonly Page<Change>[]> {
  const table = queryTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint' });
  const { rows } = await db.raw(`SELECT query.n, found.* FROM ${table}, ${newest('c.monitor_id = query.id')}`, [JSON.stringify(queries)]);
  return toPages<Row, Change>(rows, queries, toChange);
}

/** Reads changes of companies, as the monitors of a key received them, newest first. `after` is a position. */
export async function pageChangesOfCompanies(
  db: Knex,
  queries: readonly (PageRequest<number> & CompanyKey & { readonly keyId: string })[],
): Promise<readonly Page<Change>[]> {
  const table = queryTable({ keyId: 'uuid', country: 'text', taxId: 'text', first: 'int', after: 'bigint' });
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${table}, ${newest('c.country = query.country AND c.tax_id = query."taxId"')}`,
    [JSON.stringify(queries)],
  );
  return toPages<Row, Change>(rows, queries, toChange);
}

/** A page of the change log of a key. */
export interface ChangeLogQuery {
  readonly keyId: string;
  /** A position; null to begin with the oldest change that is kept. */
  readonly after: number | null;
  readonly first: number;
  /** UUIDs; undefined for all monitors. */
  readonly monitorIds?: readonly string[];
  /** Companies; undefined for all of them. */
  readonly companies?: readonly CompanyKey[];
}

/** A page of the change log, oldest first, and the stream head in the same snapshot of the database. */
export interface ChangeLogPage extends Page<Change>, StreamHead {}

const LOG_TABLE = queryTable({ keyId: 'uuid', after: 'bigint', first: 'int', monitorIds: 'uuid[]', companies: 'jsonb' });

/** Reads pages of the change log, each with the stream head. */
export async function pageChangeLog(db: Knex, queries: readonly ChangeLogQuery[]): Promise<readonly ChangeLogPage[]> {
  const { rows } = await db.raw(
    `SELECT query.n, head.position AS head, head.kept_from, head.epochs, found.*
     FROM ${LOG_TABLE}
       JOIN log_heads head ON head.stream = 'changes'
       LEFT JOIN LATERAL (SELECT * FROM changes c
         WHERE c.key_id = query."keyId" AND c.position > coalesce(query.after, 0)
           AND (query."monitorIds" IS NULL OR c.monitor_id = ANY (query."monitorIds"))
           AND (query.companies IS NULL OR query.companies @> jsonb_build_array(jsonb_build_object('country', c.country, 'taxId', c.tax_id)))
         ORDER BY c.position LIMIT query.first + 1) AS found ON true
     ORDER BY found.position`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<LogRow>(rows, queries.length).map((group, i) => {
    const changes = group.filter((row): row is LogRow & Row => row.id !== null);
    const first = queries[i]?.first ?? 0;
    return {
      items: changes.slice(0, first).map(toChange),
      hasMore: changes.length > first,
      position: Number(group[0]?.head),
      keptFrom: Number(group[0]?.kept_from),
      epochs: group[0]?.epochs ?? [],
    };
  });
}

/** A row of a page. In a page without changes, the columns of the change are null and the head is set. */
interface LogRow extends NumberedRow, Partial<Omit<Row, 'n' | 'id'>> {
  readonly id: string | null;
  readonly head: string;
  readonly kept_from: string;
  readonly epochs: readonly Epoch[];
}

/** A position in the log of a key; null for the position before its oldest change. */
export interface LogPlace {
  readonly keyId: string;
  readonly after: number | null;
}

/** Changes are counted up to this number, so that a count does not read a long log. */
const MAX_COUNTED = 10_000;

/** Counts the changes of a key after a position, up to `MAX_COUNTED`, each with the stream head in the same snapshot of the database. */
export async function countChanges(db: Knex, queries: readonly LogPlace[]): Promise<readonly (StreamHead & { readonly count: number })[]> {
  const { rows } = await db.raw(
    `SELECT query.n, head.position AS head, head.kept_from, head.epochs,
       (SELECT count(*) FROM (SELECT FROM changes c WHERE c.key_id = query."keyId" AND c.position > coalesce(query.after, 0)
          LIMIT ${MAX_COUNTED}) AS counted)::int AS count
     FROM ${queryTable({ keyId: 'uuid', after: 'bigint' })} JOIN log_heads head ON head.stream = 'changes'
     ORDER BY query.n`,
    [JSON.stringify(queries)],
  );
  return rows.map(({ count, head, kept_from: keptFrom, epochs }: CountRow) => ({
    count,
    position: Number(head),
    keptFrom: Number(keptFrom),
    epochs,
  }));
}

interface CountRow extends Pick<LogRow, 'head' | 'kept_from' | 'epochs'> {
  readonly count: number;
}
