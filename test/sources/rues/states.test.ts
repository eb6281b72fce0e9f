import { describe, expect, it } from 'vitest';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import { companyOf, readRowsOf } from './support.ts';

const CANCELLED_ON = { fecha_cancelacion: '20190630' };

describe('a company whose only registration is', () => {
  it.each([
    ['ACTIVA', 'active', true, null],
    ['MATRÍCULA NUEVA, CONSTITUCIÓN POR TRASLADO', 'active', true, null],
    ['CANCELADA', 'inactive', false, '2019-06-30'],
    ['MATRÍCULA CANCELADA LEY 1429', 'inactive', false, '2019-06-30'],
    ['MATRÍCULA CANCELADA POR FUSIÓN', 'inactive', false, '2019-06-30'],
    ['MATRÍCULA CANCELADA POR RECONSTITUCIÓN.', 'inactive', false, '2019-06-30'],
    ['MATRÍCULA CANCELADA POR TRASLADO DE DOMICILIO', 'inactive', false, null],
    ['INACTIVA', 'inactive', false, null],
    ['MATRICULA INACTIVA POR PERDIDA DE CALIDAD DE COMERCIANTE', 'inactive', false, null],
    ['NO ASIGNADO', 'inactive', false, null],
    ['SIN ESTADO', 'inactive', false, null],
    ['NO COMPETENCIA DE LA CAMARA', 'inactive', false, null],
  ] as const)('%s is %s (verified: %s) and ended on %s', (state, status, isVerified, endedOn) => {
    expect(companyOf({ estado_matricula: state, ...CANCELLED_ON })).toMatchObject({ state, status, isVerified, endedOn });
  });

  it('NO MATRICULADO is not registered', () => {
    expect(readRowsOf({ estado_matricula: 'NO MATRICULADO' })).toEqual({ record: null, absence: 'not_registered' });
  });

  it.each(['EN REVISIÓN EXTRAORDINARIA', 'ACTIV', 'ACTIVA 2', '01', 'CANCELADA POR'])('%s is a failure', (state) => {
    expect(() => readRowsOf({ estado_matricula: state })).toThrow(HttpFailure);
  });

  it('in an unknown state fails although another registration is active', () => {
    expect(() => readRowsOf({}, { estado_matricula: 'EN REVISIÓN' })).toThrow(expect.objectContaining({ kind: 'unknown_state' }));
  });

  it('without a state, in every row, is a failure', () => {
    expect(() => readRowsOf({ estado_matricula: null }, { estado_matricula: ' - ' })).toThrow(HttpFailure);
  });

  it('without a state, beside one that has a state, is ignored', () => {
    expect(companyOf({ estado_matricula: undefined }, { estado_matricula: 'CANCELADA' })).toMatchObject({ status: 'inactive' });
  });

  it.each([undefined, null, '', ' '])(
    'UP-03 with the code of an active one and %j as its state, beside one that is not active, is a failure',
    (state) => {
      const lost = { estado_matricula: state, codigo_estado_matricula: '01' };
      for (const other of ['CANCELADA', 'NO ASIGNADO', 'NO MATRICULADO'])
        expect(() => readRowsOf(lost, { estado_matricula: other })).toThrow(expect.objectContaining({ kind: 'unknown_shape' }));
      expect(companyOf(lost, {})).toMatchObject({ status: 'active', isVerified: true });
    },
  );

  it('UP-03 with the code of a cancelled one and no state, beside NO MATRICULADO, is a failure and not an absence', () => {
    const lost = { estado_matricula: undefined, codigo_estado_matricula: '03' };
    expect(() => readRowsOf(lost, { estado_matricula: 'NO MATRICULADO' })).toThrow(HttpFailure);
    expect(() => readRowsOf({ razon_social: null, estado_matricula: 'CANCELADA' }, { estado_matricula: 'NO MATRICULADO' })).toThrow(
      HttpFailure,
    );
  });
});

describe('the words of a state', () => {
  it.each([
    ['without accents', 'MATRICULA CANCELADA POR FUSION', 'inactive'],
    ['in small letters', 'activa', 'active'],
    ['between blanks', '  ACTIVA  ', 'active'],
    ['with two blanks', 'MATRÍCULA  NUEVA,  CONSTITUCIÓN POR TRASLADO', 'active'],
    ['with decomposed accents', 'MATRI\u0301CULA NUEVA, CONSTITUCIO\u0301N POR TRASLADO', 'active'],
    ['with a dot', 'CANCELADA.', 'inactive'],
    ['without the dot', 'MATRÍCULA CANCELADA POR RECONSTITUCIÓN', 'inactive'],
    ['in a wrong charset', 'MATR脥CULA NUEVA, CONSTITUCI脫N POR TRASLADO', 'active'],
  ])('are understood %s', (_, state, status) => {
    expect(companyOf({ estado_matricula: state })).toMatchObject({ status });
  });

  it('decide over the code', () => {
    expect(companyOf({ codigo_estado_matricula: '01', estado_matricula: 'CANCELADA' })).toMatchObject({ status: 'inactive' });
  });

  it('are not quoted by the failure if they have digits', () => {
    expect(() => readRowsOf({ estado_matricula: '79123456' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('7912') }),
    );
  });
});
