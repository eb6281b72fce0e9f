import { describe, expect, it } from 'vitest';
import type { RuesRow } from '../../../src/sources/rues/row.ts';
import { BASE, companyOf, nitOf, readRowsOf } from './support.ts';

/* Registrations that are harder than those of the sample. The expected answers were computed by hand from the rules of the register. */

/** Columns that a row may lack. */
const ABSENT: Partial<RuesRow> = {
  codigo_camara: undefined,
  camara_comercio: undefined,
  matricula: undefined,
  codigo_categoria_matricula: undefined,
  fecha_matricula: undefined,
  ultimo_ano_renovado: undefined,
  fecha_actualizacion: undefined,
  codigo_organizacion_juridica: undefined,
  organizacion_juridica: undefined,
  cod_ciiu_act_econ_pri: undefined,
  representante_legal: undefined,
  clase_identificacion_rl: undefined,
};

describe('the answer about a company with several registrations', () => {
  it('that moved and has junk dates, a wrong charset and a card without a state is complete', () => {
    const moved: Partial<RuesRow> = {
      codigo_camara: '17',
      camara_comercio: 'IPIALES',
      matricula: '77',
      razon_social: 'CAFE DE LA MONTANA S.A.S.',
      estado_matricula: 'MATRICULA CANCELADA POR TRASLADO DE DOMICILIO',
      fecha_matricula: '20091103',
      fecha_cancelacion: '20180501',
      ultimo_ano_renovado: '2018',
    };
    const card: Partial<RuesRow> = {
      ...ABSENT,
      codigo_camara: '04',
      camara_comercio: 'BOGOTA',
      razon_social: 'CAFE MONTANA',
      codigo_categoria_matricula: '0',
      estado_matricula: 'NO ASIGNADO',
      fecha_matricula: '19000101',
      ultimo_ano_renovado: '2028',
    };
    const branch: Partial<RuesRow> = {
      codigo_camara: '27',
      camara_comercio: 'PEREIRA',
      matricula: '12',
      razon_social: 'CAFE DE LA MONTANA SUCURSAL PEREIRA',
      codigo_categoria_matricula: '2',
      estado_matricula: 'Cancelada.',
      fecha_matricula: '00000000',
      fecha_cancelacion: '20150231',
      ultimo_ano_renovado: ' 2014 ',
    };
    const current: Partial<RuesRow> = {
      codigo_camara: '08',
      camara_comercio: 'CALI',
      matricula: '500',
      razon_social: '  CAF脡 DE LA  MONTA脩A S.A.S. ',
      sigla: '-',
      estado_matricula: 'MATR脥CULA NUEVA, CONSTITUCI脫N  POR TRASLADO',
      fecha_matricula: '20180502',
      fecha_cancelacion: '20180501',
      ultimo_ano_renovado: '2025',
      fecha_actualizacion: '2025/03/30 08:00:00.000000000',
      organizacion_juridica: 'SOCIEDADES POR ACCIONES SIMPLIFICADAS SAS ',
      cod_ciiu_act_econ_pri: '5611',
      cod_ciiu_act_econ_sec: ' 5613',
      ciiu3: '5611',
      ciiu4: '0000',
    };
    for (const rows of [
      [moved, card, branch, current],
      [current, branch, card, moved],
    ])
      expect(readRowsOf(...rows)).toEqual({
        absence: null,
        record: {
          nit: nitOf(BASE),
          name: 'CAFÉ DE LA MONTAÑA S.A.S.',
          tradeName: null,
          state: 'MATRÍCULA NUEVA, CONSTITUCIÓN POR TRASLADO',
          status: 'active',
          isVerified: true,
          isBranch: false,
          foundedOn: '2009-11-03',
          endedOn: null,
          lastRenewedYear: 2025,
          notRenewedSince: 2025,
          renewalsMissed: 1,
          legalForm: 'SOCIEDADES POR ACCIONES SIMPLIFICADAS SAS',
          activities: ['5611', '5613'],
          chamber: 'CALI',
          representative: { name: 'PEREZ INVENTADO ANA', isCompany: false },
          registrations: [
            registration('CALI', '500', 'MATRÍCULA NUEVA, CONSTITUCIÓN POR TRASLADO', 'main', ['2018-05-02', 2025, '2018-05-01'], true),
            registration('PEREIRA', '12', 'Cancelada.', 'branch', [null, 2014, null]),
            registration('IPIALES', '77', 'MATRICULA CANCELADA POR TRASLADO DE DOMICILIO', 'main', ['2009-11-03', 2018, '2018-05-01']),
            registration('BOGOTA', null, 'NO ASIGNADO', 'other', ['1900-01-01', null, null]),
          ],
        },
      });
  });

  const first = { estado_matricula: 'CANCELADA', ultimo_ano_renovado: '2012', fecha_matricula: '19950303', fecha_cancelacion: '20130115' };
  const byLaw = {
    estado_matricula: 'MATRÍCULA CANCELADA LEY 1429',
    ultimo_ano_renovado: '2012',
    fecha_actualizacion: '2026/09/02 00:00:00.0',
    fecha_matricula: '19950302',
    fecha_cancelacion: '20160704',
    razon_social: 'LA DE LA LEY LTDA',
  };

  it('cancelled twice is that of the row that was updated last, with the earliest start and the latest end', () => {
    expect(companyOf(first, byLaw)).toMatchObject({
      name: 'LA DE LA LEY LTDA',
      state: 'MATRÍCULA CANCELADA LEY 1429',
      status: 'inactive',
      isVerified: false,
      foundedOn: '1995-03-02',
      endedOn: '2016-07-04',
      lastRenewedYear: 2012,
      notRenewedSince: null,
      renewalsMissed: null,
    });
  });

  it('cancelled, and inactive but renewed later, has no end', () => {
    const inactive = { estado_matricula: 'INACTIVA', ultimo_ano_renovado: '2013', fecha_matricula: '19960101' };
    expect(companyOf(first, byLaw, inactive)).toMatchObject({ state: 'INACTIVA', endedOn: null, foundedOn: '1995-03-02' });
  });

  it('whose agency was renewed after its branch is that of the agency', () => {
    const foreign = { codigo_organizacion_juridica: '08', organizacion_juridica: 'SOCIEDADES EXTRANJERAS' };
    const branch = { ...foreign, codigo_categoria_matricula: '02', ultimo_ano_renovado: '2024' };
    const agency = { ...foreign, codigo_categoria_matricula: '3', ultimo_ano_renovado: '2026', matricula: '9', razon_social: 'LA AGENCIA' };
    expect(companyOf(branch, agency)).toMatchObject({ name: 'LA AGENCIA', isBranch: true, isVerified: true, status: 'active' });
  });
});

