import { describe, expect, it } from 'vitest';
import { firm, worldBankFile } from '../../sandbox/upstreams/sanctions/world-bank.ts';
import { COMPANIES_HEADER } from '../../sandbox/upstreams/sii.ts';
import { multasSecopISpec } from '../../src/modules/debarment/sources/multas-secop-i.ts';
import { tcuInidoneosSpec } from '../../src/modules/debarment/sources/tcu-inidoneos.ts';
import { unConsolidatedSpec } from '../../src/modules/sanctions/sources/un-consolidated.ts';
import { worldBankSpec } from '../../src/modules/sanctions/sources/world-bank.ts';
import { tableOf } from '../../src/modules/screening/rest/result-table.ts';
import { readPortfolioFile } from '../../src/modules/screening/service/portfolio-file.ts';
import { csvFile, fileContent } from '../../src/modules/screening/service/result-file.ts';
import { createDns } from '../../src/sources/dns/client.ts';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { doubtfulCompanies } from '../../src/sources/sii/doubtful.ts';
import { LostRows, NO_END } from '../../src/sources/sii/lost-rows.ts';
import { readRegistryFiles } from '../../src/sources/sii/read.ts';
import { SeenCompanies } from '../../src/sources/sii/seen-companies.ts';
import { openTabFile, type Table } from '../../src/sources/sii/tab-file.ts';
import { dnsServer } from '../support/dns-server.ts';
import { type Bytes, listFileOf, xlsxOf, zipOf } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { expectShortTurns } from '../support/longest-turn.ts';
import { readWhole } from '../support/read-list.ts';
import { onDisk } from './sii/support.ts';
import { nomina, nominaOf, numbers } from './sii/tables.ts';

const FIVE_MB = 5_000_000;
const filled = (piece: string, beginning = '', bytes = FIVE_MB) => beginning + piece.repeat(Math.ceil(bytes / piece.length));

async function readRows(name: string, bytes: Bytes): Promise<void> {
  const file = await listFileOf({ [name]: bytes });
  for await (const _ of file.rows({ delimiter: ';' }));
}

const refusal = (error: unknown) => expect(error).toBeInstanceOf(ListFileError);

