import type pg from 'pg';
import { inClientTransaction } from '../../../db/client-transaction.ts';
import { type CopyRow, copyRows } from '../../../db/copy-rows.ts';
import type { Replace } from '../../registry/sync.ts';
import {
  type NewVersion,
  nextVersionId,
  partitionOf,
  recordVersion,
  type StoredVersion,
  type VersionStore,
} from '../../registry/version-store.ts';
import { KINDS } from '../composition.ts';
import type { CompositionRow } from '../row.ts';
import type { CompositionSummary } from '../row-counts.ts';
import { type CopyName, compareWithNext, compareWithPrevious } from './comparisons.ts';
import { PARENT } from './tables.ts';

/** Loads a file of owners. */
export type LoadCompositions = Replace<readonly CompositionRow[], CompositionSummary>;

const COLUMNS = ['version_id', 'society', 'kind', 'partner', 'share', 'share_problem', 'share_text'];

/** Loads a file as the version that answers, in one transaction, and compares it with the one before. */
export const loadVersion = (
  client: pg.Client,
  versions: VersionStore,
  copy: CopyName,
  ...parts: Parameters<LoadCompositions>
): Promise<StoredVersion | null> =>
  staged(client, parts, async (version) => {
    await compareWithPrevious(client, copy, version);
    return versions.switchTo(client, PARENT, version, true);
  });

/**
 * Puts a file before the version that answers, which must have none before it, in one transaction: the differences between both are kept,
 * and the rows of the file are not. The version that answers stays. The recorded failure of an attempt before is deleted, because it is
 * later than the last sync of the publisher's file, and the copy would count as failed until the next one.
 */
export const loadBefore = (client: pg.Client, copy: CopyName, ...parts: Parameters<LoadCompositions>): Promise<StoredVersion | null> =>
  staged(client, parts, async (version, table) => {
    await compareWithNext(client, copy, version);
    await client.query(`DROP TABLE ${table}`);
    await client.query('UPDATE registries SET failed_at = NULL, last_error = NULL WHERE name = $1 AND origin = $2', [...copy]);
    return recordVersion(client, copy, version);
  });

/** Fills the table of a new version, in one transaction with `finish`. The table of a version that is not approved is dropped. */
const staged = (
  client: pg.Client,
  [reading, approve, signal]: Parameters<LoadCompositions>,
  finish: (version: NewVersion, table: string) => Promise<StoredVersion>,
): Promise<StoredVersion | null> =>
  inClientTransaction(client, async () => {
    const id = await nextVersionId(client);
    const table = partitionOf(PARENT, id);
    await client.query(`
      CREATE TABLE ${table} (
        version_id bigint NOT NULL, society integer NOT NULL, kind smallint NOT NULL, partner integer, share numeric, share_problem text,
        share_text text,
        CONSTRAINT ${table}_version CHECK (version_id = ${id})
      ) WITH (autovacuum_enabled = false)`);
    const target = { table, columns: COLUMNS, freeze: true };
    const { rows: entries, result } = await copyRows(client, target, toCopy(id, reading), signal);
    await client.query(`CREATE INDEX ${table}_society ON ${table} (society)`);
    await client.query(`CREATE INDEX ${table}_partner ON ${table} (partner, society) WHERE partner IS NOT NULL`);
    await client.query(`CREATE INDEX ${table}_unread ON ${table} (kind) WHERE kind = ${KINDS.unread}`);
    await client.query(`ANALYZE ${table}`);
    const approval = approve(result, result.edges);
    signal.throwIfAborted();
    if (approval) return finish({ id, entries, named: result.edges, ...result, ...approval }, table);
    await client.query(`DROP TABLE ${table}`);
    return null;
  });

async function* toCopy(
  version: string,
  reading: Parameters<LoadCompositions>[0],
): AsyncGenerator<readonly CopyRow[], CompositionSummary, void> {
  try {
    let step = await reading.next();
    while (!step.done) {
      yield step.value.flatMap((row) => (row.kind === 'lost' ? [] : [toCopyRow(version, row)]));
      step = await reading.next();
    }
    return step.value;
  } finally {
    await reading.return(undefined as never); // closes the file if the COPY was aborted
  }
}

const toCopyRow = (version: string, row: Exclude<CompositionRow, { readonly kind: 'lost' }>): CopyRow => [
  version,
  row.society,
  KINDS[row.kind],
  row.kind === 'company' ? row.partner : null,
  row.share.percent,
  row.share.problem,
  row.share.text ?? null,
];
