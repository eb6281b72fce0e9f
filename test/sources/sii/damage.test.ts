import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { zipOf } from '../../support/files.ts';
import { ask, publisher, siiDb } from './support.ts';
import { activities, domiciles, names, nomina, nominaOf, numbers } from './tables.ts';

const ROWS = 200;
const NUMBER = 76_000_000;
const { sii, leftovers } = siiDb();

const OLD = nominaOf(ROWS, { mark: 'VIEJA' });
const NEW = nominaOf(ROWS, { mark: 'NUEVA' });
const LIST = names(numbers(ROWS).map((number) => [number, 'X', '01-01-2015', '']));
const lines = (change: (line: string, i: number) => string): string => NEW.split('\r\n').map(change).join('\r\n');
const cells = (change: (cells: string[]) => string[]): string =>
  lines((line, i) => (i === 0 || line === '' ? line : change(line.split('\t')).join('\t')));
const zipped = async (text: string): Promise<Buffer> => zipOf({ 'PUB_EMPRESAS_PJ_2024.txt': text });

async function bent(change: (zip: Buffer) => Buffer): Promise<Buffer> {
  return change(await zipped(NEW));
}

/** A copy that answers with an old edition of companies and names, and the publisher that it comes from. */
async function loaded() {
  const files: Record<string, string | Buffer> = { 'e.txt': OLD, 'n.txt': LIST };
  const { at, publish } = await publisher(files);
  const copy = sii({ urls: { EMPRESAS: at('e.txt'), NOMBRES: at('n.txt') } });
  expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
  return { copy, publish };
}

const damaged: readonly (readonly [name: string, nomina: () => string | Buffer | Promise<Buffer>, reason: string])[] = [
  ['no bytes', () => '', 'not_a_list'],
  ['blank lines alone', () => '\r\n\r\n', 'not_a_list'],
  ['a header alone', () => nominaOf(0), 'not_a_list'],
  ['an HTML page', () => '<!doctype html><html><body>Sitio en mantención</body></html>', 'not_a_list'],
  ['another table', () => 'id;nombre\r\n1;otra\r\n', 'not_a_list'],
  ['the table of names in its place', () => LIST, 'not_a_list'],
  ['a column under another name', () => NEW.replace('\tDV\t', '\tDIGITO\t'), 'not_a_list'],
  ['a column twice', () => NEW.replace('\tProvincia\t', '\tComuna\t'), 'not_a_list'],
  ['another delimiter', () => NEW.replaceAll('\t', ';'), 'not_a_list'],
  ['its end cut off in the middle of a row', () => NEW.slice(0, -60), 'not_a_list'],
  ['its second half cut off', () => NEW.slice(0, NEW.indexOf('\r\n', NEW.length / 2) + 2), 'shrunk'],
  ['a tenth of its rows, and more, missing', () => nominaOf(ROWS * 0.89), 'shrunk'],
  ['rows of an older year', () => nominaOf(ROWS, { year: 2023 }), 'older'],
  ['rows without a year', () => lines((line, i) => (i > 0 ? `"${line}` : line)), 'not_a_list'],
  ['check digits that are wrong', () => cells((row) => row.with(2, row[2] === '0' ? '1' : '0')), 'not_a_list'],
  ['two cells exchanged', () => cells((row) => row.with(1, row[2] ?? '').with(2, row[1] ?? '')), 'not_a_list'],
  [
    'one end of activities that cannot be read',
    () => cells((row) => (row[1] === '76000005' ? row.with(7, '2021-05-?6') : row)),
    'not_a_list',
  ],
  ['dates in another form', () => cells((row) => row.with(6, '2015/06/01')), 'not_a_list'],
  ['people alone', () => nomina(numbers(ROWS, 10_000_000).map((number) => ({ number }))), 'empty'],
  ['a line without end', () => NEW.slice(0, 5_000) + 'A'.repeat(500_000), 'not_a_list'],
  ['no text', () => deflateRawSync(NEW), 'not_a_list'],
  ['a zip that is cut', () => bent((zip) => zip.subarray(0, -40)), 'not_a_list'],
  ['a zip with a wrong checksum', () => bent((zip) => zip.fill(0x55, 60, 64)), 'not_a_list'],
  ['a zip without a table', () => zipOf({ 'LEAME.txt': 'nada\n' }), 'not_a_list'],
  ['a zip of too many files', () => zipOf(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`${i}.txt`, NEW]))), 'not_a_list'],
  ['an empty zip', () => zipOf({}), 'not_a_list'],
  [
    'UTF-8 in one half and not in the other',
    () => Buffer.concat([Buffer.from(NEW.padEnd(300_000, 'ñ\r\n')), Buffer.from([0xd1, 0x41, 10])]),
    'not_a_list',
  ],
];

