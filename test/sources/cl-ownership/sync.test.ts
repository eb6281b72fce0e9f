import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRut } from '../../../src/domain/tax-id.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { zipOf } from '../../support/files.ts';
import { needsPublished, publishedPath } from '../../support/samples.ts';
import { upstream } from '../../support/upstream.ts';
import { edge, fileOf, HEADER, ownershipDb, people, rutOf } from './support.ts';

const [A, B, C] = [76_900_001, 76_900_014, 76_900_028];
const { copy, partitions, db } = ownershipDb();

/** Companies that each belong to A and to people. */
const many = (count: number, share = '60,5'): readonly string[] =>
  Array.from({ length: count }, (_, i) => [edge(77_000_000 + i, A, share), people(77_000_000 + i, '39,5')]).flat();

describe('the composition of a company', () => {
  it('has its owners by share, and all people as one', async () => {
    const source = copy();
    await source.load(fileOf([edge(C, B, '20'), people(C, '30'), edge(C, A, '50'), people(A, '100')]));
    expect(await source.of(C)).toEqual({
      isListed: true,
      status: 'published',
      companies: [
        { rut: rutOf(A), share: '50' },
        { rut: rutOf(B), share: '20' },
      ],
      people: { share: '30' },
      isComplete: true,
    });
  });

  it('puts unknown shares last, and orders equal ones by RUT', async () => {
    const source = copy();
    await source.load(fileOf([edge(77_000_000, C, ''), edge(77_000_000, B, '10'), edge(77_000_000, A, '10')]));
    const { companies, isComplete } = await source.of(77_000_000);
    expect(companies.map(({ rut, share }) => [rut, share])).toEqual([
      [rutOf(A), '10'],
      [rutOf(B), '10'],
      [rutOf(C), null],
    ]);
    expect(isComplete).toBe(false);
  });

  it('adds the shares of an owner with several rows, if all are known', async () => {
    const source = copy();
    await source.load(
      fileOf([edge(B, A, '33.1'), edge(B, A, '33.2'), people(B, '33.7'), edge(C, A, '60'), edge(C, A, ''), people(C, '40')]),
    );
    expect(await source.of(B)).toMatchObject({ companies: [{ rut: rutOf(A), share: '66.3' }], isComplete: true });
    expect(await source.of(C)).toMatchObject({ companies: [{ rut: rutOf(A), share: null }], isComplete: false });
  });

  it.each([
    ['99.5', true],
    ['100.5', true],
    ['99.4', false],
    ['0', false],
  ])('of shares that add up to %s is complete: %s', async (share, isComplete) => {
    const source = copy();
    await source.load(fileOf([edge(B, A, share)]));
    expect((await source.of(B)).isComplete).toBe(isComplete);
  });

  it('is not complete above 100.5 %, and for shares out of bounds', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '80'), people(B, '40'), edge(C, A, '250'), people(C, '-5')]));
    expect(await source.of(B)).toMatchObject({ status: 'published', isComplete: false });
    expect(await source.of(C)).toMatchObject({ companies: [{ share: null }], people: { share: null }, isComplete: false });
  });

  it('may have the company itself and a cycle', async () => {
    const source = copy();
    await source.load(fileOf([edge(A, A, '10'), people(A, '90'), edge(B, C, '50'), people(B, '50'), edge(C, B, '50'), people(C, '50')]));
    expect((await source.of(A)).companies).toEqual([{ rut: rutOf(A), share: '10' }]);
    expect((await source.of(B)).companies).toEqual([{ rut: rutOf(C), share: '50' }]);
  });

  it('is not published for a company that the file does not have', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '100')]));
    expect(await source.of(C)).toEqual({ isListed: false, status: 'not_published', companies: [], people: null, isComplete: false });
  });

  it('is unread, and not "no owners", where a row could not be read', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '60').replace('76900001;1', '76900001;2'), people(B, '40'), edge(C, A, '100')]));
    expect(await source.of(B)).toMatchObject({ status: 'unread', companies: [], people: { share: '40' }, isComplete: false });
    expect(await source.of(C)).toMatchObject({ status: 'published', isComplete: true });
    expect(await source.of(A)).toMatchObject({ status: 'not_published' });
  });

  it('may be that of any company where a row does not say whose owners it has', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '60').replace('76900014;3', '7690001;3'), people(B, '40'), edge(C, A, '100')]));
    expect(await source.of(B)).toMatchObject({ status: 'unread', isComplete: false });
    expect(await source.of(A)).toMatchObject({ status: 'unread', isListed: false });
    expect(await source.of(C)).toMatchObject({ status: 'published', isComplete: true });
  });

  it('does not count a cut owner of 0.5 % as rounding', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '99,5'), edge(B, C, '0,5').replace('76900028;', '7690002;'), people(A, '100')]));
    expect(await source.of(B)).toMatchObject({ status: 'unread', isComplete: false });
  });

  it('stores no RUT of a person', async () => {
    const source = copy();
    await source.load(fileOf([edge(B, A, '60'), people(B, '40'), edge(B, A, '1').replace('76900001;1', '12345678;5')]));
    const { rows } = await db().knex.raw('SELECT r::text AS text FROM cl_ownership_rows r');
    expect(rows).toHaveLength(3);
    expect(JSON.stringify(rows)).not.toContain('12345678');
  });
});

