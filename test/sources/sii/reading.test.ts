import { describe, expect, it } from 'vitest';
import { COMPANIES_HEADER } from '../../../sandbox/upstreams/sii.ts';
import { encode } from '../../../sandbox/upstreams/simulator.ts';
import { zipOf } from '../../support/files.ts';
import { ask, onDisk, rutOf, siiDb } from './support.ts';
import { companyCells, nomina, nominaOf, numbers } from './tables.ts';

const NUMBER = 76_000_000;
const { sii } = siiDb();

/** A copy that has read one nómina. */
async function having(text: string | Buffer) {
  const copy = sii();
  expect(await copy.sync({ files: await onDisk({ 'PUB_EMPRESAS_PJ_2024.txt': text }) })).toMatchObject({ outcome: 'loaded' });
  return copy;
}

describe('a row of the nómina', () => {
  it('is read into all stored fields of a company', async () => {
    const copy = await having(
      nomina([{ number: NUMBER, bracket: 13, workers: 980, start: '1993-01-01', end: '2024-03-31', endKind: 'TERMINO DE GIRO' }]),
    );
    expect(await ask(copy, NUMBER)).toEqual({
      rut: rutOf(NUMBER),
      name: 'EMPRESA 76000000 SPA',
      commercialYear: 2024,
      startedOn: '1993-01-01',
      firstRegisteredOn: '1993-01-01',
      endedOn: '2024-03-31',
      endKind: 'TERMINO DE GIRO',
      salesBracket: 13,
      workers: 980,
      activity: { code: '620200', description: 'CONSULTORIA DE INFORMATICA' },
      region: 'RM',
      regionName: 'Metropolitana de Santiago',
      commune: 'PROVIDENCIA',
      kind: 'SOCIEDAD POR ACCIONES',
    });
  });

  it('with blank workers leaves them unknown, which is not zero', async () => {
    const copy = await having(
      nomina([
        { number: NUMBER, workers: '' },
        { number: NUMBER + 1, workers: 0 },
      ]),
    );
    expect([(await ask(copy, NUMBER))?.workers, (await ask(copy, NUMBER + 1))?.workers]).toEqual([null, 0]);
  });

  it.each([
    { cells: { name: 'COMERCIAL "EL 5" \\N LTDA' }, says: { name: 'COMERCIAL "EL 5" \\N LTDA' } },
    { cells: { name: ' "SIN CERRAR ' }, says: { name: '"SIN CERRAR' } },
    { cells: { name: 'CON\u0007CAMPANA' }, says: { name: 'CON CAMPANA' } },
    { cells: { start: '', first: '' }, says: { startedOn: null, firstRegisteredOn: null } },
    { cells: { start: '2024-02-29' }, says: { startedOn: '2024-02-29' } },
    { cells: { endKind: 'RESTO DE OTRO AÑO' }, says: { endedOn: null, endKind: null } },
    { cells: { end: '9999-12-31', endKind: 'TERMINO DE GIRO' }, says: { endedOn: null, endKind: null } },
    { cells: { end: '31-12-9999' }, says: { endedOn: null, endKind: null } },
    { cells: { start: '9999-01-01' }, says: { startedOn: null } },
    { cells: { bracket: '' }, says: { salesBracket: null } },
    { cells: { activity: 'Sin Información' }, says: { activity: null } },
    { cells: { activity: 'CULTIVO DE TRIGO' }, says: { activity: { code: null, description: 'CULTIVO DE TRIGO' } } },
    { cells: { activity: '11101 - CULTIVO DE TRIGO' }, says: { activity: { code: '011101', description: 'CULTIVO DE TRIGO' } } },
    { cells: { activity: '1234567 NO ES CODIGO' }, says: { activity: { code: null, description: '1234567 NO ES CODIGO' } } },
    { cells: { activity: '620200 - ' }, says: { activity: { code: null, description: '620200 -' } } },
    { cells: { activity: '620200 CONSULTORIA' }, says: { activity: { code: null, description: '620200 CONSULTORIA' } } },
    { cells: { region: 'XVI REGION DE ÑUBLE' }, says: { region: 'NB', regionName: 'Ñuble' } },
    { cells: { region: 'VI REGION DEL LIBERTADOR' }, says: { region: 'LI' } },
    { cells: { region: 'Sin Información', commune: 'SIN INFORMACION' }, says: { region: null, regionName: null, commune: null } },
  ])('with $cells says $says', async ({ cells, says }) => {
    const copy = await having(nomina([{ number: NUMBER, ...cells }]));
    expect(await ask(copy, NUMBER)).toMatchObject(says);
  });

  it.each([
    { name: 'a start that is no date', cells: { start: '2023-02-29' }, says: { startedOn: null } },
    { name: 'a start in another form', cells: { start: '1/2/2023' }, says: { startedOn: null } },
    { name: 'a start of another length', cells: { start: '2023.02.01' }, says: { startedOn: null } },
    { name: 'words for workers', cells: { workers: 'MUCHOS' }, says: { workers: null } },
    { name: 'more workers than there are people', cells: { workers: '12345678901' }, says: { workers: null } },
    { name: 'a sales bracket that there is not', cells: { bracket: 14 }, says: { salesBracket: null } },
  ])('with $name leaves that out, once', async ({ cells, says }) => {
    const rows = numbers(3).map((number, i) => ({ number, ...(i === 0 && cells) }));
    const copy = await having(nomina(rows));
    expect(await ask(copy, NUMBER)).toMatchObject(says);
  });

  it('about a person, or with a wrong check digit, is left out and counted', async () => {
    const copy = await having(
      nomina([{ number: NUMBER }, { number: 12_345_678 }, { number: NUMBER + 1, dv: '0' }, { number: 76_543_210, dv: '3' }]),
    );
    expect([await ask(copy, 12_345_678), await ask(copy, NUMBER + 1)]).toEqual([undefined, undefined]);
    expect(await copy.status()).toMatchObject({ list: { entries: 2, rowsRead: 4 } });
  });

  it('that lacks a tab before its end of activities is left out, because its cells are not in their columns', async () => {
    const ended = companyCells({ number: NUMBER, end: '2021-05-06', first: '' });
    const open = companyCells({ number: NUMBER + 1 });
    const joined = (cells: readonly (string | number)[], at: number) => [
      ...cells.slice(0, at),
      `${cells[at]}${cells[at + 1]}`,
      ...cells.slice(at + 2),
    ];
    const rows = [joined(ended, 6), joined(open, 7), ...numbers(4, NUMBER + 2).map((number) => companyCells({ number }))];
    const copy = await having([COMPANIES_HEADER, ...rows].map((cells) => `${cells.join('\t')}\n`).join(''));
    expect([await ask(copy, NUMBER), await ask(copy, NUMBER + 1)]).toEqual([undefined, undefined]);
    expect(await copy.status()).toMatchObject({ list: { entries: 4, rowsRead: 6 } });
  });

  it('may write the check digit K small, and the number with left zeros', async () => {
    const [first = 0] = numbers(20).filter((number) => rutOf(number).endsWith('K'));
    const cells = companyCells({ number: first, dv: 'k' }).with(1, `0${first}`);
    const copy = await having(`${COMPANIES_HEADER.join('\t')}\n${cells.join('\t')}\n`);
    expect((await ask(copy, first))?.rut).toBe(`${first}K`);
  });
});