describe('DB-06 a nómina with', () => {
  it.each(damaged)('%s is refused; the old edition answers', async (_, content, reason) => {
    const { copy, publish } = await loaded();
    publish({ 'e.txt': await content() });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason });
    expect((await ask(copy, NUMBER))?.name).toBe('EMPRESA 76000000 VIEJA');
    expect(await copy.status()).toMatchObject({ lastError: reason, usable: true });
    expect(copy.lines.at(-1)).toMatchObject({ level: 40, list: 'sii', reason });
    expect(await leftovers()).toEqual([]);
  });
});

describe('DB-06 another table', () => {
  const beside = {
    NOMBRES: LIST,
    ACTIVIDADES: activities(numbers(30).map((n) => [n, '410010', 'CONSTRUCCION'])),
    DOMICILIOS: domiciles(numbers(30).map((n) => [n, 'S', '2020-01-01', 'ARICA', 'XV REGION'])),
  };

  it.each([
    ['NOMBRES', 'shrunk', names([[NUMBER, 'X', '', '']])],
    ['ACTIVIDADES', 'shrunk', activities([[NUMBER, '410010', 'CONSTRUCCION']])],
    ['DOMICILIOS', 'shrunk', domiciles([[NUMBER, 'S', '2020-01-01', 'ARICA', 'XV REGION']])],
    ['ACTIVIDADES', 'not_a_list', 'RUT\tDV\n'],
    ['ACTIVIDADES', 'not_a_list', beside.ACTIVIDADES.replaceAll('410010', 'CODIGO')],
    ['DOMICILIOS', 'not_a_list', beside.DOMICILIOS.replaceAll('2020', 'MMXX').replaceAll('XIII', 'NINGUNA')],
  ] as const)('%s: a damaged file is refused as %s', async (setting, reason, content) => {
    const { at, publish } = await publisher({ EMPRESAS: nomina(numbers(30).map((number) => ({ number, region: '' }))), ...beside });
    const urls = { EMPRESAS: at('EMPRESAS'), NOMBRES: at('NOMBRES'), ACTIVIDADES: at('ACTIVIDADES'), DOMICILIOS: at('DOMICILIOS') };
    const copy = sii({ urls });
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
    publish({ [setting]: content });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason });
    expect(await ask(copy, NUMBER)).toMatchObject({ region: 'AP' });
    expect(await leftovers()).toEqual([]);
  });
});

describe('an operator’s word', () => {
  it('loads what shrank, and nothing that is empty', async () => {
    const { copy, publish } = await loaded();
    publish({ 'e.txt': nominaOf(1, { mark: 'SOLA' }) });
    expect(await copy.sync()).toMatchObject({ outcome: 'refused', reason: 'shrunk' });
    expect(await copy.sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    expect((await ask(copy, NUMBER))?.name).toBe('EMPRESA 76000000 SOLA');
    publish({ 'e.txt': nomina([{ number: 1_000_000 }]), 'n.txt': names([[1_000_000, 'X', '', '']]) });
    expect(await copy.sync({ force: true })).toMatchObject({ outcome: 'refused', reason: 'empty' });
  });
});
