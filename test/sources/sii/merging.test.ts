import { describe, expect, it } from 'vitest';
import { zipOf } from '../../support/files.ts';
import { ask, onDisk, siiDb } from './support.ts';
import { activities, domiciles, names, nomina } from './tables.ts';

const NUMBER = 76_000_000;
const { sii, db } = siiDb();

/** A copy that has read these files. */
async function having(files: Readonly<Record<string, string | Buffer>>) {
  const copy = sii();
  expect(await copy.sync({ files: await onDisk(files) })).toMatchObject({ outcome: 'loaded' });
  return copy;
}

describe('several commercial years', () => {
  const y2022 = nomina([{ number: NUMBER, year: 2022, bracket: 3, start: '2001-05-05', first: '2000-01-01' }]);
  const y2023 = nomina([
    { number: NUMBER, year: 2023, bracket: 4, end: '2023-04-01', endKind: 'TERMINO DE GIRO' },
    { number: NUMBER + 1, year: 2023, bracket: 9 },
  ]);
  const y2024 = nomina([{ number: NUMBER, year: 2024, bracket: 5, start: '2020-02-02', first: '2020-02-02' }]);
  const expected = { commercialYear: 2024, salesBracket: 5, startedOn: '2001-05-05', firstRegisteredOn: '2000-01-01', endedOn: null };

  it('give the newest row, the earliest start, and no end that is over', async () => {
    const copy = await having({ 'PUB_EMPRESAS_PJ_2022.txt': y2022, 'PUB_EMPRESAS_PJ_2024.txt': y2024, 'PUB_EMPRESAS_PJ_2023.txt': y2023 });
    expect(await ask(copy, NUMBER)).toMatchObject(expected);
  });

  it('keep a company that the newest misses, as of its own year', async () => {
    const copy = await having({ 'PUB_EMPRESAS_PJ_2023.txt': y2023, 'PUB_EMPRESAS_PJ_2024.txt': y2024 });
    expect(await ask(copy, NUMBER + 1)).toMatchObject({ commercialYear: 2023, salesBracket: 9 });
  });

  it('may stand in one zip', async () => {
    const zip = await zipOf({ 'PUB_EMPRESAS_PJ_2022.txt': y2022, 'PUB_EMPRESAS_PJ_2023.txt': y2023, 'PUB_EMPRESAS_PJ_2024.txt': y2024 });
    expect(await ask(await having({ 'PUB_EMPRESAS_PJ_2022_A_2024.zip': zip }), NUMBER)).toMatchObject(expected);
  });

  it('may stand in one file, in any order', async () => {
    const [header, ...rows] = [y2022, y2024, y2023].join('').split('\r\n');
    const all = [header, ...rows.filter((row) => /^\d/.test(row))].join('\r\n');
    const copy = await having({ 'empresas.txt': `${all}\r\n` });
    expect(await ask(copy, NUMBER)).toMatchObject(expected);
    const upwards = await having({ 'a.txt': y2024, 'b.txt': y2023, 'c.txt': y2022 });
    expect(await ask(upwards, NUMBER)).toMatchObject(expected);
    const { rows: kept } = await db().knex.raw('SELECT count(*)::int AS count FROM sii_companies');
    expect(kept[0].count).toBe(2);
  });

  it('of one company twice in a year give the first of the rows', async () => {
    const copy = await having({
      'a.txt': nomina([
        { number: NUMBER, bracket: 7, start: '2019-01-01' },
        { number: NUMBER, bracket: 8, start: '2018-01-01' },
      ]),
    });
    expect(await ask(copy, NUMBER)).toMatchObject({ salesBracket: 7, startedOn: '2018-01-01' });
  });

  it('of one company twice in a year give its end whichever row has it, unless the other row starts after it', async () => {
    const open = { start: '2018-01-01' };
    const ended = { start: '2018-01-01', end: '2024-05-31', endKind: 'TERMINO DE GIRO' };
    const restarted = { start: '2024-09-01' };
    const pairs = [
      [open, ended],
      [ended, open],
      [restarted, ended],
      [ended, restarted],
      [ended, { ...ended, end: '2024-06-30' }],
    ];
    const copy = await having({
      'a.txt': nomina(pairs.flatMap((pair, i) => pair.map((one) => ({ number: NUMBER + i, ...one })))),
      'b.txt': nomina([
        { number: NUMBER + 2, year: 2023, ...ended },
        { number: NUMBER + 2, year: 2023, ...open },
      ]),
    });
    const ends = await Promise.all(pairs.map(async (_, i) => (await ask(copy, NUMBER + i))?.endedOn));
    expect(ends).toEqual(['2024-05-31', '2024-05-31', null, null, '2024-06-30']);
    expect(await ask(copy, NUMBER)).toMatchObject({ endKind: 'TERMINO DE GIRO' });
    expect(await ask(copy, NUMBER + 3)).toMatchObject({ endKind: null });
  });

  it('of one company twice in an older year do not end it', async () => {
    const rows = [
      { number: NUMBER, year: 2022 },
      { number: NUMBER, year: 2022, end: '2022-05-31', endKind: 'TERMINO DE GIRO' },
      { number: NUMBER, year: 2024 },
    ];
    expect(await ask(await having({ 'a.txt': nomina(rows) }), NUMBER)).toMatchObject({ commercialYear: 2024, endedOn: null });
  });
});

