import { describe, expect, it } from 'vitest';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import { readCompany } from '../../../src/sources/rues/choose.ts';
import { dayOf, yearOf } from '../../../src/sources/rues/row.ts';
import { stated, withoutChinese } from '../../../src/sources/rues/spelling.ts';
import { BASE, companyOf, NOW, readRowsOf, row } from './support.ts';

describe('a date of the register', () => {
  it.each([
    ['20201118', '2020-11-18'],
    [' 20201118 ', '2020-11-18'],
    ['18500101', '1850-01-01'],
    ['20261007', '2026-10-07'],
    ['18491231', null],
    ['20261008', null],
    ['99991231', null],
    ['99999999', null],
    ['00000000', null],
    ['20230229', null],
    ['20131341', null],
    ['2020-11-18', null],
    ['202011', null],
    ['0', null],
    ['', null],
    [undefined, null],
  ])('%s is read as %s', (text, date) => {
    expect(dayOf(text, NOW)).toBe(date);
  });

  it.each([
    ['2026', 2026],
    ['2027', 2027],
    ['2028', null],
    ['0', null],
    ['1849', null],
    ['', null],
    [null, null],
  ])('the year %s of a renewal is read as %s', (text, year) => {
    expect(yearOf(text, NOW)).toBe(year);
  });
});

describe('a renewal', () => {
  it.each([
    ['2026-10-05', '2026', null],
    ['2026-10-05', '2025', 2025],
    ['2026-04-01', '2025', 2025],
    ['2026-03-31', '2025', null],
    ['2026-03-31', '2024', 2024],
    ['2026-10-05', '0', null],
    ['2026-10-05', undefined, null],
  ])('at the date of the data %s, last in %s, is overdue since %s', (asOf, renewed, expected) => {
    const { record } = readCompany(BASE, [row({ ultimo_ano_renovado: renewed })], { now: NOW, asOf });
    expect(record).toMatchObject({ status: 'active', isVerified: true, notRenewedSince: expected });
  });

  it('is not overdue for a cancelled company', () => {
    expect(companyOf({ estado_matricula: 'CANCELADA', ultimo_ano_renovado: '2001' })).toMatchObject({
      notRenewedSince: null,
      lastRenewedYear: 2001,
    });
  });
});

describe('a text of the register', () => {
  it.each([...'á谩é茅í铆ó贸ú煤ñ帽ü眉Á脕É脡Í脥Ó脫Ú脷Ñ脩Ü脺°掳º潞ª陋'.matchAll(/(.)(.)/gu)].map(([, letter, char]) => [char, letter]))(
    'has %s for %s',
    (char, letter) => {
      expect(withoutChinese(`X${char}X`)).toBe(`X${letter}X`);
    },
  );

  it('has 聽 for a blank', () => {
    expect(stated('LA聽CASA')).toBe('LA CASA');
  });

  it.each([
    ['COMPA脩脥A NARI脩ENSE DE CAF茅 S.A.S.', 'COMPAÑÍA NARIÑENSE DE CAFé S.A.S.'],
    ['北京 COMPA脩IA', '北京 COMPA脩IA'],
    ['LETRA PERDIDA \ufffd', 'LETRA PERDIDA \ufffd'],
    ['  DOS   BLANCOS ', 'DOS BLANCOS'],
    ['-', null],
    [' ', null],
  ])('%s is read as %s', (text, expected) => {
    expect(stated(text)).toBe(expected);
  });
});

describe('the activities of a company', () => {
  it.each([
    [{ cod_ciiu_act_econ_pri: '6201', cod_ciiu_act_econ_sec: '6202', ciiu3: '5820', ciiu4: '6201' }, ['6201', '6202', '5820']],
    [{ cod_ciiu_act_econ_pri: 'R9200' }, ['R9200']],
    [{ cod_ciiu_act_econ_pri: 'F453001' }, ['F453001']],
    [{ cod_ciiu_act_econ_pri: '9999' }, ['9999']],
    [{ cod_ciiu_act_econ_pri: '0000', ciiu3: '6202' }, ['6202']],
    [{ cod_ciiu_act_econ_pri: '79123456' }, []],
    [{ cod_ciiu_act_econ_pri: undefined }, []],
  ])('are those of %o', (columns, activities) => {
    expect(companyOf(columns)).toMatchObject({ activities });
  });
});