describe('a nómina', () => {
  it.each([
    { name: 'in Windows-1252 with CRLF', bytes: encode(nomina([{ number: NUMBER, name: 'ÑANDÚ “EL” – € SPA' }]), 'windows-1252') },
    { name: 'in UTF-8 with LF', bytes: Buffer.from(nomina([{ number: NUMBER, name: 'ÑANDÚ “EL” – € SPA' }], { end: '\n' })) },
    { name: 'in UTF-8 with a byte order mark', bytes: Buffer.from(`\uFEFF${nomina([{ number: NUMBER, name: 'ÑANDÚ “EL” – € SPA' }])}`) },
  ])('$name is decoded correctly', async ({ bytes }) => {
    expect((await ask(await having(bytes), NUMBER))?.name).toBe('ÑANDÚ “EL” – € SPA');
  });

  it('may cut its headers elsewhere, write them out, or order them otherwise', async () => {
    const order = COMPANIES_HEADER.map((_, i) => COMPANIES_HEADER.length - 1 - i);
    const cells = companyCells({ number: NUMBER, workers: 7, first: '2011-11-11' });
    for (const length of [16, 24, 200]) {
      const long = COMPANIES_HEADER.map((name) =>
        name
          .replace(/dependie$/, 'dependientes informados')
          .replace(/ de ac$/, ' de actividades')
          .replace(/vige$/, 'vigente'),
      );
      const header = order.map((place) => long[place]?.slice(0, length).toUpperCase());
      const copy = await having(`${header.join('\t')}\n${order.map((place) => cells[place]).join('\t')}\n`);
      expect(await ask(copy, NUMBER)).toMatchObject({ workers: 7, firstRegisteredOn: '2011-11-11', startedOn: '2015-06-01' });
    }
  });

  it('of many blocks is read to the last row', async () => {
    const copy = await having(nominaOf(5_000).slice(0, -2));
    expect(await ask(copy, NUMBER + 4_999)).toMatchObject({ name: `EMPRESA ${NUMBER + 4_999} SPA` });
    expect(await copy.status()).toMatchObject({ list: { entries: 5_000 } });
  });

  it('may lack the empty cells at the end of its rows, and have empty lines', async () => {
    const [header, ...rows] = nominaOf(3).split('\r\n');
    const copy = await having(`${header}\n${rows.map((row) => row.trimEnd()).join('\n\n')}\n\r\n`);
    expect(await copy.status()).toMatchObject({ list: { entries: 3, rowsRead: 3 } });
  });

  it('is found in a zip with other files', async () => {
    const zip = await zipOf({
      'LEAME.txt': 'Notas\n',
      'datos/PUB_EMPRESAS_PJ_2024.txt': nominaOf(2),
      '__MACOSX/._PUB_EMPRESAS_PJ_2024.txt': 'x',
      'logo.png': 'x',
    });
    expect(await ask(await having(zip), NUMBER + 1)).toBeDefined();
  });
});
