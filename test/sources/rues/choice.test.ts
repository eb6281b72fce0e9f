import { describe, expect, it } from 'vitest';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import type { RuesRow } from '../../../src/sources/rues/row.ts';
import { companyOf, readRowsOf } from './support.ts';

const BRANCH = { codigo_categoria_matricula: '02' };
const AGENCY = { codigo_categoria_matricula: '03' };
const OTHER = { codigo_categoria_matricula: '00' };
const CANCELLED = { estado_matricula: 'CANCELADA' };
const MOVED = { estado_matricula: 'MATRÍCULA CANCELADA POR TRASLADO DE DOMICILIO' };
const UNASSIGNED = { estado_matricula: 'NO ASIGNADO' };
const UNREGISTERED = { estado_matricula: 'NO MATRICULADO' };

/** The three registrations of a real company, as the register printed them. */
const THREE: readonly Partial<RuesRow>[] = [
  {
    camara_comercio: 'BARRANQUILLA',
    razon_social: '3M COLOMBIA S.A.',
    ...CANCELLED,
    ...OTHER,
    ultimo_ano_renovado: '2011',
    fecha_actualizacion: '2020/06/10',
  },
  {
    camara_comercio: 'CALI',
    razon_social: '3M COLOMBIA S A',
    ...UNASSIGNED,
    ...OTHER,
    ultimo_ano_renovado: '1994',
    fecha_actualizacion: '1900/01/01',
  },
  { camara_comercio: 'BOGOTA', razon_social: 'EL NOMBRE ACTUAL S.A.', ultimo_ano_renovado: '2026', fecha_actualizacion: '2026/06/25' },
];

/** Names two rows and returns the name of the chosen one, whatever their order. */
function chosenOf(one: Partial<RuesRow>, other: Partial<RuesRow>): string {
  const rows = [
    { ...one, razon_social: 'PRIMERA' },
    { ...other, razon_social: 'SEGUNDA' },
  ];
  const [name, reversed] = [companyOf(...rows).name, companyOf(...rows.toReversed()).name];
  expect(name).toBe(reversed);
  return name;
}

describe('of several registrations of a company, the chosen one', () => {
  it('is the only active one of three chambers, which are all kept', () => {
    const company = companyOf(...THREE);
    expect(company).toMatchObject({
      name: 'EL NOMBRE ACTUAL S.A.',
      status: 'active',
      isVerified: true,
      chamber: 'BOGOTA',
      lastRenewedYear: 2026,
    });
    expect(company.registrations.map(({ chamber, isChosen }) => [chamber, isChosen])).toEqual([
      ['BOGOTA', true],
      ['BARRANQUILLA', false],
      ['CALI', false],
    ]);
  });

  it.each<[string, Partial<RuesRow>, Partial<RuesRow>]>([
    ['active before a newer cancelled one', { ultimo_ano_renovado: '2001' }, { ...CANCELLED }],
    ['active before an inactive one', {}, { estado_matricula: 'INACTIVA' }],
    ['cancelled before a moved one', { ...CANCELLED, ultimo_ano_renovado: '1990' }, { ...MOVED }],
    ['inactive before one without a state of the company', { estado_matricula: 'INACTIVA', ...BRANCH }, { ...UNASSIGNED }],
    ['moved before one without a state of the company', { ...MOVED, ...BRANCH }, { ...UNASSIGNED }],
    ['unassigned before one that is not registered', { ...UNASSIGNED, ...BRANCH }, { ...UNREGISTERED }],
    ['main before one of category 00', { ultimo_ano_renovado: '2020' }, { ...OTHER }],
    ['main before one without a category', { ultimo_ano_renovado: '2020' }, { codigo_categoria_matricula: undefined }],
    ['of category 00 before a branch', { ...OTHER, ultimo_ano_renovado: '2020' }, { ...BRANCH }],
    ['of category 00 before an agency', { ...OTHER, ultimo_ano_renovado: '2020' }, { ...AGENCY }],
    ['of category 00 before an establishment', { ...OTHER, ultimo_ano_renovado: '2020' }, { codigo_categoria_matricula: '04' }],
    ['of category 00 before one of an unknown category', { ...OTHER, ultimo_ano_renovado: '2020' }, { codigo_categoria_matricula: '7' }],
    [
      'without a category before one of an unknown category',
      { codigo_categoria_matricula: undefined, codigo_camara: '03' },
      { codigo_categoria_matricula: '0' },
    ],
    [
      'cancelled of category 00 before one of an unknown category',
      { ...CANCELLED, ...OTHER },
      { ...CANCELLED, codigo_categoria_matricula: '7', ultimo_ano_renovado: '2026' },
    ],
    ['renewed last', { fecha_actualizacion: '2020/01/01 00:00:00' }, { ultimo_ano_renovado: '2025' }],
    ['renewed in a possible year', { ultimo_ano_renovado: '2019' }, { ultimo_ano_renovado: '9999' }],
    ['renewed ahead for next year', { ultimo_ano_renovado: '2027' }, {}],
    ['updated last', { fecha_actualizacion: '2026/09/01 00:00:00.0' }, { fecha_matricula: '20250101' }],
    ['updated at a possible time', { fecha_actualizacion: '2020/09/01 00:00:00.0' }, { fecha_actualizacion: '9999/01/01 00:00:00.0' }],
    ['registered last', { fecha_matricula: '20250101' }, { codigo_camara: '03' }],
    ['of the chamber with the lowest code', { codigo_camara: '03' }, { codigo_camara: '21' }],
    ['of the lowest number, so that the answer is stable', { matricula: '100' }, { matricula: '101' }],
  ])('is the one %s', (_, chosen, other) => {
    expect(chosenOf(chosen, other)).toBe('PRIMERA');
  });

  it('has a name', () => {
    expect(companyOf({ razon_social: ' ', ...CANCELLED }, { razon_social: 'CON NOMBRE', ...CANCELLED })).toMatchObject({
      name: 'CON NOMBRE',
    });
  });

  it('is not known if the active one has no name, or no row has one', () => {
    expect(() => readRowsOf({ razon_social: null }, CANCELLED)).toThrow(HttpFailure);
    expect(() => readRowsOf({ razon_social: null, ...CANCELLED }, { razon_social: '-' })).toThrow(HttpFailure);
  });
});

