import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CopyTuples, copyTuples } from '../../src/db/copy-tuples.ts';
import { withConnection } from '../../src/db/knex.ts';
import { type TestDb, testDb } from '../support/db.ts';

const COLUMNS = ['big', 'whole', 'small', 'dated', 'code', 'word', 'name'];

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('DROP TABLE IF EXISTS tuples');
  await db.knex.raw('CREATE TABLE tuples (big bigint, whole integer, small smallint, dated date, code text, word text, name text)');
});

async function copy<T>(reader: AsyncGenerator<Buffer, T, void>): Promise<T> {
  return withConnection(db.knex, (client) => copyTuples(client, { table: 'tuples', columns: COLUMNS }, reader), {
    statementTimeoutMs: 30_000,
  });
}

async function* drained(...all: readonly CopyTuples[]): AsyncGenerator<Buffer, string, void> {
  for (const tuples of all) yield* tuples.drain();
  return 'the end';
}

/** Writes one tuple whose name is copied from these bytes. */
function tupleOf(name: Buffer, { charset = 'utf-8' as 'utf-8' | 'windows-1252', tuples = new CopyTuples(charset), date = 20240229 } = {}) {
  tuples.begin(COLUMNS.length, name.length);
  tuples.bigint(-3);
  tuples.integer(99_999_999);
  tuples.smallint(2_024);
  tuples.date(date);
  tuples.digits(1_101, 6);
  tuples.string('Ñuble');
  tuples.text(name, 0, name.length);
  return tuples;
}

async function stored(): Promise<readonly Record<string, unknown>[]> {
  const { rows } = await db.knex.raw('SELECT * FROM tuples');
  return rows;
}

describe('a COPY of tuples', () => {
  it('stores values of every type, and returns what the reader returned', async () => {
    expect(await copy(drained(tupleOf(Buffer.from('ÑANDÚ – €'))))).toBe('the end');
    expect(await stored()).toEqual([
      { big: '-3', whole: 99_999_999, small: 2_024, dated: '2024-02-29', code: '001101', word: 'Ñuble', name: 'ÑANDÚ – €' },
    ]);
  });

  it('stores nulls', async () => {
    const tuples = new CopyTuples('utf-8');
    tuples.begin(COLUMNS.length, 0);
    tuples.nulls(1);
    tuples.integer(-1);
    tuples.smallint(-1);
    tuples.date(-1);
    tuples.digits(-1, 6);
    tuples.string(null);
    tuples.nulls(1);
    await copy(drained(tuples));
    expect(await stored()).toEqual([Object.fromEntries(COLUMNS.map((column) => [column, null]))]);
  });

  it('decodes every character of Windows-1252, and replaces control characters by blanks', async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, i) => i));
    await copy(drained(tupleOf(bytes, { charset: 'windows-1252' })));
    const text = new TextDecoder('windows-1252').decode(bytes);
    expect((await stored())[0]?.name).toBe(' '.repeat(32) + text.slice(32));
  });

  it.each([10_000_101, 17_000_301, 19_000_228, 19_991_231, 20_000_101, 20_000_229, 20_241_231, 99_981_231])(
    'stores the date %i',
    async (date) => {
      await copy(drained(tupleOf(Buffer.from('x'), { date })));
      const text = String(date);
      expect((await stored())[0]?.dated).toBe(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`);
    },
  );

  it('keeps tuples of any length, and more than fit into one buffer', async () => {
    const long = Buffer.alloc(400_000, 'ñ');
    const tuples = new CopyTuples('utf-8');
    for (let i = 0; i < 3; i += 1) tupleOf(long, { tuples });
    tupleOf(Buffer.from('short'), { tuples });
    const more = new CopyTuples('utf-8');
    for (let i = 0; i < 10_000; i += 1) tupleOf(Buffer.from(`EMPRESA ${i}`), { tuples: more });
    await copy(drained(tuples, more));
    const { rows } = await db.knex.raw('SELECT name, count(*)::int AS count FROM tuples GROUP BY name ORDER BY count DESC, name LIMIT 1');
    expect(rows).toEqual([{ name: long.toString(), count: 3 }]);
    expect(await stored()).toHaveLength(10_004);
  });

  it('ends with the error of its reader or of Postgres, and stores nothing', async () => {
    async function* broken(): AsyncGenerator<Buffer, void, void> {
      yield* tupleOf(Buffer.from('x')).drain();
      throw new Error('the file is cut');
    }
    await expect(copy(broken())).rejects.toThrow('the file is cut');
    const tuples = new CopyTuples('utf-8');
    tuples.begin(1, 0);
    tuples.nulls(1);
    await expect(copy(drained(tuples))).rejects.toMatchObject({ code: '22P04' });
    await expect(copy(drained(tupleOf(Buffer.from([0x41, 0xd1]))))).rejects.toMatchObject({ code: '22021' });
    expect(await stored()).toEqual([]);
  });
});