describe('the companies of an owner', () => {
  it('are pages by RUT, with the share', async () => {
    const source = copy();
    await source.load(fileOf([edge(C, A, '10'), edge(C, A, '5'), people(C, '85'), edge(B, A, ''), people(B, '')]));
    const owner = rutOf(A);
    const first = await source.owned([{ owner, first: 1, after: null }]);
    expect(first.pages).toEqual([{ items: [{ rut: rutOf(B), share: null }], hasMore: true, unread: 0 }]);
    const second = await source.owned([
      { owner, first: 1, after: rutOf(B) },
      { owner: rutOf(C), first: 9, after: null },
    ]);
    expect(second.pages).toEqual([
      { items: [{ rut: rutOf(C), share: '15' }], hasMore: false, unread: 0 },
      { items: [], hasMore: false, unread: 0 },
    ]);
  });

  it('may be more than the list if rows could not be read, which it counts', async () => {
    const source = copy();
    await source.load(
      fileOf([
        edge(B, A, '60').replace('76900001;1', '76900001;2'),
        people(B, '40'),
        edge(C, A, '9').replace('76900028', '1'),
        edge(C, A, '1'),
      ]),
    );
    expect((await source.owned([{ owner: rutOf(A), first: 5, after: null }])).pages[0]).toMatchObject({ unread: 2 });
  });
});