describe('a file of a list', () => {
  it.each([
    ['empty columns', filled(';', '', 50_000_000)],
    ['empty columns and quoted line breaks', filled(`"\n"${';'.repeat(100_000)}`, 'a;', 50_000_000)],
  ])('as csv of one row of 50 MB of %s is refused in short turns, by the code of a row that is too long', async (what, text) => {
    const tooLong = (error: unknown) => expect(error).toEqual(new ListFileError('row 1 is malformed: CSV_MAX_RECORD_SIZE'));
    const bytes = Buffer.from(text); // which takes longer than a turn may
    await expectShortTurns(`csv, one row of ${what}`, () => readRows('lista.csv', bytes).then(() => expect.fail('read'), tooLong), 50);
  });

  it.each([
    ['rows', filled('12345678000195;Empresa Fictícia;2026-01-01\n')],
    ['columns', filled('a;'.repeat(20_000))],
    ['empty columns', filled(`${';'.repeat(100_000)}\n`)],
    ['empty rows', filled('\n', 'a;b')],
    ['an open quote', filled('a;b\n', 'a;"')],
    ['quotes', filled('"";')],
    ['one cell', filled('a')],
  ])('as csv of %s is read in short turns', async (what, text) => {
    await expectShortTurns(`csv, ${what}`, () => readRows('lista.csv', text).catch(refusal));
  });

  it.each([
    ['records', `[${'{},'.repeat(300_000)}{}]`],
    ['numbers', `[${'1,'.repeat(500_000)}1]`],
    ['a deep nesting', '['.repeat(1_000_000)],
    ['one text', `["${'a'.repeat(1_000_000)}"]`],
  ])('as JSON of %s is read in short turns', async (what, text) => {
    const read = async () => readWhole(tcuInidoneosSpec, await listFileOf({ lista: text }));
    await expectShortTurns(`list in JSON, ${what}`, () => read().catch(refusal));
  });

  it.each([
    ['records', `{"response":{"ZPROCSUPP":[${Array(30_000).fill('{}').join()}]}}`],
    ['records in the list of fines', `[${Array(19_000).fill('{}').join()}]`],
    ['numbers', `[${'0,'.repeat(250_000)}0]`],
    ['one record', `[{"a":"${'a'.repeat(FIVE_MB)}"}]`],
    ['a deep nesting', '['.repeat(500_000)],
  ])('as JSON of %s is read object by object in short turns', async (what, text) => {
    for (const spec of [multasSecopISpec, worldBankSpec] as const) {
      const file = await listFileOf({ lista: text });
      await expectShortTurns(`list in JSON by objects, ${what}`, async () => {
        for await (const _ of spec.read(file));
      }).catch(refusal);
    }
  });

  const [supplier] = JSON.parse(worldBankFile([firm(1, 'FICTION SA', ['CO', 'Colombia'], '2027-01-09')], '2026-10-05')).response.ZPROCSUPP;
  const suppliers = (count: number, change: (i: number) => Readonly<Record<string, string>>) =>
    JSON.stringify({
      response: { ZPROCSUPP: Array.from({ length: count }, (_, i) => ({ ...supplier, SUPP_ID: `${i}`, ...change(i) })) },
    });
  it.each([
    ['as many records as the guard accepts', suppliers(3_000, (i) => ({ SUPP_NAME: `FICTION ${i} SA (formerly FICTION OBRAS ${i})*12` }))],
    ['long addresses', suppliers(500, () => ({ SUPP_ADDR: 'Á'.repeat(60_000) }))],
    ['names of many aliases', suppliers(300, () => ({ SUPP_NAME: 'FICTION a.k.a. '.repeat(4_000) }))],
    ['names of parentheses', suppliers(300, () => ({ SUPP_NAME: `FICTION ${'(a.k.a. )'.repeat(6_000)}` }))],
    ['empty records', `{"response":{"ZPROCSUPP":[${Array(9_999).fill('{}').join()}]}}`],
  ])('as the list of the World Bank with %s is read in turns of at most 50 ms', { timeout: 120_000 }, async (what, text) => {
    const file = await listFileOf({ SANCTIONED_FIRM: text });
    const read = async () => {
      for await (const _ of worldBankSpec.read(file));
    };
    await expectShortTurns(`World Bank, ${what}`, () => read().catch(refusal), 50);
  });

  const UN = '<?xml version="1.0"?><CONSOLIDATED_LIST dateGenerated="2026-11-20T00:00:00Z"><INDIVIDUALS><INDIVIDUAL>';
  it.each([
    ['nesting', filled('<a>', UN)],
    ['one text', filled('a', `${UN}<DATAID>`)],
    ['references', filled('&amp;', `${UN}<DATAID>`)],
    ['one attribute', filled('b', `${UN}<a b="`)],
    ['elements with many attributes', filled(`<a ${Array.from({ length: 100 }, (_, i) => `b${i}=""`).join(' ')}/>`, UN)],
    ['attributes', filled('', `${UN}<a ${Array.from({ length: 300_000 }, (_, i) => `b${i}=""`).join(' ')}>`, 0)],
    ['elements', filled('<FIRST_NAME>A</FIRST_NAME>', UN)],
    ['blanks', filled(' ', UN)],
  ])('as xml of %s is read in short turns', async (what, text) => {
    const read = async () => void (await readWhole(unConsolidatedSpec, await listFileOf({ 'lista.xml': text })));
    await expectShortTurns(`xml, ${what}`, () => read().catch(refusal));
  });

  it.each([
    ['rows', () => xlsxOf(Array.from({ length: 20_000 }, (_, i) => [i, `Empresa ${i}`, '12345678000195', null, 'São Paulo']))],
    ['one text', () => xlsxOf([['ID'], ['a'.repeat(100_000)]])],
  ])('as a workbook of %s is read in short turns', { timeout: 120_000 }, async (what, workbook) => {
    const bytes = await workbook();
    await expectShortTurns(`xlsx, ${what}`, () => readRows('lista.xlsx', bytes).catch(refusal));
  });

  it.each([
    ['files', async () => zipOf(Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`${i}.csv`, `${i};b`])))],
    ['blanks', async () => zipOf({ 'a.csv': Buffer.alloc(100 * 1024 ** 2, ' ') })],
  ])('as a zip of %s is read in short turns', { timeout: 120_000 }, async (what, zip) => {
    const bytes = await zip();
    await expectShortTurns(`zip, ${what}`, () => readRows('lista.zip', bytes).catch(refusal));
  });
});

