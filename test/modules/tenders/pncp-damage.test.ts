import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractPage, isLegible, readPage, toIndexRow } from '../../../src/modules/tenders/sources/pncp/records.ts';
import { HttpFailure } from '../../../src/sources/http/failure.ts';

const record = {
  numeroControlePNCP: '83102277000152-2-000018/2025',
  anoContrato: 2025,
  sequencialContrato: 18,
  objetoContrato: 'MANUTENÇÃO',
  receita: false,
  tipoPessoa: 'PJ',
  niFornecedor: '11222333000181',
  orgaoEntidade: { cnpj: '83102277000152', razaoSocial: 'MUNICIPIO DE ITAJAI' },
  valorGlobal: 39000,
  dataAssinatura: '2025-03-11',
  dataVigenciaFim: '2026-03-10',
};
const page = (change: object = {}) => JSON.stringify({ data: [{ ...record, ...change }], totalRegistros: 1, totalPaginas: 1 });
const whole = page();
const read = (text: string, status = 200) => readPage({ status, text }, contractPage).records;

const keys = fc.constantFrom(...Object.keys(record));
const damaged = fc.oneof(
  keys.map((key) => page({ [key]: undefined })),
  fc
    .constantFrom(...Object.keys(record), 'data', 'totalRegistros', 'totalPaginas')
    .map((key) => whole.replace(`"${key}"`, `"outro_${key}"`)),
  fc.tuple(keys, fc.constantFrom(null, 7, [], {}, 'x')).map(([key, value]) => page({ [key]: value })),
  fc.nat({ max: whole.length - 1 }).map((end) => whole.slice(0, end)),
  fc.constantFrom('<html>Em manutenção</html>', '{}', '[]', 'null', '""', '{"data":null}', ''),
);

describe('a damaged page of PNCP', () => {
  it('UP-03 fails, is illegible, or has a contract of the same supplier, and is never empty', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        try {
          const [got] = read(text);
          if (got && isLegible(got)) expect(toIndexRow(got)).toMatchObject({ supplier: 'BR:11222333' });
          else expect(got).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(HttpFailure);
        }
      }),
      { numRuns: 400 },
    );
  });

  it('has the supplier whose number is one of JSON, so that its left zero is lost', () => {
    const [got] = read(page({ niFornecedor: 1_222_333_000_128 }));
    expect(got && toIndexRow(got)).toMatchObject({ supplier: 'BR:01222333', order: { supplierTaxId: '01222333000128' } });
  });

  it('UP-03 fails with another status and with a 204 that has a body', () => {
    for (const status of [201, 206, 400, 401, 403, 404, 422]) expect(() => read(page(), status)).toThrow(HttpFailure);
    expect(() => read('{}', 204)).toThrow(HttpFailure);
    expect(read('', 204)).toEqual([]);
  });
});
