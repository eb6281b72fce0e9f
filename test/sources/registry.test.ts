import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { withConnection } from '../../src/db/knex.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { runInContext } from '../../src/sources/http/call-context.ts';
import { testDb } from '../support/db.ts';
import { filesIn, xlsxOf, zipOf } from '../support/files.ts';
import { namesOf, publisher, toyDb } from './toy-db.ts';
import { personOf, type ToyRow, toyCsv, toyRows, toySpec, toyXml } from './toy-list.ts';

const toys = toyDb();

async function statementsOf<T>(work: () => Promise<T>): Promise<{ readonly asked: readonly Statement[]; readonly result: T }> {
  const asked: Statement[] = [];
  const hear = (statement: Statement) => void asked.push(statement);
  toys.db().knex.on('query', hear);
  const result = await work().finally(() => toys.db().knex.off('query', hear));
  return { asked, result };
}

interface Statement {
  readonly sql: string;
  readonly bindings: unknown[];
}

const tripled = (rows: readonly ToyRow[]): readonly ToyRow[] => [...rows, ...rows, ...rows];

describe('a published list', () => {
  it('is loaded and answers with its version', async () => {
    const now = () => Date.parse('2026-11-21T10:00:00Z');
    const { url } = await publisher();
    const list = toys.registry({ url, now });
    const result = await list.sync();
    expect(result).toMatchObject({
      outcome: 'loaded',
      version: {
        publishedOn: '2026-11-20',
        loadedAt: now(),
        checkedAt: now(),
        entries: 100,
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    const { version, goodUntil, entries } = await list.lookup([personOf(7), personOf(777)]);
    expect(version).toMatchObject({ id: list.version(), publishedOn: '2026-11-20' });
    expect(goodUntil).toBe(now() + toySpec.staleAfterMs);
    expect([...entries]).toEqual([
      [personOf(7), [{ id: '7', keys: [personOf(7)], record: { name: 'São “Norte” \\ & Cia 7' } }]],
      [personOf(777), []],
    ]);
    expect(await filesIn(toys.tempDir())).toEqual([]);
  });

  it('answers 500 legal persons, or none, in one SQL statement', async () => {
    const list = toys.registry({ url: (await publisher(toyCsv(toyRows(2_000)))).url });
    await list.sync();
    const asked = Array.from({ length: 500 }, (_, i) => personOf(i * 8 + 1));
    const many = await statementsOf(() => list.lookup(asked));
    expect(many.asked).toHaveLength(1);
    expect(many.result.entries.size).toBe(500);
    expect([...many.result.entries.values()].filter(({ length }) => length === 1)).toHaveLength(250);
    const none = await statementsOf(() => list.lookup([]));
    expect(none.asked).toHaveLength(1);
    expect(none.result).toMatchObject({ version: many.result.version, entries: new Map() });
  });

  it('finds many legal persons of a long list by its index', async () => {
    const list = toys.registry({ url: (await publisher(toyCsv(toyRows(20_000)))).url });
    await list.sync();
    const persons = Array.from({ length: 500 }, (_, i) => personOf(i + 1));
    const { sql = '', bindings = [] } = (await statementsOf(() => list.lookup(persons))).asked[0] ?? {};
    for (const explain of [
      (client: pg.Client) => client.query(`EXPLAIN ${sql}`, bindings),
      (client: pg.Client) => client.query(`EXPLAIN (GENERIC_PLAN) ${sql}`), // that of a prepared statement
    ]) {
      const { rows } = await withConnection(toys.db().knex, explain, { statementTimeoutMs: 5_000 });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('Bitmap Index Scan on registry_entries_v');
      expect(plan).not.toContain('Seq Scan on registry_entries_v');
    }
  });

  it('keeps rows with the same id, and special characters', async () => {
    const name = 'tab\t, \\N, {"a"}, line\nbreak, \u{1F600}';
    const rows = [{ id: '1\t\\', tax: '12345678000195', name }];
    const list = toys.registry({ url: (await publisher(toyXml(tripled(rows)))).url });
    expect(await list.sync()).toMatchObject({ version: { entries: 3 } });
    const found = (await list.lookup(['BR:12345678'])).entries.get('BR:12345678') ?? [];
    const kept = name.replace(/[\t\n]/g, ' '); // as xml reads attributes
    expect(found.map(({ id, record }) => [id, record.name])).toEqual(Array(3).fill(['1 \\', kept]));
  });

  it('can be csv, xml or xlsx, each also zipped', async () => {
    const rows = toyRows(60);
    const workbook = await xlsxOf([['ID', 'TAX', 'NAME'], ...rows.map(({ id, tax, name }) => [id, tax, name])]);
    const forms = [
      toyCsv(rows),
      Buffer.from(toyCsv(rows).replaceAll(/[“”]/g, '*'), 'latin1'),
      toyXml(rows),
      workbook,
      await zipOf({ 'a.csv': toyCsv(rows) }),
      await zipOf({ 'a.xml': toyXml(rows) }),
      await zipOf({ 'a.xlsx': workbook }),
    ];
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    for (const form of forms) {
      publish(form);
      expect(await list.sync({ force: true })).toMatchObject({ outcome: 'loaded', version: { entries: 60 } });
      expect((await namesOf(list, 60))[0]?.[0]).toMatch(/^São .Norte. \\ & Cia 60$/);
    }
    expect(await toys.partitions()).toHaveLength(1);
    expect(await toys.db().knex('registry_versions')).toHaveLength(forms.length);
  });
});

describe('lists that one request asks for in the same tick', () => {
  /** Two lists of other contents, both loaded. */
  async function twoLists(now = Date.now) {
    const ceis = toys.registry({ url: (await publisher(toyCsv(toyRows(100, 'CEIS')))).url, now });
    const cnep = toys.registry({
      url: (await publisher(toyCsv(toyRows(60, 'CNEP')))).url,
      spec: { name: 'CNEP', staleAfterMs: 2 * DAY_MS },
      now,
    });
    await Promise.all([ceis.sync(), cnep.sync()]);
    return { ceis, cnep };
  }
  const inOneRequest = <T>(work: () => Promise<T>): Promise<T> => runInContext({ request: {} }, work);

  it('are read in one SQL statement, each in its own version', async () => {
    const { ceis, cnep } = await twoLists();
    const lookups = () => Promise.all([ceis.lookup([personOf(7)]), cnep.lookup([personOf(7), personOf(70)])]);
    const { asked, result } = await statementsOf(() => inOneRequest(lookups));
    expect(asked).toHaveLength(1);
    expect(result.map(({ version }) => version.id)).toEqual([ceis.version(), cnep.version()]);
    const names = result.map(({ entries }) => [...entries.values()].map((found) => found.map(({ record }) => record.name)));
    expect(names).toEqual([[['CEIS 7']], [['CNEP 7'], []]]);
  });

  it('GQ-11 are not read with those of another request', async () => {
    const { ceis } = await twoLists();
    const { asked } = await statementsOf(() => Promise.all([1, 2].map((person) => inOneRequest(() => ceis.lookup([personOf(person)])))));
    expect(asked).toHaveLength(2);
  });

  it('fail alone: where one cannot be asked, the others answer', async () => {
    const { ceis, cnep } = await twoLists();
    const refused = `${personOf(7)}\0`; // Postgres has no text with this character
    const results = await inOneRequest(() => Promise.allSettled([ceis.lookup([refused]), cnep.lookup([personOf(7)])]));
    expect(results).toMatchObject([
      { status: 'rejected', reason: { code: 'SOURCE_UNAVAILABLE', facts: { source: 'CEIS' } } },
      { status: 'fulfilled', value: { version: { id: cnep.version() } } },
    ]);
  });

  it('fail alone: where one is overdue or was never loaded, the others answer', async () => {
    const clock = { at: Date.parse('2026-11-21T10:00:00Z') };
    const { ceis, cnep } = await twoLists(() => clock.at);
    const absent = toys.registry({ url: (await publisher()).url, spec: { name: 'OFAC_SDN' } });
    clock.at += DAY_MS;
    const results = await inOneRequest(() => Promise.allSettled([ceis, absent, cnep].map((list) => list.lookup([personOf(7)]))));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});

describe('when a list is not usable', () => {
  const unavailable = { code: 'SOURCE_UNAVAILABLE', facts: { source: 'CEIS' } };

  it('a lookup fails before the first load', async () => {
    const list = toys.registry({ url: (await publisher()).url });
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject(unavailable);
    expect(await list.status()).toMatchObject({ usable: false, list: null, lastSuccessAt: null });
    expect(list.version()).toBeNull();
  });

  it('a lookup fails from the moment on at which the last read is too old', async () => {
    const clock = { at: Date.parse('2026-11-21T10:00:00Z') };
    const list = toys.registry({ url: (await publisher()).url, now: () => clock.at });
    await list.sync();
    const goodUntil = clock.at + toySpec.staleAfterMs;
    expect(await list.status()).toMatchObject({ usable: true, list: { goodUntil } });
    clock.at += DAY_MS - 1;
    expect(await namesOf(list, 1)).toHaveLength(1);
    clock.at += 1;
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject(unavailable);
    expect(await list.status()).toMatchObject({ usable: false, list: { entries: 100, goodUntil: clock.at } });
    expect(await list.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(await namesOf(list, 1)).toHaveLength(1);
  });

  it('a copy of another schema version does not answer, and is read again', async () => {
    const { url } = await publisher();
    await toys.registry({ url }).sync();
    const next = toys.registry({ url, spec: { schemaVersion: 2 } });
    await next.refresh();
    expect(next.version()).toBeNull();
    await expect(next.lookup([personOf(1)])).rejects.toMatchObject(unavailable);
    expect(await next.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await namesOf(next, 1)).toHaveLength(1);
  });

  it('a failure of the database is a failure of this source', async () => {
    const other = await testDb();
    const list = toys.registry({ url: (await publisher()).url, db: other.knex });
    await other.close();
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject(unavailable);
    expect(await list.sync()).toMatchObject({ outcome: 'refused', reason: 'load_failed' });
  });

  it.each([
    ['a sandbox copy', 'sandbox', 'given'],
    ['a given address', 'given', 'sandbox'],
  ] as const)('%s never answers for another origin', async (_name, origin, other) => {
    const { url } = await publisher();
    const list = toys.registry({ url, origin });
    await list.sync();
    for (const stranger of [
      toys.registry({ url, origin: other }),
      toys.registry({ url: `${url}?list=2`, origin: 'given' }),
      toys.registry({ url: `${url}x` }),
    ]) {
      await stranger.refresh();
      expect(stranger.version()).toBeNull();
      await expect(stranger.lookup([personOf(1)])).rejects.toMatchObject(unavailable);
    }
    expect(await namesOf(list, 1)).toHaveLength(1);
  });

  it('the URL is stored without credentials and query', async () => {
    const { url } = await publisher();
    await toys.registry({ url: `${url.replace('//', '//user:secret@')}?token=hidden` }).sync();
    const kept = JSON.stringify([await toys.db().knex('registries'), await toys.db().knex('registry_versions')]);
    expect(kept).toContain('/20261120_toy.csv');
    expect(kept).not.toMatch(/user|secret|token|hidden/);
  });
});
