import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { withConnection } from '../../../src/db/knex.ts';
import { type FileSummary, loadFile, startVersion, type TableLines } from '../../../src/sources/receita-federal/copy/store/import-store.ts';
import { tableOf } from '../../../src/sources/receita-federal/copy/store/tables.ts';
import { until } from '../../support/until.ts';
import { copyDb, NOW } from './support.ts';

const { knex, url } = copyDb();
const SUMMARY: FileSummary = { rows: 3, unread: 0, unattributed: 0, notes: {}, unreadRoots: new Set(), suppressedRoots: new Set() };

/** A reader of parts of a file, each with one line for the table of links, that remembers how many it was asked for and if it was closed. */
function readerOf(lines: readonly string[]) {
  const state = { parts: 0, isClosed: false };
  async function* read(): AsyncGenerator<TableLines, FileSummary, void> {
    try {
      for (const line of lines) {
        state.parts += 1;
        yield new Map([['links', [Buffer.from(line)]]]);
      }
      return SUMMARY;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, reader: read() };
}

const lineOf = (hash: number): string => `99100000\t0001\t1\t${hash}\n`;
const newVersion = (): Promise<string> =>
  withConnection(knex(), (client) => startVersion(client, 'test', '2026-11-14', NOW), { statementTimeoutMs: 0 });
const load = (id: string, { reader }: ReturnType<typeof readerOf>) =>
  withConnection(knex(), (client) => loadFile(client, id, { name: 'Estabelecimentos0', checksum: '1' }, reader), { statementTimeoutMs: 0 });
const hashes = async (id: string): Promise<readonly number[]> =>
  (await knex().raw(`SELECT hash::int AS hash FROM ${tableOf('links', id)} ORDER BY 1`)).rows.map(({ hash }: { hash: number }) => hash);

describe('the load of a file', () => {
  it('reads the next part, and no more, while Postgres stores one', async () => {
    const id = await newVersion();
    const other = new pg.Client(url());
    await other.connect();
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${tableOf('links', id)} IN ACCESS EXCLUSIVE MODE`);
    const parts = readerOf([1, 2, 3].map(lineOf));
    const loaded = load(id, parts);
    await until(async () => parts.state.parts === 2);
    await until(async () => {
      const { rows } = await knex().raw(`SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted`);
      return rows[0].n === 1;
    });
    expect(parts.state).toEqual({ parts: 2, isClosed: false });
    await other.query('COMMIT');
    await other.end();
    expect(await loaded).toEqual(SUMMARY);
    expect(parts.state).toEqual({ parts: 3, isClosed: true });
    expect(await hashes(id)).toEqual([1, 2, 3]);
  });

  it('stores nothing and closes the reader if Postgres refuses a part', async () => {
    const id = await newVersion();
    const parts = readerOf([lineOf(1), 'no row\n', ...[3, 4, 5].map(lineOf)]);
    await expect(load(id, parts)).rejects.toMatchObject({ code: '22P04' });
    expect(parts.state).toEqual({ parts: 3, isClosed: true });
    expect(await hashes(id)).toEqual([]);
  });

  it('stores nothing if a later part cannot be read', async () => {
    const id = await newVersion();
    const parts = readerOf([1, 2].map(lineOf));
    const broken = async function* (): AsyncGenerator<TableLines, FileSummary, void> {
      yield* parts.reader;
      throw new Error('the file is cut');
    };
    await expect(load(id, { ...parts, reader: broken() })).rejects.toThrow('the file is cut');
    expect(await hashes(id)).toEqual([]);
  });
});
