import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CopyLines, type CopyRow, copyLines, copyRows } from '../../src/db/copy-rows.ts';
import { withConnection } from '../../src/db/knex.ts';
import { type TestDb, testDb } from '../support/db.ts';

const TARGET = { table: 'copied', columns: ['id', 'name', 'words', 'dated', 'record'] };

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('DROP TABLE IF EXISTS copied');
  await db.knex.raw('CREATE TABLE copied (id integer, name text, words text[], dated date, record jsonb)');
});

const connected = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => withConnection(db.knex, work, { statementTimeoutMs: 30_000 });

async function stored(): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await db.knex.raw('SELECT * FROM copied ORDER BY id');
  return rows;
}

/** A reader of batches that remembers how many it was asked for, and whether it was closed. */
function readerOf(batches: Iterable<readonly CopyRow[]>) {
  const state = { batches: 0, isClosed: false };
  async function* read(): AsyncGenerator<readonly CopyRow[], string, void> {
    try {
      for (const batch of batches) {
        state.batches += 1;
        yield batch;
      }
      return 'the end';
    } finally {
      state.isClosed = true;
    }
  }
  return { state, reader: read() };
}

/** A hundred rows of 1,000 characters, more than is sent at once. */
const manyRows = (): readonly CopyRow[] => Array.from({ length: 100 }, (_, i) => [i, 'x'.repeat(1_000), null, null, null]);

function* endless(): Generator<readonly CopyRow[]> {
  for (;;) yield manyRows();
}

/** Batches that take longer to read than Postgres takes to receive them, so that the COPY never waits for Postgres. */
function* slow(batches: number): Generator<readonly CopyRow[]> {
  for (let n = 0; n < batches; n += 1) {
    for (const end = performance.now() + 3; performance.now() < end; );
    yield manyRows();
  }
}

describe('a COPY', () => {
  it('stores every text as it is, except for NULs', async () => {
    const texts = ['', 'NULL', '\\N', '\\', 'a\tb', 'a\nb\r\nc', '\\.', '"\'', 'ÑANDÚ – € 😀', '\u0007\u0085'];
    const { reader } = readerOf([texts.map((text, i) => [i, text, texts, null, JSON.stringify({ text })])]);
    await connected((client) => copyRows(client, TARGET, reader));
    expect(await stored()).toEqual(texts.map((text, i) => ({ id: i, name: text, words: texts, dated: null, record: { text } })));
    await connected((client) => copyRows(client, TARGET, readerOf([[[99, 'a\0b', ['\0'], null, null]]]).reader));
    expect((await stored()).at(-1)).toMatchObject({ name: 'ab', words: [''] });
  });

  it('stores encoded rows as it stores those of a reader, each once', async () => {
    const rows = Array.from({ length: 3_000 }, (_, i): CopyRow => [i, `a\\b\t${'ñ'.repeat(i % 90)}`, ['"', '\\'], '2024-02-29', null]);
    await connected((client) => copyRows(client, TARGET, readerOf([rows]).reader));
    const expected = await stored();
    await db.knex.raw('TRUNCATE copied');
    const lines = new CopyLines();
    for (const half of [rows.slice(0, 1_500), rows.slice(1_500)]) {
      for (const row of half) lines.add(row);
      const encoded = lines.drain();
      await connected((client) => copyLines(client, TARGET, encoded));
    }
    expect(lines.drain()).toEqual([]);
    expect(await stored()).toEqual(expected);
  });

  it('stores nulls, numbers, dates and empty arrays', async () => {
    const { reader } = readerOf([[[-1, null, [], '2024-02-29', null]], [], [[2, null, null, null, '1.5']]]);
    await connected((client) => copyRows(client, TARGET, reader));
    expect(await stored()).toEqual([
      { id: -1, name: null, words: [], dated: '2024-02-29', record: null },
      { id: 2, name: null, words: null, dated: null, record: 1.5 },
    ]);
  });

  it('returns the number of rows and what the reader returned', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i): CopyRow => [i, 'x'.repeat(100), null, null, null]);
    const { reader, state } = readerOf([rows.slice(0, 1), rows.slice(1), []]);
    expect(await connected((client) => copyRows(client, TARGET, reader))).toEqual({ rows: 5_000, result: 'the end' });
    expect(await stored()).toHaveLength(5_000);
    expect(state).toEqual({ batches: 3, isClosed: true });
    expect(await connected((client) => copyRows(client, TARGET, readerOf([]).reader))).toEqual({ rows: 0, result: 'the end' });
  });

  it('freezes the rows of a table that its transaction has emptied, and of no other', async () => {
    const frozen = { ...TARGET, freeze: true };
    await connected(async (client) => {
      await client.query('BEGIN; TRUNCATE copied');
      await copyRows(client, frozen, readerOf([[[1, 'x', null, null, null]]]).reader);
      await client.query('COMMIT');
      await expect(copyRows(client, frozen, readerOf([[[2, 'x', null, null, null]]]).reader)).rejects.toMatchObject({ code: '55000' });
    });
    expect(await stored()).toHaveLength(1);
  });

  it('asks for no more batches while Postgres takes none', async () => {
    const lock = await db.knex.transaction();
    await lock.raw('LOCK TABLE copied');
    const { reader, state } = readerOf(endless());
    const abort = new AbortController();
    const copying = connected((client) => copyRows(client, TARGET, reader, abort.signal)).catch((error: Error) => error);
    await expect.poll(() => state.batches).toBeGreaterThan(0);
    await sleep(300);
    const batches = state.batches;
    await sleep(300);
    expect(state.batches).toBe(batches);
    expect(batches).toBeLessThan(1_000);
    abort.abort();
    await lock.rollback();
    expect(await copying).toMatchObject({ name: 'AbortError' });
  });
});

it('a COPY leaves turns of the event loop to others, although Postgres takes the rows faster than they are read', async () => {
  const turns = { count: 0, isOver: false };
  const count = () => {
    turns.count += 1;
    if (!turns.isOver) setImmediate(count);
  };
  await connected(async (client) => {
    setImmediate(count);
    await copyRows(client, TARGET, readerOf(slow(100)).reader);
  });
  turns.isOver = true;
  expect(turns.count).toBeGreaterThan(100);
});

describe('a COPY that fails', () => {
  it('ends with the error of its reader and stores nothing', async () => {
    function* broken(): Generator<readonly CopyRow[]> {
      yield [[1, 'x', null, null, null]];
      throw new Error('the file is cut');
    }
    await connected(async (client) => {
      await expect(copyRows(client, TARGET, readerOf(broken()).reader)).rejects.toThrow('the file is cut');
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
    expect(await stored()).toEqual([]);
  });

  it('ends with the error of Postgres and closes its reader', async () => {
    function* wrong(): Generator<readonly CopyRow[]> {
      yield [['no number', 'x', null, null, null]];
      yield* endless();
    }
    const { reader, state } = readerOf(wrong());
    await expect(connected((client) => copyRows(client, TARGET, reader))).rejects.toMatchObject({ code: '22P02' });
    expect(state.isClosed).toBe(true);
    expect(await stored()).toEqual([]);
  });

  it('is aborted by its signal and closes its reader', async () => {
    const { reader, state } = readerOf(endless());
    const abort = new AbortController();
    const copying = connected((client) => copyRows(client, TARGET, reader, abort.signal)).catch((error: Error) => error);
    await expect.poll(() => state.batches).toBeGreaterThan(10);
    abort.abort();
    expect(await copying).toMatchObject({ name: 'AbortError' });
    await expect.poll(() => state.isClosed).toBe(true);
    expect(await stored()).toEqual([]);
  });
});
