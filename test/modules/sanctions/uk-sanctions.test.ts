import { describe, expect, it } from 'vitest';
import { ukSanctionsSpec } from '../../../src/modules/sanctions/sources/uk-sanctions.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { Bytes } from '../../support/files.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleText } from '../../support/samples.ts';

const csv = () => sampleText('sanctions/more/uk.csv');
const read = (content: Bytes = csv()) => readBytes(ukSanctionsSpec, { 'uk.csv': content });

const COLUMNS = csv().split('\r\n')[1]?.split(',') ?? [];
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
/** A file with rows of these cells, by column. */
const file = (rows: readonly Readonly<Record<string, string>>[]) =>
  [
    'Report Date: 05-Oct-2026',
    COLUMNS.join(','),
    ...rows.map((cells) => COLUMNS.map((column) => cell(cells[column] ?? '')).join(',')),
    '',
  ].join('\r\n');
const PARTY = { 'Unique ID': 'FIC1', 'Name 6': 'IMAGINARY SA', 'Designation Type': 'Entity', 'Sanctions Imposed': 'Asset freeze' };
const registered = async (text: string, ...countries: string[]) => {
  const places = countries.length === 0 ? [''] : countries;
  const rows = places.map((country) => ({ ...PARTY, 'Address Country': country, 'Business registration number (s)': text }));
  return (await read(file(rows))).entries[0]?.keys;
};

