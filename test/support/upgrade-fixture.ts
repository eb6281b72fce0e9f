import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Knex } from 'knex';
import { withConnection } from '../../src/db/knex.ts';
import type { PublicKey } from '../../src/evidence/receipt.ts';

const FOLDER = path.resolve(import.meta.dirname, '../fixtures/upgrade');

/** Data of a customer of an earlier version, and the made-up secrets of its service. A dump of its database is in the file beside it. */
export interface UpgradeFixture {
  /** Epoch ms of the dump. */
  readonly at: number;
  /** QUIPU_KEY_SECRET of the service. */
  readonly keySecret: string;
  readonly key: string;
  readonly revokedKey: string;
  /** CNPJ of the watched company, of which one change was published and not delivered. */
  readonly cnpj: string;
  /** Number of consolidated checks of that company that are counted for the key in the month of `at`. */
  readonly checks: number;
  /** The reply to the creation of the monitor, with the secret that signs its deliveries. */
  readonly monitor: { readonly subscription_id: string; readonly secret: string };
  /** Id of a dismissed candidate. */
  readonly dismissalId: string;
  /** Replies to GETs of the key, by path. */
  readonly replies: Readonly<Record<string, object>>;
  /** The public keys of the receipts. */
  readonly keys: readonly PublicKey[];
}

const pathOf = (version: string, ending: 'json' | 'sql.gz'): string => path.join(FOLDER, `${version}.${ending}`);

/** Returns the versions that have a fixture. */
export const fixtureVersions = (): readonly string[] =>
  readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));

/** Writes a fixture. @param sql output of pg_dump with --inserts @throws Error for a version that has a fixture, which must not change */
export async function writeFixture(version: string, fixture: UpgradeFixture, sql: string): Promise<void> {
  await writeFile(pathOf(version, 'json'), `${JSON.stringify(fixture, null, 2)}\n`, { flag: 'wx' });
  await writeFile(pathOf(version, 'sql.gz'), gzipSync(sql, { level: 9 }));
}

export const readFixture = async (version: string): Promise<UpgradeFixture> => JSON.parse(await readFile(pathOf(version, 'json'), 'utf8'));

/** Restores the database of a version into an empty one, without pg_restore or psql. */
export async function restoreFixture(version: string, db: Knex): Promise<void> {
  const dump = gunzipSync(await readFile(pathOf(version, 'sql.gz'))).toString();
  const sql = dump.replace(/^\\(un)?restrict .*$/gm, ''); // commands of psql
  await withConnection(db, (client) => client.query(sql), { statementTimeoutMs: 60_000 });
}