describe('the list of names', () => {
  const companies = nomina([
    { number: NUMBER, start: '2015-06-01' },
    { number: NUMBER + 1, end: '2024-03-31', endKind: 'TERMINO DE GIRO' },
    { number: NUMBER + 2, end: '2024-03-31', endKind: 'TERMINO DE GIRO' },
  ]);

  it('adds companies that are not in the nómina, with the subtype of their code', async () => {
    const list = names([
      [NUMBER + 9, 'RECIEN NACIDA SPA', '02-04-2026', ''],
      [NUMBER + 8, 'SIN MAS', '', '', '999'],
      [NUMBER + 9, 'OTRA VEZ', '', ''],
    ]);
    const copy = await having({ 'e.txt': companies, 'n.txt': list });
    expect(await ask(copy, NUMBER + 9)).toMatchObject({
      name: 'RECIEN NACIDA SPA',
      commercialYear: null,
      startedOn: '2026-04-02',
      endedOn: null,
      salesBracket: null,
      workers: null,
      activity: null,
      region: null,
      kind: 'SOCIEDAD POR ACCIONES',
    });
    expect(await ask(copy, NUMBER + 8)).toMatchObject({ startedOn: null, kind: null });
  });

  it('takes the names of subtypes from the catalogue beside it', async () => {
    const catalogue = Buffer.from(
      'COD_TIPO\tTIPO\tCOD_SUBTIPO\tSUBTIPO\r\n2\tOTRA\t999\tCAJA DE COMPENSACI\xD3N\r\nvac\xEDa\r\n',
      'latin1',
    );
    const zip = await zipOf({ 'PUB_NOMBRES_PJ.txt': names([[NUMBER + 9, 'CAJA', '', '', '999']]), 'CODIGO_TIPO_SUBTIPO.txt': catalogue });
    const copy = await having({ 'e.txt': companies, 'n.zip': zip });
    expect(await ask(copy, NUMBER + 9)).toMatchObject({ kind: 'CAJA DE COMPENSACIÓN' });
  });

  it('gives an earlier start, a later end, and a start after the end', async () => {
    const list = names([
      [NUMBER, 'X', '01-06-2003', '15-07-2026'],
      [NUMBER + 1, 'X', '01-06-2015', ''],
      [NUMBER + 2, 'X', '01-02-2025', ''],
    ]);
    const copy = await having({ 'e.txt': companies, 'n.txt': list });
    expect(await ask(copy, NUMBER)).toMatchObject({ startedOn: '2003-06-01', endedOn: '2026-07-15', endKind: null });
    expect(await ask(copy, NUMBER + 1)).toMatchObject({ endedOn: '2024-03-31', endKind: 'TERMINO DE GIRO' });
    expect(await ask(copy, NUMBER + 2)).toMatchObject({ endedOn: null, endKind: null, startedOn: '2015-06-01' });
  });
});

describe('activities and domiciles', () => {
  it('fill only gaps of the row', async () => {
    const companies = nomina([
      { number: NUMBER, activity: 'Sin Información', region: 'Sin Información', commune: 'Sin Información' },
      { number: NUMBER + 1, activity: 'CULTIVO DE TRIGO' },
      { number: NUMBER + 2 },
      { number: NUMBER + 3, region: 'Sin Información', commune: 'TALCA' },
    ]);
    const acts = activities([
      [NUMBER, '11101', 'CULTIVO DE TRIGO'],
      [NUMBER, '410010', 'CONSTRUCCION'],
      [NUMBER + 2, '410010', 'CONSTRUCCION'],
      [NUMBER + 3, '', ''],
      [NUMBER + 9, '410020', 'CONSTRUCCION MAYOR'],
    ]);
    const homes = domiciles([
      [NUMBER, 'N', '2025-01-01', 'TALCA', 'VII REGION DEL MAULE'],
      [NUMBER, 'S', '2019-01-01', 'TEMUCO', 'IX REGION DE LA ARAUCANIA'],
      [NUMBER, 'S', '2021-01-01', 'ARICA', 'XV REGION ARICA Y PARINACOTA'],
      [NUMBER + 2, 'S', '2021-01-01', 'ARICA', 'XV REGION ARICA Y PARINACOTA'],
      [NUMBER + 3, 'S', '2021-01-01', '', ''],
      [NUMBER + 9, 'S', '2021-01-01', 'ANGOL', 'IX REGION DE LA ARAUCANIA'],
    ]);
    const list = names([[NUMBER + 9, 'NUEVA', '01-01-2026', '']]);
    const copy = await having({ 'e.txt': companies, 'n.txt': list, 'a.txt': acts, 'PUB_NOM_DOMICILIO.txt': homes });
    const wheat = { code: '011101', description: 'CULTIVO DE TRIGO' };
    expect(await ask(copy, NUMBER)).toMatchObject({ activity: wheat, region: 'AP', commune: 'ARICA' });
    expect(await ask(copy, NUMBER + 1)).toMatchObject({ activity: wheat });
    expect(await ask(copy, NUMBER + 2)).toMatchObject({ activity: { code: '620200' }, region: 'RM', commune: 'PROVIDENCIA' });
    expect(await ask(copy, NUMBER + 3)).toMatchObject({ activity: { code: '620200' }, region: null, commune: 'TALCA' });
    expect(await ask(copy, NUMBER + 9)).toMatchObject({ activity: { code: '410020' }, region: 'AR', commune: 'ANGOL' });
  });

  it('do not include branches', async () => {
    const companies = nomina([{ number: NUMBER, region: '', commune: '' }]);
    const branch = domiciles([[NUMBER, 'S', '2021-01-01', 'ARICA', 'XV REGION ARICA Y PARINACOTA']]);
    const zip = await zipOf({ 'PUB_NOM_SUCURSAL.txt': branch, 'PUB_NOM_DOMICILIO.txt': domiciles([[NUMBER + 1, 'N', '', '', '']]) });
    expect(await ask(await having({ 'e.txt': companies, 'd.zip': zip }), NUMBER)).toMatchObject({ region: null, commune: null });
  });
});
