import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SanctionsEntry } from '../../../src/modules/sanctions/sources/entry.ts';
import { listTaxId } from '../../../src/modules/sanctions/sources/list-tax-ids.ts';
import { ofacSdnSpec } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { ListFileError } from '../../../src/sources/registry/list-file.ts';
import { listFileOf, zipOf } from '../../support/files.ts';
import { readBytes, readPath, readWhole } from '../../support/read-list.ts';
import { needsPublished, publishedPath, samplePath, sampleText } from '../../support/samples.ts';

const fixtures = path.resolve(import.meta.dirname, 'fixtures');
const fixture = (name: string) => readFileSync(path.join(fixtures, name), 'utf8');
const xml = fixture('SDN.XML');
const csv = fixture('sdn.csv');
const beside = Object.fromEntries(['alt.csv', 'add.csv', 'sdn_comments.csv'].map((name) => [name, fixture(name)]));

const readXml = (text: string) => readBytes(ofacSdnSpec, { 'whatever.dat': text });
const readCsv = (text: string, neighbours: Readonly<Record<string, string>> = beside) =>
  readBytes(ofacSdnSpec, { 'whatever.dat': text, ...neighbours });
const keysOf = (entries: readonly { readonly id: string; readonly keys: readonly string[] }[]) =>
  entries.map(({ id, keys }) => [id, ...keys]);
/** The remarks of the csv repeat ids that the xml has apart. */
const withoutDetails = (entries: readonly { readonly record: SanctionsEntry }[]) =>
  entries.map(({ record: { details: _, ...record }, ...rest }) => ({ ...rest, record }));
const KEYS = [['101', 'CO:900964705'], ['102', 'BR:11222333', 'BR:12ABC345'], ['103', 'MX:INV980417S51'], ['104'], ['105']];