it('a row with a name and a state alone has no other field', () => {
  expect(readRowsOf({ ...ABSENT, razon_social: 'SOLA', estado_matricula: 'SIN ESTADO' }).record).toEqual({
    nit: nitOf(BASE),
    name: 'SOLA',
    tradeName: null,
    state: 'SIN ESTADO',
    status: 'inactive',
    isVerified: false,
    isBranch: false,
    foundedOn: null,
    endedOn: null,
    lastRenewedYear: null,
    notRenewedSince: null,
    renewalsMissed: null,
    legalForm: null,
    activities: [],
    chamber: null,
    representative: null,
    registrations: [registration(null, null, 'SIN ESTADO', 'other', [null, null, null], true)],
  });
});

describe('a text whose UTF-8 was read as Latin-1', () => {
  it('is repaired in names, states and chambers', () => {
    expect(
      companyOf({
        razon_social: 'Compañía del Café S.A.S.'.replaceAll('ñ', 'Ã±').replaceAll('í', 'Ã\u00ad').replaceAll('é', 'Ã©'),
        estado_matricula: 'MATRÃ\u008dCULA CANCELADA POR FUSIÃ“N',
        camara_comercio: 'OCAÃ‘A',
      }),
    ).toMatchObject({
      name: 'Compañía del Café S.A.S.',
      state: 'MATRÍCULA CANCELADA POR FUSIÓN',
      status: 'inactive',
      chamber: 'OCAÑA',
    });
  });

  it.each(['EDIFICIO Nº 5', 'IRMÃ DULCE LTDA', 'SÃO PAULO SAS'])('is not seen in %s', (name) => {
    expect(companyOf({ razon_social: name })).toMatchObject({ name });
  });
});

it.each([
  ['20261007', '2026-10-07'],
  ['20261008', null],
  ['20230229', null],
  ['20240229', '2024-02-29'],
  ['18491231', null],
  ['18500101', '1850-01-01'],
  [' 20201118 ', '2020-11-18'],
  ['2020-11-18', null],
  ['2020111', null],
  ['99991231', null],
  ['', null],
])('the date %j of a registration is %s', (fecha_matricula, foundedOn) => {
  expect(companyOf({ fecha_matricula })).toMatchObject({ foundedOn });
});

/** A registration as it is answered. @param dates registered on, last renewed year, cancelled on */
function registration(
  chamber: string | null,
  number: string | null,
  state: string,
  category: string,
  [registeredOn, lastRenewedYear, cancelledOn]: readonly [string | null, number | null, string | null],
  isChosen = false,
) {
  return { chamber, number, state, category, registeredOn, lastRenewedYear, cancelledOn, isChosen };
}
