import { describe, expect, it } from 'vitest';
import { ListFileError } from '../../src/sources/registry/list-file.ts';
import { type Bytes, collect, listFileOf, wholeText, xlsxOf, zipOf } from '../support/files.ts';

const semicolons = { delimiter: ';' } as const;

describe('a workbook', () => {
  const rows = [
    ['ID', 'CNPJ', 'Inclusão', 'Multa', 'Nome'],
    [1, 12345678000195, new Date('2026-04-06'), 517662.9, 'São & Cia'],
    [2, null, new Date('2025-10-05'), 6000, ' Ñuñoa '],
  ];

  it('is read with dates as DD/MM/YYYY, numbers as plain digits and empty cells as empty text', async () => {
    const file = await listFileOf({ 'lista.xlsx': await xlsxOf(rows) });
    expect(file).toMatchObject({ format: 'xlsx', name: 'lista.xlsx' });
    expect(await collect(file.rows(semicolons))).toEqual([
      ['ID', 'CNPJ', 'Inclusão', 'Multa', 'Nome'],
      ['1', '12345678000195', '06/04/2026', '517662.9', 'São & Cia'],
      ['2', '', '05/10/2025', '6000', 'Ñuñoa'],
    ]);
  });

  it('is recognised by its content under any name, also inside a zip', async () => {
    const workbook = await xlsxOf(rows);
    const forms = [['lista.csv', workbook] as const, ['lista.zip', await zipOf({ 'lista.xlsx': workbook })] as const];
    for (const [name, bytes] of forms) {
      const file = await listFileOf({ [name]: bytes });
      expect(file.format).toBe('xlsx');
      expect(await collect(file.rows(semicolons))).toHaveLength(3);
    }
  });

  it('is refused when damaged, too large unpacked, or without a sheet', async () => {
    const workbook = await xlsxOf(rows);
    workbook.writeUInt8(workbook.readUInt8(900) ^ 0xff, 900);
    const huge = await zipOf({ '[Content_Types].xml': '<Types/>', 'xl/worksheets/sheet1.xml': Buffer.alloc(60 * 1024 ** 2, 0x20) });
    const hollow = await zipOf({ '[Content_Types].xml': '<Types/>' });
    for (const bytes of [workbook, huge, hollow]) {
      const file = await listFileOf({ 'lista.xlsx': bytes });
      await expect(collect(file.rows(semicolons))).rejects.toThrow(ListFileError);
    }
  });
});

describe('a zip', () => {
  it('yields its largest list, whatever other files it has', async () => {
    const zip = await zipOf({ 'LEIAME.txt': 'x'.repeat(500), 'add.csv': '1,2', 'sdn.csv': '1,2,3,4', '__MACOSX/big.csv': 'x'.repeat(999) });
    expect((await listFileOf({ 'a.zip': zip })).name).toBe('sdn.csv');
  });

  it('yields the preferred file when the list configures one', async () => {
    const zip = await zipOf({ 'ADD.CSV': '1,2,3,4,5,6,7,8,9', 'data/SDN.CSV': '1,2' });
    expect((await listFileOf({ 'a.zip': zip }, { members: ['sdn.xml', 'sdn.csv'] })).name).toBe('SDN.CSV');
  });

  it.each<[string, () => Promise<Bytes>]>([
    ['holds no list', () => zipOf({ 'a.pdf': '%PDF' })],
    ['is empty', () => zipOf({})],
    ['holds another zip', async () => zipOf({ 'a.csv': await zipOf({ 'b.csv': '1;2' }) })],
    ['is cut', async () => (await zipOf({ 'a.csv': '1;2\n'.repeat(1_000) })).subarray(0, 60)],
    ['is damaged inside', async () => damaged(await zipOf({ 'a.csv': Array.from({ length: 2_000 }, (_, i) => `${i};x\n`).join('') }))],
    ['claims less than it holds', async () => understated(await zipOf({ 'a.csv': '1;2\n'.repeat(1_000) }))],
    ['holds a page of HTML', () => zipOf({ 'a.csv': '<html></html>' })],
    ['is encrypted', async () => encrypted(await zipOf({ 'a.csv': '1;2' }))],
    ['unpacks to more than allowed', () => zipOf({ 'a.csv': Buffer.alloc(2 * 1024 ** 2, 0x31) })],
  ])('is refused when it %s', async (_name, make) => {
    await expect(listFileOf({ 'a.zip': await make() }, { maxBytes: 1024 ** 2 })).rejects.toThrow(ListFileError);
  });

  it('is refused before it is unpacked when it is a bomb', async () => {
    const zip = await zipOf({ 'a.csv': '1;2', 'b.pdf': Buffer.alloc(65 * 1024 ** 2) });
    await expect(listFileOf({ 'a.zip': zip })).rejects.toThrow('the zip unpacks to more than 200 times its size');
  });

  const encrypted = (zip: Buffer): Buffer => {
    const central = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    for (const flags of [6, central + 8]) zip.writeUInt8(zip.readUInt8(flags) | 1, flags);
    return zip;
  };
  const damaged = (zip: Buffer): Buffer => {
    zip.writeUInt8(zip.readUInt8(200) ^ 0x10, 200);
    return zip;
  };
  /** Rewrites the central directory to declare 10 bytes. */
  const understated = (zip: Buffer): Buffer => {
    zip.writeUInt32LE(10, zip.lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02])) + 24);
    return zip;
  };
});

describe('a companion', () => {
  it('comes from the same zip, by base name in any letter case', async () => {
    const file = await listFileOf({ 'a.zip': await zipOf({ 'x/SDN.CSV': '1,2,3,4', 'x/ALT.CSV': '1,alt' }) });
    const companion = await file.companion('alt.csv');
    expect(companion && (await wholeText(companion))).toBe('1,alt');
    expect(await file.companion('sdn_comments.csv')).toBeNull();
  });

  it('comes from the same folder without a zip, in the letter case of the list file or as configured', async () => {
    for (const name of ['ALT.CSV', 'alt.csv']) {
      const companion = await (await listFileOf({ 'SDN.CSV': '1,2', [name]: '1,alt' })).companion('alt.csv');
      expect(companion && (await wholeText(companion))).toBe('1,alt');
    }
  });

  it('is null when there is none, and fails when it is an HTML page', async () => {
    const file = await listFileOf({ 'sdn.csv': '1,2', 'alt.csv': '<html></html>' });
    expect(await file.companion('add.csv')).toBeNull();
    await expect(file.companion('alt.csv')).rejects.toThrow(ListFileError);
  });
});