describe('the SDN list as xml', () => {
  it('yields each party under the tax ids that may be a company’s', async () => {
    const { entries, version } = await readXml(xml);
    expect(version).toEqual({ publishedOn: '2026-09-23', rowsRead: 5, rowsSkipped: 0, rowsUnmatched: 0 });
    expect(keysOf(entries)).toEqual(KEYS);
    expect(entries[0]?.record).toEqual({
      uid: '101',
      kind: 'entity',
      name: 'COMERCIAL INVENTADA  S.A.S.',
      aliases: [
        { name: 'INVENTADA & CIA', type: 'a.k.a.', weak: false },
        { name: 'INV', type: 'f.k.a.', weak: true },
      ],
      programs: ['SDNTK', 'ILLICIT-DRUGS-EO14059'],
      countries: ['Colombia', 'Panama'],
      nationalities: [],
      datesOfBirth: [],
      taxIds: [{ type: 'NIT #', value: '900964705-5', country: 'CO', key: 'CO:900964705' }],
      reference: null,
      details: expect.any(Object),
    });
  });

  it('keeps no personal id of a person, but the id of a company printed there', async () => {
    const person = (await readXml(xml)).entries[2];
    expect(person?.record).toMatchObject({ kind: 'individual', name: 'LIMA PRADO, Ana Inventada', aliases: [{ name: 'LIMA, Anita' }] });
    expect(person?.record).toMatchObject({ nationalities: ['Colombia'], datesOfBirth: ['01 Jan 1980'] });
    expect(person?.record.taxIds).toEqual([{ type: 'R.F.C.', value: 'INV-980417-S51', country: 'MX', key: 'MX:INV980417S51' }]);
    expect(JSON.stringify(person)).not.toMatch(/6068015|LIPA/);
  });

  it.each([
    { name: 'the namespace of before 2024', text: xml.replace(/xmlns="[^"]*"/, 'xmlns="http://tempuri.org/sdnList.xsd"') },
    { name: 'no namespace', text: xml.replace(/ xmlns="[^"]*"/, '') },
    { name: 'a prefix', text: xml.replace(/<(\/?)(?=\w)(?!\?)/g, '<$1s:').replace('xmlns=', 'xmlns:s=') },
    { name: 'no white space', text: xml.replace(/>\s+</g, '><') },
  ])('reads a document with $name alike', async ({ text }) => {
    expect(await readXml(text)).toEqual(await readXml(xml));
  });

  it('DB-06 counts no rows in a list without parties', async () => {
    const empty =
      '<sdnList><publshInformation><Publish_Date>09/23/2026</Publish_Date><Record_Count>0</Record_Count></publshInformation></sdnList>';
    expect((await readXml(empty)).version.rowsRead).toBe(0);
  });

  it.each([
    { name: 'an empty file', text: '' },
    { name: 'a maintenance page', text: '<!DOCTYPE html><html><body>Down</body></html>' },
    { name: 'another list', text: fixture('consolidated.xml') },
    { name: 'a document cut before its last tag', text: xml.replace('</sdnList>', '') },
    { name: 'a document cut in a party', text: xml.slice(0, xml.indexOf('OURO')) },
    {
      name: 'fewer parties than Record_Count',
      text: xml.replace(/<sdnEntry>(?:(?!<sdnEntry>)[\s\S])*INVENTADO(?:(?!<sdnEntry>)[\s\S])*<\/sdnEntry>/, ''),
    },
    { name: 'parties under another name', text: xml.replaceAll('sdnEntry', 'sdnParty') },
    { name: 'ids under another name', text: xml.replaceAll('idList', 'identifierList') },
    { name: 'id numbers under another name', text: xml.replaceAll('idNumber', 'number') },
    { name: 'an unknown type of party', text: xml.replace('Entity', 'Cooperative') },
    { name: 'a party without uid', text: xml.replace('<uid>101</uid>', '') },
    { name: 'a repeated uid', text: xml.replace('<uid>102</uid>', '<uid>101</uid>') },
  ])('DB-06 refuses $name', async ({ text }) => {
    await expect(readXml(text)).rejects.toThrow(ListFileError);
  });

  it('UP-03 a damaged document is refused or gives the same parties', async () => {
    const tags = [...new Set([...xml.matchAll(/<(\w+)/g)].map(([, tag = '']) => tag))];
    const deciding = tags.filter((tag) => /^(sdn|publsh|Record|uid|lastName|id[TN]|idList|id$|akaList)/.test(tag));
    const damaged = fc.oneof(
      fc.nat({ max: xml.trimEnd().length - 1 }).map((at) => xml.slice(0, at)),
      fc.constantFrom(...deciding).map((tag) => xml.replaceAll(new RegExp(`(</?)${tag}(?=[ >])`, 'g'), '$1renamed')),
      fc.constantFrom(...deciding).map((tag) => xml.replace(new RegExp(`<${tag}[ >]`), '')),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const outcome = await readXml(text).catch((error: unknown) => error);
        if (!(outcome instanceof ListFileError)) expect(outcome).toMatchObject({ entries: (await readXml(xml)).entries });
      }),
      { numRuns: 400 },
    );
  });
});

