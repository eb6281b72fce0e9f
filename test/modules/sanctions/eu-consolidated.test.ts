import { describe, expect, it } from 'vitest';
import { euConsolidatedSpec } from '../../../src/modules/sanctions/sources/eu-consolidated.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import type { Bytes } from '../../support/files.ts';
import { readBytes } from '../../support/read-list.ts';
import { sampleText } from '../../support/samples.ts';

const xml = () => sampleText('sanctions/more/eu.xml');
const read = (content: Bytes = xml()) => readBytes(euConsolidatedSpec, { 'eu.xml': content });
/** A document with one party. */
const withParty = (children: string) =>
  `<export generationDate="2026-10-05T10:00:00.000+02:00"><sanctionEntity logicalId="1" euReferenceNumber="EU.1.1"><subjectType code="enterprise" classificationCode="E"/>${children}</sanctionEntity></export>`;
const NAME = '<nameAlias wholeName="Imaginary SA" strong="true"/>';
const identified = (type: string, number: string, country: string, rest = '') =>
  withParty(`${NAME}<identification identificationTypeCode="${type}" number="${number}" countryIso2Code="${country}" ${rest}/>`);

describe('the reader of the consolidated list of the EU', () => {
  it('yields people and companies by logicalId, with the date on which the file was generated', async () => {
    const { entries, version } = await read();
    expect(version).toEqual({ publishedOn: '2026-10-05', rowsRead: 10, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(entries.filter(({ record: { kind } }) => kind === 'individual').map(({ id }) => id)).toEqual(['900003', '900006', '900009']);
    expect(entries[0]?.record).toEqual({
      uid: '900001',
      kind: 'entity',
      name: 'Imaginary Trading & Co 1',
      aliases: [{ name: 'ООО «Выдумка»', type: 'a.k.a.', weak: false }],
      programs: ['FICT'],
      countries: ['RUSSIAN FEDERATION'],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [],
      reference: 'EU.9901.1',
      effect: 'blocking',
      measures: [],
      startsOn: null,
      endsOn: null,
      details: expect.any(Object),
    });
  });

  it('takes the first strong name as the main one, and marks others as weak by the attribute or by the remark', async () => {
    const { entries } = await read();
    expect(entries[3]?.record).toMatchObject({
      name: 'Imaginary Trading & Co 4',
      aliases: [{ name: 'FICT LOW NAME', type: 'a.k.a.', weak: true }],
    });
    const low = '<nameAlias wholeName="LOW" strong="true"><remark>Low quality alias</remark></nameAlias>';
    const party = (await read(withParty(low + NAME))).entries[0]?.record;
    expect(party).toMatchObject({ name: 'Imaginary SA', aliases: [{ name: 'LOW', weak: true }] });
  });

  it('joins the parts of a name without a whole one', async () => {
    const parts = '<nameAlias wholeName="" firstName="Made" middleName="" lastName="Up" strong="false"/>';
    expect((await read(withParty(parts))).entries[0]?.record.name).toBe('Made Up');
  });

  it('reads a person with nationality and date of birth, which may be partial, and an unknown country as none', async () => {
    const { entries } = await read();
    expect(entries[2]?.record).toMatchObject({ name: 'Made Up 3', nationalities: ['RUSSIAN FEDERATION'], datesOfBirth: ['1960-01-04'] });
    expect(entries[1]?.record.countries).toEqual([]);
    const birth = (attributes: string) =>
      withParty(`${NAME}<birthdate ${attributes}/>`).replace('code="enterprise" classificationCode="E"', 'code="person"');
    const dates = async (attributes: string) => (await read(birth(attributes))).entries[0]?.record.datesOfBirth;
    expect(await dates('birthdate="" year="1971" monthOfYear="" dayOfMonth="" circa="true"')).toEqual(['circa 1971']);
    expect(await dates('year="1971" monthOfYear="3"')).toEqual(['1971-03']);
    expect(await dates('year="1971" monthOfYear="3" dayOfMonth="9"')).toEqual(['1971-03-09']);
    expect(await dates('birthdate="" year=""')).toEqual([]);
  });

  it.each([
    ['fiscalcode', '11.222.333/0001-81', 'BR', ['BR:11222333']],
    ['taxid', '900123456-8', 'CO', ['CO:900123456']],
    ['regnumber', '76.123.456-0', 'CL', ['CL:761234560']],
    ['euvat', 'AIN000713GR7', 'MX', ['MX:AIN000713GR7']],
    ['fiscalcode', '7700000001', 'RU', []],
    ['swiftbic', 'ABCDBRSP', 'BR', []],
  ])('finds a company by the id of type %s, %s of %s', async (type, number, country, keys) => {
    expect((await read(identified(type, number, country))).entries[0]?.keys).toEqual(keys);
  });

  it('reads the Latin form of an id, and none that the list states to be false', async () => {
    expect((await read(identified('fiscalcode', '—', 'BR', 'latinNumber="11222333000181"'))).entries[0]?.keys).toEqual(['BR:11222333']);
    expect((await read(identified('fiscalcode', '11222333000181', 'BR', 'knownFalse="true"'))).entries[0]?.keys).toEqual([]);
    expect((await read(identified('fiscalcode', '11222333000181', 'BR', 'knownExpired="true"'))).entries[0]?.keys).toEqual(['BR:11222333']);
  });

  it('counts an id that looks like the tax id of a company and cannot be read', async () => {
    expect((await read(identified('fiscalcode', '11.222.333/0001-99', 'BR'))).version.rowsUnmatched).toBe(1);
  });

  it('DB-06 refuses a list of some hundred parties that has lost its aliases', async () => {
    const parties = Array.from({ length: 300 }, (_, i) => withParty(NAME).replace('logicalId="1"', `logicalId="${i}"`));
    const body = parties.map((text) => /<sanctionEntity.*<\/sanctionEntity>/.exec(text)?.[0]).join('');
    await expect(read(`<export generationDate="2026-10-05">${body}</export>`)).rejects.toThrow('300 parties have 0 aliases');
  });

  it.each([
    ['an empty file', () => ''],
    ['a page', () => '<!doctype html><html></html>'],
    ['a csv', () => 'fileGenerationDate;Entity_LogicalId\n05/10/2026;1\n'],
    ['another document', () => '<CONSOLIDATED_LIST/>'],
    ['a document that is cut before its end', () => xml().replace('</export>', '')],
    ['a document that is cut within a party', () => xml().slice(0, 5_000)],
    ['a document without its date', () => xml().replace('generationDate=', 'date=')],
    ['a date that cannot be read', () => xml().replace('2026-10-05T', '05/10/2026T')],
    ['parties under another name', () => xml().replaceAll('sanctionEntity', 'entity')],
    ['names under another name', () => xml().replaceAll('nameAlias', 'alias')],
    ['ids under another name', () => xml().replaceAll('<identification ', '<idents ')],
    ['an attribute of ids under another name', () => xml().replaceAll('identificationTypeCode', 'idType')],
    ['an unknown kind of party', () => xml().replace('code="person" classificationCode="P"', 'code="ship" classificationCode="S"')],
    [
      'a party without a name',
      () => xml().replace('wholeName="FICT LOW NAME"', '').replace('wholeName="Imaginary Trading &amp; Co 4"', ''),
    ],
    ['a party listed twice', () => xml().replace('logicalId="900002"', 'logicalId="900001"')],
    ['a name that is neither strong nor weak', () => xml().replace('strong="false"', 'strong=""')],
  ])('DB-06 refuses %s', async (_, make) => {
    await expect(read(make())).rejects.toThrow(ListFileError);
  });
});
