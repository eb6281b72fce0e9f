import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordDigest } from '../../../src/modules/sanctions/sources/entry.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { addressLine, detailsOf } from '../../../src/modules/sanctions/sources/party-details.ts';
import { unConsolidatedSpec } from '../../../src/modules/sanctions/sources/un-consolidated.ts';
import { readBytes } from '../../support/read-list.ts';

const fixture = (name: string): string => readFileSync(path.resolve(import.meta.dirname, 'fixtures', name), 'utf8');
const ofacCsv = (csv: string) => readBytes(ofacSdnSpec, { 'sdn.csv': csv, 'add.csv': fixture('add.csv'), 'alt.csv': fixture('alt.csv') });
const ofacXml = (xml: string) => readBytes(ofacSdnSpec, { 'sdn.xml': xml });

describe('the details of a listed company', () => {
  it('are its addresses and remarks in the csv of OFAC, without an address that is only a country', async () => {
    const { entries } = await ofacCsv(fixture('sdn.csv'));
    expect(entries[0]?.record.details).toEqual({
      addresses: ['Carrera 1, Cali, Colombia', 'Bogota, Colombia'],
      foundationDates: [],
      remarks: expect.stringMatching(/^NIT # 900964705-5 \(Colombia\); .*Linked To: NOBODY AT ALL$/),
    });
    const others = entries.filter(({ record }) => record.kind !== 'entity');
    expect(others.map(({ record }) => record.details)).toEqual(others.map(() => undefined));
  });

  it('have its date of foundation, and no CPF', async () => {
    const remarks = 'Organization Established Date 15 Mar 2005; CPF 111.444.777-35 (Brazil); f.k.a.';
    const { entries } = await ofacCsv(fixture('sdn.csv').replace('Website www.invented.example; f.k.a.', remarks));
    const details = entries[0]?.record.details;
    expect(details?.foundationDates).toEqual(['15 Mar 2005']);
    expect(details?.remarks).toContain('***444777**');
    expect(JSON.stringify(entries)).not.toContain('111.444.777-35');
  });

  it('are read from the xml of OFAC', async () => {
    const address =
      '<addressList><address><uid>1</uid><address1>Calle 5</address1><city>Cali</city><country>Colombia</country></address></addressList>';
    const founded = '<idList><id><uid>1</uid><idType>Organization Established Date</idType><idNumber>15 Mar 2005</idNumber></id></idList>';
    const entry = `<sdnEntry><uid>900</uid><lastName>NORVAL</lastName><sdnType>Entity</sdnType><remarks>Made up.</remarks>${founded}${address}</sdnEntry>`;
    const xml = fixture('SDN.XML')
      .replace(/<Record_Count>\d+<\/Record_Count>/, '')
      .replace('</sdnList>', `${entry}</sdnList>`);
    const { entries } = await ofacXml(xml);
    expect(entries.find(({ id }) => id === '900')?.record.details).toEqual({
      addresses: ['Calle 5, Cali, Colombia'],
      foundationDates: ['15 Mar 2005'],
      remarks: 'Made up.',
    });
  });

  it('are read from the list of the UN', async () => {
    const xml = fixture('consolidated.xml').replace('<UN_LIST_TYPE>DPRK', '<COMMENTS1>Made up.</COMMENTS1><UN_LIST_TYPE>DPRK');
    const { entries } = await readBytes(unConsolidatedSpec, { 'consolidated.xml': xml });
    expect(entries.map(({ record }) => record.details)).toEqual([
      undefined,
      { addresses: ["Pyongyang, Democratic People's Republic of Korea"], foundationDates: [], remarks: 'Made up.' },
      undefined,
    ]);
  });

  it('are bounded', () => {
    const addresses = Array.from({ length: 30 }, (_, i) => `${i} ${'x'.repeat(600)}`);
    const { details } = detailsOf('entity', { addresses, foundationDates: [], remarks: 'x'.repeat(3_000) });
    expect([details?.addresses.length, details?.addresses[0]?.length, details?.remarks?.length]).toEqual([20, 500, 2_000]);
    expect(detailsOf('entity', { addresses: ['', ' '], foundationDates: [''], remarks: ' ' })).toEqual({});
  });

  it('are no part of the digest of the record', async () => {
    const record = (await ofacCsv(fixture('sdn.csv'))).entries[0]?.record ?? expect.fail();
    const { details: _, ...without } = record;
    expect(recordDigest(record)).toBe(recordDigest(without));
  });
});

describe('the line of an address', () => {
  it.each([
    [[' Calle 5 ', null, '', 'Cali'], 'Colombia', 'Calle 5, Cali, Colombia'],
    [['Cali'], null, 'Cali'],
    [['', null, undefined], 'Colombia', ''],
  ])('of %j in %s is "%s"', (parts, country, line) => {
    expect(addressLine(parts, country)).toBe(line);
  });
});
