import { describe, expect, it } from 'vitest';
import { ofacNonSdnSpec } from '../../../src/modules/sanctions/sources/ofac-non-sdn.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { Bytes } from '../../support/files.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleBytes, sampleText } from '../../support/samples.ts';

const FILES = ['cons_prim.csv', 'cons_alt.csv', 'cons_add.csv', 'cons_comments.csv'];
const files = () => Object.fromEntries(FILES.map((name) => [name, sampleBytes(`sanctions/more/${name}`)]));
const read = (changed: Readonly<Record<string, Bytes>> = {}) => readBytes(ofacNonSdnSpec, { ...files(), ...changed });
const primary = () => sampleText('sanctions/more/cons_prim.csv');

describe('the reader of the non-SDN list of OFAC', () => {
  it('yields restricted parties with the list that their programmes belong to', async () => {
    const { entries, version } = await read();
    expect(version).toMatchObject({ rowsRead: 10, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(entries.map(({ id, record: { name, kind, effect, measures } }) => [id, name, kind, effect, measures?.join()])).toEqual([
      ['900001', 'IMAGINARY OIL COMPANY', 'entity', 'restricted', 'SSI'],
      ['900002', 'FICTION BANK PJSC', 'entity', 'restricted', 'SSI'],
      ['900003', 'UP, Made', 'individual', 'restricted', 'NS-PLC'],
      ['900004', 'INVENTED MICROELECTRONICS CO., LTD.', 'entity', 'restricted', 'NS-CMIC'],
      ['900005', 'FICTION LEASING AO', 'entity', 'restricted', 'non-SDN'],
      ['900006', 'CAPTA FICTION BANK', 'entity', 'restricted', 'CAPTA'],
      ['900007', 'UP, Second', 'individual', 'restricted', 'NS-PLC'],
      ['900008', 'FICCION PETROLEOS S.A.', 'entity', 'restricted', 'non-SDN'],
      ['900009', 'CONTINUED FICTION ENERGY', 'entity', 'restricted', 'SSI'],
      ['900010', 'FICTION DRONES CO LTD', 'entity', 'restricted', 'NS-CMIC'],
    ]);
  });

  it('reads programmes, aliases, countries and dates of birth as those of the SDN list', async () => {
    const { entries } = await read();
    expect(entries[1]?.record).toEqual({
      uid: '900002',
      kind: 'entity',
      name: 'FICTION BANK PJSC',
      aliases: [{ name: 'FICTION ALIAS 3', type: 'a.k.a.', weak: false }],
      programs: ['UKRAINE-EO13662', 'RUSSIA-EO14024'],
      countries: ['Russia'],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: null,
      effect: 'restricted',
      measures: ['SSI'],
      startsOn: null,
      endsOn: null,
      details: expect.any(Object),
    });
    expect(entries[2]?.record).toMatchObject({ datesOfBirth: ['01 Jan 1960'], programs: ['NS-PLC'] });
  });

  it('DB-06 refuses a list of some hundred parties without its file of aliases', async () => {
    const rows = Array.from({ length: 300 }, (_, i) => `${i + 1},"FICTION ${i}",-0- ,"NS-PLC",-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,-0- ,"x."\r\n`);
    await expect(readBytes(ofacNonSdnSpec, { 'cons_prim.csv': rows.join('') })).rejects.toThrow('300 parties have 0 aliases');
  });

  it.each([
    ['an empty file', () => ''],
    ['a page', () => '<!doctype html><html></html>'],
    ['a row without its last cell', () => primary().replace(',"Made-up remark; Tax ID No. 0000000001 (Russia)."', '')],
    ['a row without the number of a party', () => primary().replace('900001,', '"x",')],
    ['an unknown type of party', () => primary().replace('"individual"', '"spaceship"')],
    ['a party without a name', () => primary().replace('"IMAGINARY OIL COMPANY"', '-0- ')],
    ['a party listed twice', () => primary().replace('900002,', '900001,')],
    ['a file that is cut within a quote', () => primary().slice(0, -60)],
  ])('DB-06 refuses %s', async (_, make) => {
    await expect(read({ 'cons_prim.csv': make() })).rejects.toThrow(ListFileError);
  });
});
