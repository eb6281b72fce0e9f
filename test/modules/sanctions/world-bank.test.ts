import { describe, expect, it } from 'vitest';
import { worldBankSpec } from '../../../src/modules/sanctions/sources/world-bank.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { Bytes } from '../../support/files.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleJson, sampleText } from '../../support/samples.ts';

const json = () => sampleText('sanctions/more/world-bank.json');
const read = (content: Bytes = json()) => readBytes(worldBankSpec, { SANCTIONED_FIRM: content });
/** The sample with its first record changed. */
const changed = (change: Readonly<Record<string, unknown>>) => {
  const document = sampleJson('sanctions/more/world-bank.json');
  Object.assign(document.response.ZPROCSUPP[0], change);
  return JSON.stringify(document);
};
const first = async (change: Readonly<Record<string, unknown>>) => (await read(changed(change))).entries[0]?.record;
const namesOf = async (name: string) => {
  const record = await first({ SUPP_NAME: name });
  return [record?.name, ...(record?.aliases.map((alias) => `${alias.type} ${alias.name}`) ?? [])];
};

describe('the reader of the debarred firms of the World Bank', () => {
  it('yields firms and people as debarred, without keys: the list prints no tax ids', async () => {
    const { entries, version } = await read();
    expect(version).toEqual({ publishedOn: '2026-10-05', rowsRead: 10, rowsSkipped: 0 });
    expect(entries.flatMap(({ keys }) => keys)).toEqual([]);
    expect(entries[0]?.record).toEqual({
      uid: '900001',
      kind: 'entity',
      name: 'IMAGINARY CONSTRUCTIONS S.A.S.',
      aliases: [],
      programs: ['Procurement Guidelines, 1.16(a)(ii)'],
      countries: ['Colombia'],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: null,
      effect: 'debarred',
      measures: [],
      startsOn: '2022-01-10',
      endsOn: '2027-01-09',
      details: { addresses: ['CALLE INVENTADA 1, CIUDAD, Colombia'], foundationDates: [], remarks: null },
    });
    expect(entries[3]?.record).toMatchObject({ kind: 'individual', name: 'MR. MADE UP PERSON' });
  });

  it('reads no end for a permanent debarment and for one that goes on after its date, and dates in both forms', async () => {
    const { entries } = await read();
    expect(entries.map(({ record: { endsOn, measures } }) => [endsOn, measures?.join()])).toEqual([
      ['2027-01-09', ''],
      ['2027-01-09', ''],
      [null, 'Permanent'],
      ['2027-01-09', ''],
      [null, 'Ongoing'],
      ['2023-05-01', ''],
      ['2027-01-09', ''],
      ['2032-01-09', ''],
      ['2027-01-09', ''],
      ['2027-01-09', ''],
    ]);
  });

  it('reads no end for a permanent debarment with a date, and a date with a time after a blank', async () => {
    expect(await first({ INELIGIBLY_STATUS: 'Permanent', DEBAR_TO_DATE: '2020-01-01' })).toMatchObject({ endsOn: null });
    expect(await first({ DEBAR_FROM_DATE: '2022-01-10 00:00:00.0' })).toMatchObject({ startsOn: '2022-01-10' });
  });

  it('reads values without the blanks around them', async () => {
    expect(
      await first({ SUPP_NAME: ' FICTION SA ', SUPP_TYPE_CODE: 'F ', DEBAR_TO_DATE: '2027-01-09 ', COUNTRY_NAME: 'Peru  ' }),
    ).toMatchObject({
      name: 'FICTION SA',
      kind: 'entity',
      endsOn: '2027-01-09',
      countries: ['Peru'],
    });
  });

  it('reads a document of as many records as the guard accepts', async () => {
    const document = sampleJson('sanctions/more/world-bank.json');
    const [supplier] = document.response.ZPROCSUPP;
    const many = Array.from({ length: worldBankSpec.guard.maxRows ?? 0 }, (_, i) => ({
      ...supplier,
      SUPP_ID: `${i}`,
      SUPP_ADDR: 'A'.repeat(1_000),
    }));
    const { version } = await read(JSON.stringify({ response: { ZPROCSUPP: many } }));
    expect(version.rowsRead).toBe(3_000);
  });

  it.each([
    ['FICTION SA*12', ['FICTION SA']],
    ['FICTION SA*12,*13, *14', ['FICTION SA']],
    [
      'FICTION WORKS LTDA (formerly FICTION OBRAS LTDA)*12',
      ['FICTION WORKS LTDA (formerly FICTION OBRAS LTDA)', 'name FICTION WORKS LTDA', 'f.k.a. FICTION OBRAS LTDA'],
    ],
    ['FICTION SPA a.k.a. FICTION CHILE', ['FICTION SPA a.k.a. FICTION CHILE', 'name FICTION SPA', 'a.k.a. FICTION CHILE']],
    ['OLD INC f/k/a OLDER INC', ['OLD INC f/k/a OLDER INC', 'name OLD INC', 'f.k.a. OLDER INC']],
    ['D/B/A FICTION d/b/a TRADING*3*4', ['D/B/A FICTION d/b/a TRADING', 'd.b.a. FICTION', 'd.b.a. TRADING']],
    ['AKANA FKALIS SA', ['AKANA FKALIS SA']],
    ['FICTION (PERU) SA, also known as FICSA', ['FICTION (PERU) SA, also known as FICSA', 'name FICTION (PERU) SA', 'a.k.a. FICSA']],
  ])('splits the names of %s', async (name, names) => {
    expect(await namesOf(name)).toEqual(names);
  });

  it.each([
    ['an empty file', () => ''],
    ['a page', () => '<!doctype html><html></html>'],
    ['an xml', () => '<response/>'],
    ['JSON that is cut', () => json().slice(0, -30)],
    ['an error as JSON', () => '{"message":"Invalid client id"}'],
    ['a response without records', () => '{"response":{}}'],
    ['records that are no list', () => '{"response":{"ZPROCSUPP":{}}}'],
    ['a record that is no object', () => '{"response":{"ZPROCSUPP":["x"]}}'],
    ['records without their names', () => json().replaceAll('SUPP_NAME', 'NAME')],
    ['records without their end', () => json().replaceAll('DEBAR_TO_DATE', 'TO_DATE')],
    ['a name that is an object', () => changed({ SUPP_NAME: {} })],
    ['an empty name', () => changed({ SUPP_NAME: ' *12' })],
    ['an unknown type', () => changed({ SUPP_TYPE_CODE: 'X' })],
    ['a record listed twice', () => changed({ SUPP_ID: '900002' })],
    ['a date that cannot be read', () => changed({ DEBAR_TO_DATE: 'soon' })],
  ])('DB-06 refuses %s', async (_, make) => {
    await expect(read(make())).rejects.toThrow(ListFileError);
  });
});
