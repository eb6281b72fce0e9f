import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import type { FieldChange } from '../domain/change.ts';
import type { LogHead } from '../domain/cursor.ts';
import { type Answering, ASKED_ROWS, askedTable, byQuestion, type Owned, type Page, type PartOf, type Stretch, toPages } from './paging.ts';
import { drawPositions } from './stream-head.ts';

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

type Row = ChangeRow & Answering;

/** Changes; null for one that its key was not told. */
export async function findChanges(db: Knex, asked: readonly Owned[]): Promise<readonly (Change | null)[]> {
  const { rows } = await db.raw(`SELECT asked.n, c.* FROM ${ASKED_ROWS} JOIN changes c ON c.id = asked.id AND c.key_id = asked."keyId"`, [
    JSON.stringify(asked),
  ]);
  return byQuestion<Row>(rows, asked.length).map(([row]) => (row ? toChange(row) : null));
}

/** The newest rows of those before a position, as SQL; `whose` says whose they are. */
const newest = (whose: string): string =>
  `LATERAL (SELECT * FROM changes c WHERE ${whose} AND c.key_id = asked."keyId" AND c.position < coalesce(asked.after, ${END})
     ORDER BY c.position DESC LIMIT asked.first + 1) AS found ORDER BY found.position DESC`;
/** Above every position. */
const END = '9223372036854775807';

/** What monitors were told, newest first. `after` is a position. */
export async function pageChangesOfMonitors(db: Knex, asked: readonly PartOf<number>[]): Promise<readonly Page<Change>[]> {
  const table = askedTable({ keyId: 'uuid', id: 'uuid', first: 'int', after: 'bigint' });
  const { rows } = await db.raw(`SELECT asked.n, found.* FROM ${table}, ${newest('c.monitor_id = asked.id')}`, [JSON.stringify(asked)]);
  return toPages<Row, Change>(rows, asked, toChange);
}

/** What keys were told of companies, newest first. `after` is a position. */
export async function pageChangesOfCompanies(
  db: Knex,
  asked: readonly (Stretch<number> & CompanyKey & { readonly keyId: string })[],
): Promise<readonly Page<Change>[]> {
  const table = askedTable({ keyId: 'uuid', country: 'text', taxId: 'text', first: 'int', after: 'bigint' });
  const { rows } = await db.raw(
    `SELECT asked.n, found.* FROM ${table}, ${newest('c.country = asked.country AND c.tax_id = asked."taxId"')}`,
    [JSON.stringify(asked)],
  );
  return toPages<Row, Change>(rows, asked, toChange);
}

/** Which part of a key's log is asked for. */
export interface LogAsked {
  readonly keyId: string;
  /** A position; null for all that is kept. */
  readonly after: number | null;
  readonly first: number;
  /** UUIDs; of all monitors where left out. */
  readonly monitorIds?: readonly string[];
  /** Of all companies where left out. */
  readonly companies?: readonly CompanyKey[];
}

/** A stretch of the log, oldest first, and where the log stood in the same moment. */
export interface LogPage extends Page<Change>, LogHead {}

const LOG_TABLE = askedTable({ keyId: 'uuid', after: 'bigint', first: 'int', monitorIds: 'uuid[]', companies: 'jsonb' });

/** What keys were told after a position. */
export async function changesSince(db: Knex, asked: readonly LogAsked[]): Promise<readonly LogPage[]> {
  const { rows } = await db.raw(
    `SELECT asked.n, head.position AS head, head.kept_from, found.*
     FROM ${LOG_TABLE}
       JOIN log_heads head ON head.stream = 'changes'
       LEFT JOIN LATERAL (SELECT * FROM changes c
         WHERE c.key_id = asked."keyId" AND c.position > coalesce(asked.after, 0)
           AND (asked."monitorIds" IS NULL OR c.monitor_id = ANY (asked."monitorIds"))
           AND (asked.companies IS NULL OR asked.companies @> jsonb_build_array(jsonb_build_object('country', c.country, 'taxId', c.tax_id)))
         ORDER BY c.position LIMIT asked.first + 1) AS found ON true
     ORDER BY found.position`,
    [JSON.stringify(asked)],
  );
  return byQuestion<LogRow>(rows, asked.length).map((group, i) => {
    const told = group.filter((row): row is LogRow & Row => row.id !== null);
    const first = asked[i]?.first ?? 0;
    return {
      items: told.slice(0, first).map(toChange),
      hasMore: told.length > first,
      position: Number(group[0]?.head),
      keptFrom: Number(group[0]?.kept_from),
    };
  });
}

/** Without a change, its columns are null. */
interface LogRow extends Answering, Partial<Omit<Row, 'n' | 'id'>> {
  readonly id: string | null;
  readonly head: string;
  readonly kept_from: string;
}