describe('the ids of the SDN list', () => {
  /** A list of 1,000 entities, of which 20 have an id of this type. */
  const list = (type: string, number = (i: number) => `9002000${String(i).padStart(2, '0')}`) => {
    const id = (i: number) =>
      i < 20
        ? `<idList><id><uid>${i}</uid><idType>${type}</idType><idNumber>${number(i)}</idNumber><idCountry>Colombia</idCountry></id></idList>`
        : '';
    const parties = Array.from(
      { length: 1_000 },
      (_, i) => `<sdnEntry><uid>${i + 1}</uid><lastName>P ${i}</lastName><sdnType>Entity</sdnType>${id(i)}</sdnEntry>`,
    );
    return `<sdnList>${parties.join('')}</sdnList>`;
  };

  it.each([
    { name: 'no ids', text: xml.replaceAll(/<idList>[\s\S]*?<\/idList>/g, '') },
    { name: 'ids without a type', text: list('') },
    { name: 'ids without a number', text: xml.replaceAll(/<idNumber>[^<]*<\/idNumber>/g, '<idNumber></idNumber>') },
    { name: 'ids of types that nobody knows', text: list('TIN') },
    { name: 'one known type less', text: list('NIT #') },
  ])('UP-03 must reach a floor on every load: $name', async ({ text }) => {
    await expect(readXml(text)).rejects.toThrow(ListFileError);
  });

  it('UP-03 must reach a floor in a csv too: without remarks there are no ids', async () => {
    const text = csv.replaceAll(/,(?:"[^"]*"|-0- )(\r?\n)/g, ',-0- $1');
    expect(text).not.toBe(csv);
    await expect(readCsv(text)).rejects.toThrow(ListFileError);
  });
});

describe('the SDN list as csv', () => {
  it('gives the same entries as the xml', async () => {
    const { entries, version } = await readCsv(csv);
    expect(withoutDetails(entries)).toEqual(withoutDetails((await readXml(xml)).entries));
    expect(version).toMatchObject({ rowsRead: 5, rowsSkipped: 0, rowsUnmatched: 0 });
  });

  it('is dated by Last-Modified: the file has no date', async () => {
    const list = { ...(await listFileOf({ 'sdn.csv': csv })), lastModified: '2026-09-24' };
    expect((await readWhole(ofacSdnSpec, list)).version.publishedOn).toBe('2026-09-24');
  });

  it('is read from a zip of its four files', async () => {
    const zip = await zipOf({
      'add.csv': `${beside['add.csv']}${' '.repeat(9000)}`,
      'SDN.CSV': csv,
      'ALT.CSV': beside['alt.csv'] ?? '',
      'sdn_comments.csv': beside['sdn_comments.csv'] ?? '',
    });
    const { entries } = await readBytes(ofacSdnSpec, { 'SDALL.ZIP': zip });
    expect(withoutDetails(entries)).toEqual(withoutDetails((await readXml(xml)).entries));
  });

  it('works without the files beside it; a number truncated in its remark is then not an id', async () => {
    const { entries } = await readCsv(csv, {});
    expect(keysOf(entries)).toEqual(KEYS.map((keys) => keys.filter((key) => key !== 'BR:12ABC345')));
    expect(entries[0]?.record).toMatchObject({ aliases: [{ name: 'INV', weak: true }], countries: [] });
  });

  it.each([
    { name: 'a maintenance page', text: '<!DOCTYPE html>\r\n<html></html>' },
    { name: 'a file of Ctrl-Z alone', text: '\u001A' },
    { name: 'a line of prose', text: 'Service unavailable, try again later' },
    { name: 'a missing column', text: csv.replaceAll(',-0- ,"SDN', ',"SDN') },
    { name: 'a row cut between cells', text: csv.slice(0, csv.lastIndexOf('-0- ') - 1) },
    { name: 'a row cut before its remarks', text: csv.slice(0, csv.lastIndexOf('"Vessel')) },
    { name: 'a row cut in its last null', text: csv.slice(0, csv.lastIndexOf('- ')) },
    { name: 'a row cut in a cell', text: csv.slice(0, csv.indexOf('FICTICIO')) },
    { name: 'a row without its number', text: csv.replace('102,', '"OURO",') },
    { name: 'an unknown type of party', text: csv.replace('"vessel"', '"ship"') },
    { name: 'a repeated number', text: csv.replace('102,', '101,') },
  ])('DB-06 refuses $name', async ({ text }) => {
    await expect(readCsv(text)).rejects.toThrow(ListFileError);
  });

  it('refuses damaged files beside it', async () => {
    await expect(readCsv(csv, { ...beside, 'alt.csv': '<html></html>' })).rejects.toThrow(ListFileError);
  });

  it('refuses a spreadsheet', async () => {
    const list = { ...(await listFileOf({ 'sdn.csv': csv })), format: 'xlsx' as const };
    await expect(readWhole(ofacSdnSpec, list)).rejects.toThrow(ListFileError);
  });

  it('UP-03 a truncated file is refused, unless it ends between parties', async () => {
    const between = (at: number) => csv[at - 1] === '\n' || csv.slice(at, -1).split('\n')[0]?.trim() === '';
    const whole = (await readCsv(csv)).entries;
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: csv.length }), async (at) => {
        const outcome = await readCsv(csv.slice(0, at)).catch((error: unknown) => error);
        if (outcome instanceof ListFileError) return;
        expect(between(at)).toBe(true);
        const { entries } = outcome as typeof outcome & { entries: unknown[] };
        expect(entries).toEqual(whole.slice(0, entries.length));
      }),
      { numRuns: 300 },
    );
  });
});