describe('a table of the Chilean tax registry', () => {
  const HEADER = `${COMPANIES_HEADER.join('\t')}\n`;
  it.each([
    ['rows', nominaOf(30_000)],
    ['short rows', filled('1\t2\n', HEADER)],
    ['tabs', filled(`${'\t'.repeat(60_000)}\n`, HEADER)],
    ['empty rows', filled('\r\n', HEADER)],
    ['blanks', filled(`${' '.repeat(60_000)}\n`, HEADER)],
    ['control characters', nominaOf(20_000, { mark: '\u0007'.repeat(200) })],
    ['one cell', filled('a', HEADER)],
  ])('of %s is read in short turns', async (what, text) => {
    const read = await readerOf(text);
    await expectShortTurns(`nómina, ${what}`, () => read().catch(refusal));
  });

  it('of which 4,300 rows in a row lost a digit of their RUT is read in turns of at most 50 ms', async () => {
    const damaged = Array.from({ length: 4_300 }, (_, i) => ({ number: 7_600_000 + i * 7, dv: `${i % 10}` }));
    const read = await readerOf(nomina([...numbers(100).map((number) => ({ number })), ...damaged]));
    await expectShortTurns('nómina, rows that lost a digit of the RUT', () => read().catch(refusal), 50);
  });

  it('of which 200,000 companies are doubtful tells them in turns of at most 50 ms', async () => {
    const lost = { companies: new LostRows(), names: new LostRows() };
    for (const number of numbers(200_000)) lost.names.add(number, NO_END);
    const read = { seen: new SeenCompanies(), lost: lost as Record<Table, LostRows>, companies: 0 };
    await expectShortTurns('nómina, doubtful companies', async () => expect((await doubtfulCompanies(read, true)).size).toBe(200_000), 50);
  });

  /** Returns a function that reads a nómina as the only file of a publication. */
  async function readerOf(text: string): Promise<() => Promise<void>> {
    const [file = ''] = await onDisk({ 'PUB_EMPRESAS_PJ_2024.txt': text });
    return async () => {
      const companies = [await openTabFile(file, 'PUB_EMPRESAS_PJ_2024.txt')];
      const tables = { companies, names: [], activities: [], domiciles: [] };
      for await (const _ of readRegistryFiles({ tables, subtypes: new Map() }, 1, () => undefined));
    };
  }
});

describe('a portfolio', () => {
  const FOUR_MB = 4_000_000;
  it.each([
    ['commas', filled(',', '', FOUR_MB)],
    ['semicolons', filled(';', '', FOUR_MB)],
    ['tabs', filled('\t', 'a\tb\n', FOUR_MB)],
    ['quotes', filled('"', '', FOUR_MB)],
    ['empty cells in quotes', filled('"",', '', FOUR_MB)],
    ['a row of 100,000 columns in quotes', filled('"a",', '', 400_000)],
    ['a row of 100,000 columns within a quote', filled('a,', '"', 400_000)],
    ['an open quote', filled('a,b\n', '"', FOUR_MB)],
    ['quotes within cells', filled('a"b",c\n', '', FOUR_MB)],
    ['rows', filled('12.345.678/0001-95,BR\n', 'identifier,country\n', FOUR_MB)],
    ['rows of 100 columns', filled(`${','.repeat(99)}\n`, '', FOUR_MB)],
    ['a row of columns after a quote within a cell', filled(',', 'a"', FOUR_MB)],
    ['a row of columns and of line breaks in quotes', filled(`"\n"${','.repeat(98)}`, '', FOUR_MB)],
    ['a row of columns and carriage returns', filled(`${','.repeat(98)}\r`, 'a\n', FOUR_MB)],
    ['empty rows', filled('\n', 'identifier\n', FOUR_MB)],
    ['carriage returns', filled('\r', 'identifier\n', FOUR_MB)],
    ['blanks', filled(' ', '', FOUR_MB)],
    ['one cell', filled('1', '', FOUR_MB)],
  ])('of %s is read in short turns', async (what, text) => {
    await expectShortTurns(`portfolio, ${what}`, () =>
      readPortfolioFile(text, () => undefined).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'INVALID_INPUT', facts: { field: 'csv' } }),
      ),
    );
  });
});

