import type { Knex } from 'knex';

/**
 * Renames tables and columns of monitoring after the terms of `src/modules/monitor/domain/monitor.ts`. Data is unchanged.
 * Indexes and constraints follow by their own names, so that a later migration finds them under the name of their table.
 */
const RENAMES: readonly (readonly [object: string, from: string, to: string])[] = [
  ['TABLE', 'webhook_lanes', 'delivery_partitions'],
  ['COLUMN delivery_partitions', 'lane', 'partition'],
  ['INDEX', 'webhook_lanes_pkey', 'delivery_partitions_pkey'],
  ['INDEX', 'webhook_lanes_due', 'delivery_partitions_due'],
  ['COLUMN deliveries', 'lane', 'partition'],
  ['COLUMN monitor_companies', 'place', 'ordinal'],
  ['TABLE', 'judged_lists', 'compared_lists'],
  ['INDEX', 'judged_lists_pkey', 'compared_lists_pkey'],
  ['COLUMN compared_lists', 'edition', 'version'],
  ['COLUMN compared_lists', 'shape', 'schema_version'],
  ['INDEX', 'watched_companies_looked', 'watched_companies_checked'],
];

const statement = (object: string, from: string, to: string): string => {
  const [kind = '', table] = object.split(' ');
  return kind === 'COLUMN' ? `ALTER TABLE ${table} RENAME COLUMN ${from} TO ${to};` : `ALTER ${kind} ${from} RENAME TO ${to};`;
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`${RENAMES.map((rename) => statement(...rename)).join('\n')}
    COMMENT ON COLUMN monitors.failing_since IS 'set after the third failed attempt in a row';
    COMMENT ON COLUMN watched_companies.anchor_at IS 'one regular check time; due_at differs from the regular times after a failure only';
    COMMENT ON COLUMN watched_companies.listings IS 'list → fingerprints of the entries that name the company; no member before the first check';
    COMMENT ON COLUMN watched_companies.ignored IS 'source → an observation that an operator discarded: no change while the source repeats it';
    COMMENT ON COLUMN compared_lists.version IS 'list version that the watched companies were last compared with';
    COMMENT ON COLUMN compared_lists.schema_version IS 'version of the parser that made its records; records of different parsers are not compared';
    COMMENT ON COLUMN deliveries.revision IS 'position of its latest update in the stream deliveries; a partition is sent in this order';
    COMMENT ON COLUMN delivery_partitions.lease IS 'of the process that sends from it now; every write requires it';
    COMMENT ON COLUMN delivery_partitions.slow IS 'true: its last request was slow; such partitions get half of the slots at most';
  `);
}

export async function down(knex: Knex): Promise<void> {
  const back = RENAMES.toReversed().map(([object, from, to]) => statement(object, to, from));
  await knex.raw(back.join('\n'));
}