describe('the legal representative', () => {
  it.each([
    ['PEREZ  INVENTADO  ANA', 'CEDULA DE CIUDADANIA', { name: 'PEREZ INVENTADO ANA', isCompany: false }],
    ['REPRESENTANTE IMAGINARIA', 'NIT', { name: 'REPRESENTANTE IMAGINARIA', isCompany: true }],
    ['REPRESENTANTE S.A.S.', undefined, { name: 'REPRESENTANTE S.A.S.', isCompany: true }],
    ['REPRESENTANTE SAS', undefined, { name: 'REPRESENTANTE SAS', isCompany: true }],
    ['REPRESENTANTE S.A.', undefined, { name: 'REPRESENTANTE S.A.', isCompany: true }],
    ['REPRESENTANTE LTDA', undefined, { name: 'REPRESENTANTE LTDA', isCompany: true }],
    ['REPRESENTANTE E.U.', undefined, { name: 'REPRESENTANTE E.U.', isCompany: true }],
    ['REPRESENTANTE S. EN C.', undefined, { name: 'REPRESENTANTE S. EN C.', isCompany: true }],
    ['ROSAS ELISA', undefined, { name: 'ROSAS ELISA', isCompany: false }],
    ['-', 'CEDULA DE CIUDADANIA', null],
    [undefined, undefined, null],
  ])('%s with the document %s is %o', (name, kind, representative) => {
    expect(companyOf({ representante_legal: name, clase_identificacion_rl: kind })).toMatchObject({ representative });
  });
});

describe('an identity card', () => {
  const withMarks = ["79'123.456", '79’123.456', '79´123´456', "1'023.456.789", '79-123-456', '79–123–456'];

  it.each(['79123456', '79.123.456', '1.023.456.789', '1023456789', '79 123 456', ...withMarks])('in a name is not shown: %s', (card) => {
    const company = companyOf({ razon_social: `PEREZ ANA ${card}`, sigla: `PA ${card}`, representante_legal: `PEREZ ${card} ANA` });
    expect(company).toMatchObject({ name: 'PEREZ ANA ***', tradeName: 'PA ***', representative: { name: 'PEREZ *** ANA' } });
  });

  it.each(["GRUPO 7'24 S.A.S.", 'PROMOCION 1990-2000', 'RUTA 45 - 100'])('is not seen in %s', (name) => {
    expect(companyOf({ razon_social: name }).name).toBe(name);
  });

  it('is not seen in the usual numbers of names', () => {
    expect(companyOf({ razon_social: 'INVERSIONES 20 DE JULIO 1810 Y 2000 S.A.S.' })).toMatchObject({
      name: 'INVERSIONES 20 DE JULIO 1810 Y 2000 S.A.S.',
    });
  });
});

it('a category is read with and without its left zero', () => {
  const categories = ['1', '01', '2', '03', '04', '00', undefined].map((code) => {
    const finding = readRowsOf({ codigo_categoria_matricula: code });
    return finding.record?.registrations[0]?.category;
  });
  expect(categories).toEqual(['main', 'main', 'branch', 'agency', 'establishment', 'other', 'other']);
});

it.each(['7', '0', '', ' ', '-', 'XX', '0?', 'constructor', null])(
  'UP-03 an active registration of the category %j fails, because it may be that of a branch',
  (code) => {
    const damaged = { codigo_categoria_matricula: code };
    expect(() => readRowsOf(damaged)).toThrow(expect.objectContaining({ kind: 'unknown_category' }));
    expect(() => readRowsOf(damaged, { estado_matricula: 'CANCELADA' })).toThrow(HttpFailure);
    const cancelled = readRowsOf({ ...damaged, estado_matricula: 'CANCELADA' }).record;
    expect(cancelled).toMatchObject({ status: 'inactive', registrations: [{ category: 'other' }] });
    expect(readRowsOf(damaged, {}).record).toMatchObject({ status: 'active', isVerified: true, isBranch: false });
  },
);
