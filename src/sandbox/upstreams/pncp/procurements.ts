import { BRASILIA_OFFSET_MS, DAY_MS, isoDate } from '../../../domain/time.ts';
import { pick } from '../pick.ts';
import { BUYERS, buyerJson, controlNumber } from './buyers.ts';
import type { PncpRecord } from './contracts.ts';

/** What is bought, and what is added to it. */
const SUBJECTS: readonly [readonly [string, string | null], ...(readonly [string, string | null])[]] = [
  ['Reforma da Unidade Básica de Saúde do bairro Arco-Íris', ''],
  ['AQUISIÇÃO DE MEDICAMENTOS PARA A FARMÁCIA MUNICIPAL', 'Registro de preços, conforme o edital'],
  ['Contratação de serviços de limpeza e conservação', null],
  ['Pavimentação asfáltica da Avenida Imaginária', 'Recursos de emenda parlamentar'],
  ['Licenciamento de software de gestão escolar', 'Inclui implantação e treinamento'],
  ['Aquisição de gêneros alimentícios da agricultura familiar', ''],
  ['Locação de geradores para eventos', null],
];

const MODALITIES: readonly [readonly [number, string], ...(readonly [number, string])[]] = [
  [6, 'Pregão - Eletrônico'],
  [8, 'Dispensa'],
  [6, 'Pregão - Eletrônico'],
  [4, 'Concorrência - Eletrônica'],
  [6, 'Pregão - Eletrônico'],
  [9, 'Inexigibilidade'],
  [5, 'Concorrência - Presencial'],
  [8, 'Dispensa'],
  [6, 'Pregão - Eletrônico'],
  [12, 'Credenciamento'],
  [7, 'Pregão - Presencial'],
  [1, 'Leilão - Eletrônico'],
];

const STATES: readonly [readonly [number, string], ...(readonly [number, string])[]] = [
  [1, 'Divulgada no PNCP'],
  [1, 'Divulgada no PNCP'],
  [2, 'Revogada'],
  [1, 'Divulgada no PNCP'],
  [3, 'Anulada'],
  [1, 'Divulgada no PNCP'],
  [4, 'Suspensa'],
];
const PROCUREMENTS = 200;
/** Published a day. */
const A_DAY = 5;

/** The calls of the made-up Brazil: in every state, not open yet, open and closed; `now` moves their dates. */
export const procurementRecords = (now: number): readonly (PncpRecord & { readonly modalidadeId: number })[] =>
  Array.from({ length: PROCUREMENTS }, (_, i) => procurementRecord(i, now));

function procurementRecord(i: number, now: number) {
  const buyer = pick(BUYERS, i);
  const [objetoCompra, informacaoComplementar] = pick(SUBJECTS, i);
  const [modalidadeId, modalidadeNome] = pick(MODALITIES, i);
  const [situacaoCompraId, situacaoCompraNome] = pick(STATES, i);
  const published = now + BRASILIA_OFFSET_MS - Math.floor(i / A_DAY) * DAY_MS;
  const year = new Date(published).getUTCFullYear();
  const stamp = `${isoDate(published)}T0${9 - (i % A_DAY)}:15:0${i % 10}`;
  return {
    ...buyerJson(buyer),
    numeroControlePNCP: controlNumber(buyer, 1, 2_000 - i, year),
    anoCompra: year,
    sequencialCompra: 2_000 - i,
    numeroCompra: String(2_000 - i),
    processo: `${2_000 - i}/${year}`,
    objetoCompra,
    informacaoComplementar,
    modalidadeId,
    modalidadeNome,
    modoDisputaId: 1,
    modoDisputaNome: 'Aberto',
    situacaoCompraId,
    situacaoCompraNome,
    tipoInstrumentoConvocatorioCodigo: 1,
    tipoInstrumentoConvocatorioNome: 'Edital',
    amparoLegal: { codigo: 2, nome: 'Lei 14.133/2021, Art. 28, II ', descricao: 'concorrência' },
    srp: i % 2 === 0,
    valorTotalEstimado: i % 4 === 0 ? 0 : Math.round((i + 1) * 98_765.43) / 100,
    valorTotalHomologado: null,
    dataAberturaProposta: modalidadeId === 9 ? null : `${isoDate(published + 2 * DAY_MS)}T08:00:00`,
    dataEncerramentoProposta: modalidadeId === 9 ? null : `${isoDate(published + 14 * DAY_MS)}T08:30:00`,
    dataInclusao: stamp,
    dataPublicacaoPncp: stamp,
    dataAtualizacao: stamp,
    dataAtualizacaoGlobal: stamp,
    linkSistemaOrigem: i % 3 === 0 ? '' : 'compras.lugarnenhum.example/edital',
    linkProcessoEletronico: null,
    justificativaPresencial: null,
    fontesOrcamentarias: [],
    usuarioNome: 'Sistema Inventado de Compras Ltda',
  };
}