describe('the SDN list as published', () => {
  const companies = samplePath('sanctions/ofac-2023-12-28/sdn.csv');

  it('gives the same tax ids as xml and as csv', async () => {
    const asXml = await readPath(ofacSdnSpec, samplePath('sanctions/sdn-xml-layout.derived.xml'));
    const asCsv = await readPath(ofacSdnSpec, companies);
    const inXml = new Set(asXml.entries.map(({ id }) => id));
    const byId = (a: { readonly id: string }, b: { readonly id: string }) => Number(a.id) - Number(b.id);
    const both = asCsv.entries.filter(({ id }) => inXml.has(id)).sort(byId);
    expect(asXml.version).toEqual({ publishedOn: '2023-12-28', rowsRead: 32, rowsSkipped: 0, rowsUnmatched: 0 });
    // The derived xml calls every weak alias a.k.a., and has no dates of birth, nationalities and details.
    const untyped = (entries: typeof both) =>
      entries.map(({ record: { datesOfBirth: _, nationalities: __, details: ___, ...record }, ...rest }) => ({
        ...rest,
        ...record,
        aliases: record.aliases.map(({ name, weak }) => [name, weak]),
      }));
    expect(untyped([...asXml.entries].sort(byId))).toEqual(untyped(both));
    expect(both.flatMap(({ keys }) => keys)).toEqual(
      expect.arrayContaining(['BR:35116112', 'CO:800076369', 'VE:J310205361', 'NI:J0310000005010']),
    );
  });

  it('holds 13,821 parties, with the NITs, CNPJs and RUCs counted in it', needsPublished('sanctions/ofac-2023-12-28'), async () => {
    const { entries, version } = await readPath(ofacSdnSpec, publishedPath('sanctions/ofac-2023-12-28/sdn.csv'));
    expect(version).toEqual({ publishedOn: null, rowsRead: 13_821, rowsSkipped: 0, rowsUnmatched: 2 });
    const people = entries.filter(({ record }) => record.kind === 'individual');
    const share = (field: 'datesOfBirth' | 'nationalities') =>
      people.filter(({ record }) => record[field].length > 0).length / people.length;
    expect([share('datesOfBirth') > 0.9, share('nationalities') > 0.4]).toEqual([true, true]);
    expect(entries.filter(({ record }) => record.kind !== 'individual' && record.datesOfBirth.length > 0)).toEqual([]);
    const keys = entries.filter(({ record }) => record.kind === 'entity').flatMap((entry) => entry.keys);
    const count = (country: string) => keys.filter((key) => key.startsWith(`${country}:`)).length;
    expect(['BR', 'CL', 'CO', 'PE', 'NI', 'DO', 'AR', 'UY'].map((country) => [country, count(country)])).toEqual([
      ['BR', 2],
      ['CL', 0],
      ['CO', 193],
      ['PE', 24],
      ['NI', 5],
      ['DO', 11],
      ['AR', 3],
      ['UY', 1],
    ]);
    expect(entries.find(({ id }) => id === '8734')?.keys).toEqual(['CO:890325040']);
    expect(JSON.stringify(entries.filter(({ record }) => record.kind === 'individual'))).not.toContain('238.624.338');
  });

  it('is read the same way in its version of 2021', needsPublished('sanctions/ofac-2021-07'), async () => {
    const text = (name: string) => gunzipSync(readFileSync(publishedPath(`sanctions/ofac-2021-07/${name}.gz`)));
    const neighbours = Object.fromEntries(['alt.csv', 'add.csv', 'sdn_comments.csv'].map((name) => [name, text(name)]));
    const { version } = await readBytes(ofacSdnSpec, { 'sdn.csv': text('sdn.csv'), ...neighbours });
    expect(version.rowsRead).toBe(8_976);
  });

  it('answers every labelled tax-id case', async () => {
    const names: Readonly<Record<string, string>> = {
      ...{ BR: 'Brazil', CL: 'Chile', CO: 'Colombia', DO: 'Dominican Republic' },
      ...{ MX: 'Mexico', PE: 'Peru', PY: 'Paraguay', VE: 'Venezuela' },
    };
    const cases = sampleText('sanctions/cases-sample.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { query: string; kind: string; country: string; entity_id: string | null })
      .filter(({ kind }) => kind === 'taxid');
    const { entries } = await readPath(ofacSdnSpec, companies);
    const found = cases.map(({ query, country }) => {
      const asked = listTaxId('Tax ID No.', query, names[country] ?? null)?.key ?? 'nothing';
      return entries.filter(({ keys }) => keys.includes(asked)).map(({ id }) => id);
    });
    expect(cases.length).toBeGreaterThan(10);
    cases.forEach(({ entity_id: expected }, i) => {
      if (expected === null) expect(found[i]).toEqual([]);
      else expect(found[i]).toContain(expected);
    });
  });
});