describe('the first year of a company', () => {
  it.each<[string, readonly Partial<RuesRow>[], string | null]>([
    ['the earliest of all registrations', [{ fecha_matricula: '20160212' }, { fecha_matricula: '19990101', ...CANCELLED }], '1999-01-01'],
    [
      'that of the registration before it moved',
      [{ fecha_matricula: '20160212' }, { fecha_matricula: '20070904', ...MOVED }],
      '2007-09-04',
    ],
    ['not that of a card without a state', [{ fecha_matricula: '20160212' }, { fecha_matricula: '19500101', ...UNASSIGNED }], '2016-02-12'],
    ['that of such a card if there is nothing else', [{ fecha_matricula: '19840219', ...UNASSIGNED }], '1984-02-19'],
    ['unknown if no date is possible', [{ fecha_matricula: '00000000' }, { fecha_matricula: '99999999', ...CANCELLED }], null],
  ])('is %s', (_, rows, foundedOn) => {
    expect(companyOf(...rows)).toMatchObject({ foundedOn });
  });
});

describe('the end of a company', () => {
  it.each<[string, readonly Partial<RuesRow>[], string | null]>([
    [
      'the last cancellation',
      [
        { ...CANCELLED, fecha_cancelacion: '20100101' },
        { ...CANCELLED, ...OTHER, fecha_cancelacion: '20130612' },
      ],
      '2013-06-12',
    ],
    ['none while a registration is active', [{ fecha_cancelacion: '20120101' }, { ...CANCELLED, fecha_cancelacion: '20130612' }], null],
    [
      'not the cancellation by a move',
      [
        { ...CANCELLED, fecha_cancelacion: '20100101' },
        { ...MOVED, fecha_cancelacion: '20160210' },
      ],
      '2010-01-01',
    ],
    ['none for an inactive one', [{ estado_matricula: 'INACTIVA', fecha_cancelacion: '20100101' }], null],
    ['unknown if its date is impossible', [{ ...CANCELLED, fecha_cancelacion: '20130231' }], null],
  ])('is %s', (_, rows, endedOn) => {
    expect(companyOf(...rows)).toMatchObject({ endedOn });
  });
});

describe('a branch', () => {
  const FOREIGN = { codigo_organizacion_juridica: '08', organizacion_juridica: 'SOCIEDAD EXTRANJERA' };

  it.each<[string, readonly Partial<RuesRow>[], object]>([
    ['of a foreign company is active and verified', [{ ...BRANCH, ...FOREIGN }], { isBranch: true, isVerified: true }],
    ['beside a cancelled main registration is not verified', [BRANCH, CANCELLED], { isBranch: true, isVerified: false }],
    ['beside a main registration that moved away is not verified', [BRANCH, MOVED], { isBranch: true, isVerified: false }],
    ['without a main registration is not verified', [BRANCH], { isBranch: true, isVerified: false }],
    ['that is an agency is a branch, too', [AGENCY, CANCELLED], { isBranch: true, isVerified: false }],
    ['beside an active main registration is not chosen', [BRANCH, {}], { isBranch: false, isVerified: true }],
    ['of a foreign company that was cancelled before is not verified', [{ ...BRANCH, ...FOREIGN }, CANCELLED], { isVerified: false }],
  ])('%s', (_, rows, expected) => {
    expect(companyOf(...rows)).toMatchObject({ status: 'active', ...expected });
  });

  it.each<[string, Partial<RuesRow>]>([
    ['without a name', { ...CANCELLED, razon_social: null }],
    ['without a state', { estado_matricula: undefined, codigo_estado_matricula: '03' }],
    ['with the number of another company, too', { ...CANCELLED, numero_identificacion: '800123456' }],
  ])('UP-03 of a foreign company beside a cancelled registration %s is not verified', (_, damaged) => {
    expect(companyOf({ ...BRANCH, ...FOREIGN }, damaged)).toMatchObject({ status: 'active', isVerified: false });
  });

  it.each<[string, Partial<RuesRow>]>([
    ['without a name', { razon_social: null }],
    ['without a state', { estado_matricula: undefined, codigo_estado_matricula: '01' }],
    ['with the number of another company, too', { numero_identificacion: '800123456' }],
  ])('UP-03 beside an active main registration %s is a failure', (_, damaged) => {
    expect(() => readRowsOf(BRANCH, damaged)).toThrow(HttpFailure);
  });
});

describe('a person', () => {
  it.each<[string, Partial<RuesRow>]>([
    ['by the code of the organisation', { codigo_organizacion_juridica: '01' }],
    ['by its text', { codigo_organizacion_juridica: undefined, organizacion_juridica: ' Persona Natural' }],
  ])('is not shown: %s', (_, person) => {
    expect(readRowsOf(person)).toEqual({ record: null, absence: 'not_in_register' });
    expect(companyOf(person, { razon_social: 'LA EMPRESA', ...CANCELLED })).toMatchObject({ name: 'LA EMPRESA', status: 'inactive' });
  });
});

it('a company with more than 200 registrations is a failure', () => {
  expect(() => readRowsOf(...Array.from({ length: 201 }, () => ({})))).toThrow(expect.objectContaining({ kind: 'too_many_rows' }));
});
