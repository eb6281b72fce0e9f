import type { Knex } from 'knex';
import type { CompanyKey } from '../../../domain/company.ts';
import type { LogHead } from '../domain/log.ts';
import { type Change, type ChangeRow, toChange } from './change-log.ts';
import {
  type Answering,
  ASKED_ROWS,
  askedTable,
  byQuestion,
  type Owned,
  type Page,
  type PartOf,
  type Stretch,
  toPages,
} from './questions.ts';

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
