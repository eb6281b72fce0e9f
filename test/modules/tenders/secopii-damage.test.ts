import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractRow, contractsIn } from '../../../src/modules/tenders/sources/secopii/records.ts';
import { HttpFailure } from '../../../src/sources/http/failure.ts';
import { readRows } from '../../../src/sources/socrata/soda.ts';

const NIT = '9009647055';
const row = {
  id_contrato: 'CO1.PCCNTR.1',
  estado_contrato: 'En ejecución',
  documento_proveedor: '900964705',
  objeto_del_contrato: 'MANTENIMIENTO DE VÍAS',
  valor_del_contrato: '99999999',
  fecha_de_firma: '2022-12-27T17:12:41.000',
  urlproceso: { url: 'https://community.secop.gov.co/x' },
};
const whole = JSON.stringify([row]);
const contracts = (text: string, status = 200) =>
  contractsIn(readRows({ status, text }, contractRow), NIT).map(({ id_contrato }) => id_contrato);

const keys = fc.constantFrom(...Object.keys(row));
const damaged = fc.oneof(
  keys.map((key) => JSON.stringify([Object.fromEntries(Object.entries(row).filter(([name]) => name !== key))])),
  keys.map((key) => whole.replace(`"${key}"`, `"otro_${key}"`)),
  fc.tuple(keys, fc.constantFrom(null, 7, true, [], {}, 'x')).map(([key, value]) => JSON.stringify([{ ...row, [key]: value }])),
  fc.nat({ max: whole.length - 1 }).map((end) => whole.slice(0, end)),
  fc.constantFrom('<html>Mantenimiento</html>', '{}', 'null', '""', '{"rows":[]}'),
);

describe('a damaged answer of SECOP II', () => {
  it('UP-03 fails or has one contract, and is never empty', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        try {
          expect(contracts(text)).toHaveLength(1);
        } catch (error) {
          expect(error).toBeInstanceOf(HttpFailure);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('UP-03 fails with a date that is two dates in one text, which would be read with a part of the second one as its offset', () => {
    const doubled = row.fecha_de_firma.repeat(2);
    expect(() => contracts(JSON.stringify([{ ...row, fecha_de_firma: doubled }]))).toThrow(HttpFailure);
  });

  it('UP-03 fails with another status', () => {
    for (const status of [201, 202, 204, 206, 400, 401, 403, 404, 422]) expect(() => contracts('[]', status)).toThrow(HttpFailure);
  });
});
