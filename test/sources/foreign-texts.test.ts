import { describe, expect, it } from 'vitest';
import { ceisSpec } from '../../src/modules/debarment/source.ts';
import { xmlRecords } from '../../src/modules/sanctions/sources/xml-records.ts';
import { readTxt } from '../../src/sources/dns/wire.ts';
import { readDocument } from '../../src/sources/domains/page-document.ts';
import { readPage } from '../../src/sources/domains/read-page.ts';
import { parseJson } from '../../src/sources/http/failure.ts';
import { CEIS_HEADER } from '../modules/monitor/ceis-file.ts';
import { listFileOf } from '../support/files.ts';
import { readBytes } from '../support/read-list.ts';

const LONG = 'x'.repeat(800_000);

describe('the texts of a JSON answer', () => {
  it('are storable at any depth, and other values stay', () => {
    const json = { a: 'A\0', list: ['\ud800', { b: 'B\u0001', long: LONG }], n: 1, none: null, yes: true };
    expect(parseJson(JSON.stringify(json))).toEqual({
      a: 'A',
      list: ['\ufffd', { b: 'B', long: LONG.slice(0, 10_000) }],
      n: 1,
      none: null,
      yes: true,
    });
    expect([parseJson('"A\\u0000"'), parseJson('null'), parseJson('[]')]).toEqual(['A', null, []]);
  });

  it('are read where values are nested deeper than a program can call itself', () => {
    expect(parseJson(`${'['.repeat(100_000)}"\\u0000A"${']'.repeat(100_000)}`)).toBeInstanceOf(Array);
  });
});

describe('the cells of a list', () => {
  it('are storable in a csv, also in UTF-16', async () => {
    const cells = ['CEIS', '1', 'J', '11222333000181', `ACME\0\u0001 LTDA${LONG}`, '1/2023', 'Suspensão', '10/01/2023', '', 'Prefeitura'];
    const csv = [CEIS_HEADER, cells].map((row) => row.map((cell) => `"${cell}"`).join(';')).join('\r\n');
    const { entries } = await readBytes(ceisSpec, { '20260930_CEIS.csv': Buffer.from(`\ufeff${csv}`, 'utf16le') });
    expect(entries[0]?.record.name).toBe(`ACME LTDA${LONG}`.slice(0, 9_998));
  });

  it('are storable in an xml', async () => {
    const file = await listFileOf({ 'list.xml': `<list><entry><name>ACME&#133; ${LONG}</name></entry></list>` });
    const names: string[] = [];
    for await (const { element } of xmlRecords(file, 'list', 1)) names.push(...element.children.map(({ text }) => text));
    expect(names.map(({ length }) => length)).toEqual([10_000]);
  });
});

describe('the texts of the web', () => {
  it('are storable in the lines, the title and the structured data of a page', () => {
    const ld = JSON.stringify({ '@type': 'Organization', name: 'ACME\0\ud800', taxID: '11222333000181' });
    const page = readDocument(`<title>A\0B</title><p>C\0\u0001D</p><script type="application/ld+json">${ld}</script>`);
    expect([page.title, page.lines]).toEqual(['AB', [{ text: 'CD', inFooter: false }]]);
    expect(readPage(page, 'https://example.com/', 'BR').sightings).toMatchObject([{ snippet: 'ACME\ufffd, taxID 11222333000181' }]);
  });

  it('are storable in a TXT record', () => {
    expect(readTxt({ name: 'example.com', type: 'TXT', data: [Buffer.from('a\0b')] })).toBe('ab');
  });

  it.each(['CPF 01234567890', 'Maria Inventada 012 345 678 90', 'CPF 1234567890', 'CPF ０１２.３４５.６７８-９０'])(
    'PR-01 show no CPF as the evidence of an owner: %s',
    (text) => {
      const { sightings } = readPage(readDocument(`<footer>${text} CNPJ 11.222.333/0001-81</footer>`), 'https://example.com/', 'BR');
      expect(sightings.map(({ snippet }) => snippet)).toEqual(['CNPJ 11.222.333/0001-81']);
    },
  );
});
