import { describe, expect, it } from 'vitest';
import type { TenderOrder } from '../../../src/modules/tenders/domain.ts';
import { noticeAt, noticePage, readPage, toIndexRow } from '../../../src/modules/tenders/sources/pncp/records.ts';
import { HttpFailure } from '../../../src/sources/http/failure.ts';

/** A procurement in the form of https://pncp.gov.br/api/consulta/swagger-ui/index.html. */
const procurement = {
  numeroControlePNCP: '83102277000152-1-000018/2026',
  anoCompra: 2026,
  sequencialCompra: 18,
  objetoCompra: 'MANUTENÇÃO',
  informacaoComplementar: null,
  situacaoCompraNome: 'Divulgada no PNCP',
  dataPublicacaoPncp: '2026-02-10T10:03:15',
  valorTotalEstimado: 0,
  orgaoEntidade: { cnpj: '83102277000152', razaoSocial: 'MUNICIPIO DE ITAJAI' },
};

function noticeUntil(dataEncerramentoProposta: string | null) {
  const text = JSON.stringify({ data: [{ ...procurement, dataEncerramentoProposta }], totalRegistros: 1, totalPaginas: 1 });
  const [notice] = readPage({ status: 200, text }, noticePage).records;
  if (!notice) throw new Error('the page has a record');
  return notice;
}

describe('a time of PNCP', () => {
  it.each([
    ['2026-03-01T12:00:00', '2026-03-01T12:00:00'],
    ['2026-03-01T12:00:00.000', '2026-03-01T12:00:00'],
    ['2026-03-01T12:00:00-03:00', '2026-03-01T12:00:00'],
    ['2026-03-01T12:00:00-0300', '2026-03-01T12:00:00'],
    ['2026-03-01T15:00:00Z', '2026-03-01T12:00:00'],
    ['2026-03-01T15:00:00.123Z', '2026-03-01T12:00:00'],
    ['2026-03-01T11:00:00-04:00', '2026-03-01T12:00:00'],
    ['2026-03-01T01:00:00Z', '2026-02-28T22:00:00'],
    ['2026-03-01T12:00', '2026-03-01T12:00:00'],
    ['2026-03-01T15:00Z', '2026-03-01T12:00:00'],
    ['2026-03-01 12:00:00', '2026-03-01T12:00:00'],
    ['2026-03-01 15:00:00+00', '2026-03-01T12:00:00'],
    ['2026-03-01t15:00:00.0000000z', '2026-03-01T12:00:00'],
    ['2026-03-01T12:00:00 (horário de Brasília)', '2026-03-01T12:00:00'],
  ])('is read in Brasília time, whatever its offset: %s', (given, closesAt) => {
    expect(noticeUntil(given).closesAt).toBe(closesAt);
  });

  it.each([
    ['2026-03-01', '2026-03-01T23:59:59'],
    ['', null],
    [null, null],
    ['0000-00-00', null],
    ['0000-00-00T00:00:00', null],
    ['0001-01-01T00:00:00', null],
    ['2026-02-30T12:00:00', null],
  ])('may be missing, a day, or impossible as a deadline: %j', (given, closesAt) => {
    const notice = noticeUntil(given);
    expect(notice.closesAt).toBe(closesAt);
    expect(noticeAt(notice, Date.UTC(2026, 2, 1, 15)).status).toBe('publicada');
  });

  it('is a failed source where it is another text', () => {
    expect(() => noticeUntil('amanhã')).toThrow(HttpFailure);
  });

  it('gives the day on which a contract ends', () => {
    const contract = {
      numeroControlePNCP: '1-1/2026',
      anoContrato: 2026,
      sequencialContrato: 1,
      objetoContrato: null,
      receita: false,
      tipoPessoa: 'PJ',
      niFornecedor: '11222333000181',
      orgaoEntidade: procurement.orgaoEntidade,
      valorGlobal: null,
      dataAssinatura: '2026-01-02T00:00:00',
    };
    const ends = ['T00:00:00', 'T23:59:59.999-03:00', 'T00:00:00.000Z', 'T00:00Z', ''].map((time) => `2026-03-01${time}`);
    for (const dataVigenciaFim of [...ends, '2026-03-02T01:00:00Z']) {
      const { order } = toIndexRow({ ...contract, dataVigenciaFim }) as { readonly order: TenderOrder };
      expect(order, dataVigenciaFim).toMatchObject({ date: '2026-01-02', status: '2026-03-01' });
    }
  });

  it('closes a call at the same moment, whatever its offset', () => {
    const noon = Date.UTC(2026, 2, 1, 15);
    for (const given of ['2026-03-01T12:00:00', '2026-03-01T12:00:00-03:00', '2026-03-01T15:00:00Z']) {
      const notice = noticeUntil(given);
      expect([noticeAt(notice, noon - 1_000).status, noticeAt(notice, noon).status], given).toEqual(['publicada', 'cerrada']);
    }
  });
});