it('a page of results with 99 own columns is written in turns of at most 50 ms', async () => {
  const ownColumns = Array.from({ length: 99 }, (_, i) => `column_${i}`);
  const company = { outcome: 'pending', country: 'BR', tax_id: '11222333000181', checked_at: null, reason: null };
  const rows = Array.from({ length: 500 }, (_, i) => ({ ...company, ordinal: i + 1, own_cells: ownColumns.map(() => 'Obras "do Norte"') }));
  const db = { raw: async () => ({ rows }) } as never;
  const content = fileContent(db, { id: 'x', keyId: 'x', ownColumns } as never);
  const write = async () => {
    for await (const _ of csvFile(tableOf(content, { rows: 'all', language: null }), { delimiter: 'comma', hasMark: false }));
  };
  await expectShortTurns('results as csv, own columns', write, 50);
});

describe('an answer of a name server', () => {
  const header = (records: number) => {
    const bytes = Buffer.alloc(10);
    bytes.writeUInt16BE(0x8180, 0);
    bytes.writeUInt16BE(1, 2);
    bytes.writeUInt16BE(records, 4);
    return bytes;
  };
  const question = Buffer.from('\x05sitio\x02cl\0\0\x10\0\x01', 'latin1');
  /** A name of 127 labels, which the other records point to. */
  const longName = Buffer.concat([...Array.from({ length: 120 }, () => Buffer.from('\x01a', 'latin1')), Buffer.from([0])]);

  it.each([
    ['long names', 2_900],
    ['as many long names as are read', 950],
  ])('of %s is read in short turns', async (what, count) => {
    const at = 12 + question.length;
    const fixed = Buffer.from('\0\x10\0\x01\0\0\0\x3c', 'latin1');
    const text = Buffer.from('\0\x02\x01a', 'latin1');
    const first = Buffer.concat([longName, fixed, text]);
    const others = Array.from({ length: count }, () => Buffer.concat([Buffer.from([0xc0 | (at >> 8), at & 0xff]), fixed, text]));
    const packet = Buffer.concat([header(count + 1), question, first, ...others]);
    const { address } = await dnsServer(({ via }) => (via === 'udp' ? { truncated: true } : packet));
    const dns = createDns({ servers: [address], rests: false, now: Date.now, log: memoryLog().log });
    await expectShortTurns(`dns, ${what}`, () => dns.txt('sitio.cl').catch(() => undefined));
  });

  it('of aliases is read in short turns', async () => {
    const answers = Array.from({ length: 990 }, (_, i) => ({
      type: 'CNAME' as const,
      name: i === 989 ? 'sitio.cl' : `a${i}.cl`,
      data: i === 0 ? 'end.cl' : `a${i - 1}.cl`,
    }));
    answers.reverse();
    answers.sort((a, b) => (a.name < b.name ? 1 : -1));
    const { address } = await dnsServer(({ via }) => (via === 'udp' ? { truncated: true } : { answers }));
    const dns = createDns({ servers: [address], rests: false, now: Date.now, log: memoryLog().log });
    await expectShortTurns('dns, aliases', () => dns.txt('sitio.cl').catch(() => undefined));
  });
});