describe('a sync of the file', () => {
  it('replaces the version as a whole, dates it by its publication, and keeps it while the file is the same', async () => {
    const zipped = (count: number) => zipOf({ 'composicion_sociedades.csv': fileOf(many(count)) });
    const state = { body: await zipped(3) };
    const headers = { 'content-type': 'application/zip', 'last-modified': 'Tue, 25 Nov 2025 16:11:42 GMT' };
    const { url } = await upstream(() => ({ headers, body: state.body }));
    const source = copy({ url });
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2025-11-25', entries: 6 } });
    const version = source.version();
    expect(await source.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(source.version()).toBe(version);
    state.body = await zipped(4);
    expect(await source.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 8 } });
    expect(await partitions()).toHaveLength(2);
    expect((await source.status()).list).toMatchObject({ entries: 8 });
  });

  it('can be rolled back, and then does not load the same file again, unless an operator forces it', async () => {
    const source = copy();
    expect(await source.sync({ rollBack: true })).toMatchObject({ outcome: 'refused', reason: 'no_previous_version' });
    await source.load(fileOf([edge(B, A, '60'), people(B, '40')]));
    const next = fileOf([edge(B, C, '70'), people(B, '30')]);
    await source.load(next);
    expect(await partitions()).toHaveLength(2);
    expect(await source.sync({ rollBack: true })).toMatchObject({ outcome: 'loaded' });
    expect(await source.of(B)).toMatchObject({ companies: [{ rut: rutOf(A), share: '60' }] });
    expect(await source.load(next)).toMatchObject({ outcome: 'unchanged' });
    expect(await source.of(B)).toMatchObject({ companies: [{ rut: rutOf(A) }] });
    expect(await source.load(next, true)).toMatchObject({ outcome: 'loaded' });
    expect(await source.of(B)).toMatchObject({ companies: [{ rut: rutOf(C), share: '70' }] });
    expect(await partitions()).toHaveLength(2);
  });

  it('fails answers before the first load, and 45 days after the last one', async () => {
    let now = Date.parse('2026-11-28');
    const source = copy({ now: () => now });
    await expect(source.of(A)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await source.load(fileOf([edge(B, A, '100')]));
    expect(await source.of(B)).toMatchObject({ status: 'published' });
    now += 45 * DAY_MS;
    await expect(source.of(B)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });

  it('takes a byte order mark, LF, windows-1252 and quoted cells', async () => {
    const text = fileOf([
      people(B, '100').replace('SOCIEDAD POR', 'SOCIEDAD "Ñ" POR'),
      edge(C, A, '100').replace('SOCIEDAD POR ACCIONES', '"A;B"'),
    ]);
    for (const bytes of [
      `\uFEFF${text}`,
      text.replaceAll('\r\n', '\n'),
      Buffer.from(text, 'latin1'),
      text.replace(/^.*$/m, HEADER.toUpperCase()),
    ]) {
      const source = copy();
      expect(await source.load(bytes)).toMatchObject({ outcome: expect.stringMatching(/^(loaded|unchanged)$/) });
      expect(await source.of(C)).toMatchObject({ companies: [{ rut: rutOf(A), share: '100' }] });
    }
  });

  const OLD = fileOf(many(1_000));
  const changed = (change: (rows: string[]) => string[]): string => fileOf(change([...many(1_000)]));
  const each = (count: number, change: (row: string) => string) => changed((rows) => rows.map((row, i) => (i < count ? change(row) : row)));

  it.each([
    ['no bytes', '', 'not_a_list'],
    ['a header alone', fileOf([]), 'not_a_list'],
    ['an HTML page', '<!doctype html><html><body>Mantención</body></html>', 'not_a_list'],
    ['a column under another name', OLD.replace('RUT Socio', 'RUT Titular'), 'not_a_list'],
    ['a column twice', OLD.replace('Tipo Sociedad', 'RUT Socio'), 'not_a_list'],
    ['another delimiter', OLD.replaceAll(';', ','), 'not_a_list'],
    ['its end cut off in a row', OLD.slice(0, -30), 'not_a_list'],
    ['its end cut off in a share', OLD.slice(0, -3), 'not_a_list'],
    ['its second half cut off', `${OLD.slice(0, OLD.indexOf('\r\n', OLD.length / 2))}\r\n`, 'shrunk'],
    ['11 % fewer rows', fileOf(many(890)), 'shrunk'],
    ['no owner that is a company', each(2_000, (row) => row.replace('76900001;1;;', ';;Personas Naturales;')), 'not_a_list'],
    ['fewer owners that are companies', each(300, (row) => row.replace('76900001;1;;', ';;Personas Naturales;')), 'shrunk'],
    ['blank shares', each(201, (row) => row.replace(/[^;]*$/, '')), 'unknown_shares'],
    ['shares with two marks', each(2_000, (row) => row.replace(/[^;]*$/, '1.060,5')), 'unknown_shares'],
    ['shares in thousandths', each(31, (row) => row.replace(/[^;]*$/, '605')), 'shares_out_of_bounds'],
    ['four companies with wrong check digits', each(4, (row) => row.replace(/^(\d+);./, '$1;X')), 'not_a_list'],
    ['four owners with wrong check digits', each(8, (row) => row.replace('76900001;1', '76900001;2')), 'not_a_list'],
    ['people with RUTs', each(2_000, (row) => row.replace('76900001;1', '12345678;5')), 'not_a_list'],
    ['another word for people', each(2_000, (row) => row.replace('Personas Naturales', 'Socios')), 'not_a_list'],
    ['lines of another width', each(4, (row) => `${row};`), 'not_a_list'],
    ['a line without an end', OLD.slice(0, 5_000) + 'A'.repeat(500_000), 'not_a_list'],
    ['two encodings', Buffer.concat([Buffer.from(OLD), Buffer.from([0xff, 0x0d, 0x0a])]), 'not_a_list'],
  ])('refuses a file with %s, and the version before answers', { timeout: 20_000 }, async (_, file, reason) => {
    const source = copy();
    expect(await source.load(OLD)).toMatchObject({ outcome: 'loaded' });
    const version = source.version();
    expect(await source.load(file)).toMatchObject({ outcome: 'refused', reason });
    expect(source.version()).toBe(version);
    expect(await source.of(77_000_999)).toMatchObject({ companies: [{ share: '60.5' }] });
    expect(await partitions()).toHaveLength(1);
  });

  it('loads a file with both decimal marks, because each share is clear by itself', async () => {
    const source = copy();
    const file = each(2, (row) => row.replace(',5', '.5'));
    expect(await source.load(file)).toMatchObject({ outcome: 'loaded' });
    expect(await source.of(77_000_000)).toMatchObject({ companies: [{ share: '60.5' }], people: { share: '39.5' }, isComplete: true });
  });

  it('requires the size of the publisher’s file at its own address', async () => {
    const { url } = await upstream(() => ({ body: fileOf(many(5)) }));
    expect(await copy({ url, origin: 'live' }).sync()).toMatchObject({ outcome: 'refused', reason: 'too_small' });
  });
});

const SAMPLE = 'chile-ownership/composicion_sociedades.SYNTHETIC.csv';

describe('the synthetic sample', needsPublished(SAMPLE), () => {
  interface Expected {
    readonly owners: readonly { readonly identifier: string; readonly share: number | null }[];
    readonly naturalPersonsShare: number | null;
    readonly hasNaturalPersons: boolean | null;
    readonly ownershipComplete: boolean | null;
    readonly owns?: readonly string[];
  }

  it('gives the expected owners of each company', async () => {
    const answers = readFileSync(publishedPath('chile-ownership/composicion_sociedades.expected.json'), 'utf8');
    const expected: Readonly<Record<string, Expected>> = JSON.parse(answers);
    const source = copy();
    const file = readFileSync(publishedPath(SAMPLE));
    expect(await source.load(file)).toMatchObject({ outcome: 'loaded' });
    for (const [id, { owners, naturalPersonsShare, hasNaturalPersons, ownershipComplete, owns }] of Object.entries(expected)) {
      const rut = readRut(id) as string;
      const found = (await source.compositions([rut])).of(rut);
      const number = (share: string | null | undefined) => (share == null ? null : Number(share));
      expect({ id, owners: found.companies.map(({ rut, share }) => [rut, number(share)]) }).toEqual({
        id,
        owners: owners.map(({ identifier, share }) => [readRut(identifier), share]),
      });
      expect({ id, share: number(found.people?.share) }).toEqual({ id, share: naturalPersonsShare });
      expect({ id, has: found.isListed ? found.people !== null : null }).toEqual({ id, has: hasNaturalPersons });
      expect({ id, complete: found.isListed ? found.isComplete : null }).toEqual({ id, complete: ownershipComplete });
      if (!owns) continue;
      const [page] = (await source.owned([{ owner: rut, first: 50, after: null }])).pages;
      expect(page?.items.map((one) => one.rut)).toEqual(owns.map((one) => readRut(one)));
    }
  });
});