describe('the reader of the sanctions list of the UK', () => {
  it('groups the rows of a party and reads the date of the report', async () => {
    const { entries, version } = await read();
    expect(version).toEqual({ publishedOn: '2026-10-05', rowsRead: 7, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(entries[0]?.record).toEqual({
      uid: 'FIC0001',
      kind: 'entity',
      name: 'IMAGINARY HOLDING',
      aliases: [
        { name: 'IMAGINARY HOLDINGS PLC', type: 'Primary name variation', weak: false },
        { name: 'IH', type: 'Alias', weak: true },
        { name: 'IMAGINARY GROUP', type: 'Alias', weak: false },
      ],
      programs: ['The Imaginary (Sanctions) Regulations 2020'],
      countries: ['Russia'],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: null,
      effect: 'blocking',
      measures: ['Asset freeze', 'Trust Services Sanctions'],
      startsOn: '2022-02-24',
      endsOn: null,
    });
  });

  it('skips rows of empty cells, which spreadsheets write', async () => {
    const { version } = await read(`${csv().trimEnd()}\r\n${','.repeat(COLUMNS.length - 1)}\r\n`);
    expect(version.rowsRead).toBe(7);
  });

  it('reads only an asset freeze as blocking', async () => {
    const { entries } = await read();
    expect(entries.map(({ id, record: { kind, effect } }) => [id, kind, effect])).toEqual([
      ['FIC0001', 'entity', 'blocking'],
      ['FIC0002', 'entity', 'restricted'],
      ['FIC0003', 'entity', 'blocking'],
      ['FIC0004', 'individual', 'blocking'],
      ['FIC0005', 'individual', 'restricted'],
      ['FIC0006', 'individual', 'blocking'],
      ['FIC0007', 'vessel', 'restricted'],
    ]);
  });

  it('reads the name of a person with the surname last, the name in another script, and the date of birth as printed', async () => {
    const { entries } = await read();
    expect(entries[3]?.record).toMatchObject({
      name: 'Made UP4',
      aliases: [{ name: 'Вымысел', type: 'Name non-latin script', weak: false }],
      nationalities: ['Russia'],
      datesOfBirth: ['00/00/1975'],
    });
    expect(entries[4]?.record.datesOfBirth).toEqual(['dd/mm/1952']);
  });

  it('reads rows of a party that do not follow each other, and a name that is strong in one row as strong', async () => {
    const low = { ...PARTY, 'Name 6': 'ISA', 'Name type': 'Alias', 'Alias strength': 'Low quality a.k.a' };
    const rows = [PARTY, { ...PARTY, 'Unique ID': 'FIC2' }, low, { ...low, 'Alias strength': 'Good quality a.k.a' }];
    const { entries } = await read(file(rows));
    expect(entries.map(({ record: { uid, aliases } }) => [uid, aliases])).toEqual([
      ['FIC1', [{ name: 'ISA', type: 'Alias', weak: false }]],
      ['FIC2', []],
    ]);
  });

  it('finds the header wherever it is, with a byte order mark, without a report line, and with the earlier name of a column', async () => {
    const bare = csv().replace('Report Date: 05-Oct-2026\r\n', '').replace('Designation Type', 'Individual, Entity, Ship');
    const quoted = bare.replace('Individual, Entity, Ship', '"Individual, Entity, Ship"');
    expect((await read(`\uFEFF${quoted}`)).version).toMatchObject({ rowsRead: 7, publishedOn: null });
    expect((await read(`\uFEFF${csv()}`)).version).toMatchObject({ rowsRead: 7, publishedOn: '2026-10-05' });
  });

  it.each([
    ['CNPJ 11.222.333/0001-81, NIRE 35999000001', ['Brazil'], ['BR:11222333']],
    ['11.222.333/0001-81', ['Russia'], []],
    ['NIT 900123456-8 (Colombia)', ['Panama'], ['CO:900123456']],
    ['NIT: 900123456-8', ['Panama', 'Colombia'], ['CO:900123456']],
    ['RUC 20123456789; Partida 11', ['Peru'], ['PE:20123456789']],
    ['20123456789 (Peru)', ['Panama'], ['PE:20123456789']],
    ['INN 7700000001, OGRN 1027700000001', ['Russia'], []],
  ])('finds a company by its registration numbers %s with addresses in %s', async (text, countries, keys) => {
    expect(await registered(text, ...countries)).toEqual(keys);
  });

  it('DB-06 refuses a list of some hundred parties of which few have frozen assets', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => [
      { ...PARTY, 'Unique ID': `F${i}`, 'Sanctions Imposed': 'Freeze' },
      { ...PARTY, 'Unique ID': `F${i}`, 'Name 6': `IMAGINARY ${i}`, 'Sanctions Imposed': 'Freeze' },
    ]);
    await expect(read(file(rows.flat()))).rejects.toThrow('the assets of 0 of 300 parties are frozen');
  });

  it.each([
    ['an empty file', () => ''],
    ['a page', () => '<!doctype html><html></html>'],
    ['the xml of the list', () => '<Designations/>'],
    ['a file without its header', () => csv().replace('Unique ID', 'Reference')],
    ['a file without a needed column', () => csv().replace('Sanctions Imposed', 'Sanctions')],
    ['a column that is there twice', () => csv().replace('Title', 'Name 6')],
    ['the report line alone', () => 'Report Date: 05-Oct-2026\r\n'],
    ['a date of the report that cannot be read', () => csv().replace('05-Oct-2026', '05-Okt-2026')],
    ['a row with fewer cells', () => csv().replace('FIC0006,90006,,', 'FIC0006,')],
    ['a row without a Unique ID', () => csv().replace('FIC0006', '')],
    ['a row without a name', () => file([{ ...PARTY, 'Name 6': '' }])],
    ['an unknown kind of party', () => csv().replace(',Ship,', ',Spaceship,')],
    ['a party of two kinds', () => file([PARTY, { ...PARTY, 'Designation Type': 'Ship' }])],
    ['a file that is cut within a quote', () => csv().slice(0, csv().indexOf('with a line break') + 5)],
    ['a file that is cut within a row', () => csv().slice(0, -40)],
    ['text after ten other lines', () => 'x\r\n'.repeat(11) + csv()],
  ])('DB-06 refuses %s', async (_, make) => {
    await expect(read(make())).rejects.toThrow(ListFileError);
  });
});
