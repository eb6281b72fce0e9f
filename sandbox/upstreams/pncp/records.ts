import { BRASILIA_OFFSET_MS, DAY_MS, isoDate, MINUTE_MS } from '../../../src/domain/time.ts';
import { madeUpCpf, personName, type SandboxCompany } from '../../world/brazil/company.ts';
import { PLACES } from '../../world/brazil/tables.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { pick } from '../simulator.ts';

/** Fictional Brazilian public bodies that buy. */
export const BUYERS: readonly [SandboxCompany, ...SandboxCompany[]] = [
  companyByScenario('clean-town-hall'),
  companyByScenario('clean-public-company'),
  companyByScenario('clean-mixed-economy'),
];

/** The buyer's fields in every record of PNCP. */
export function buyerJson({ cnpj, name, place }: SandboxCompany) {
  const { uf, ibge } = PLACES[place];
  return {
    orgaoEntidade: { cnpj, razaoSocial: name, poderId: 'E', esferaId: 'M' },
    unidadeOrgao: {
      ufNome: uf,
      ufSigla: uf,
      codigoIbge: String(ibge),
      municipioNome: place,
      codigoUnidade: '1',
      nomeUnidade: `UNIDADE CENTRAL DE COMPRAS DE ${place}`,
    },
    orgaoSubRogado: null,
    unidadeSubRogada: null,
  };
}

/** Returns a control number such as `99010012000101-2-000018/2026`: buyer, kind (1 procurement, 2 contract), sequence, year. */
export const controlNumber = ({ cnpj }: SandboxCompany, kind: 1 | 2, sequence: number, year: number): string =>
  `${cnpj}-${kind}-${String(sequence).padStart(6, '0')}/${year}`;

/** A record of PNCP. Queries filter by `dataPublicacaoPncp`. */
export type PncpRecord = Readonly<Record<string, unknown>> & { readonly dataPublicacaoPncp: string };

const OBJECTS = [
  'PRESTAÇÃO DE SERVIÇOS DE MANUTENÇÃO PREDIAL, COM FORNECIMENTO DE MATERIAIS',
  'Aquisição de gêneros alimentícios para a merenda escolar',
  'FORNECIMENTO DE MEDICAMENTOS PARA A REDE MUNICIPAL DE SAÚDE',
  'Licenças de software de gestão pública, com suporte técnico',
  'Pavimentação asfáltica em trechos urbanos',
  'Locação de veículos com motorista',
] as const satisfies readonly [string, ...string[]];

/** Terms of contracts: ended, running, or not stated. */
const TERMS = ['running', 'over', 'running', 'over', 'unstated'] as const satisfies readonly [string, ...string[]];

interface Plan {
  /** Supplier: `PJ` a company, `PF` a person, `PE` a foreign supplier. */
  readonly supplier: { readonly kind: 'PJ' | 'PF' | 'PE'; readonly id: string; readonly name: string };
  readonly daysAgo: number;
  /** True for an income contract, in which the supplier pays. */
  readonly income?: boolean;
}

const sold = (scenario: string, ...daysAgo: readonly number[]): Plan[] => {
  const { cnpj, name } = companyByScenario(scenario);
  return daysAgo.map((days) => ({ supplier: { kind: 'PJ', id: cnpj, name }, daysAgo: days }));
};

const every = (days: number, count: number): readonly number[] => Array.from({ length: count }, (_, i) => 1 + i * days);

const PLANS: readonly Plan[] = [
  ...sold('clean-software', ...every(5, 64)),
  ...sold('clean', 4, 40, 130, 220, 310),
  ...sold('clean-branch', 12, 95, 200),
  ...sold('clean-sa-open', ...every(17, 18)),
  ...sold('clean-sa-open-branch-2', 33, 66),
  ...['clean-small', 'clean-cooperative', 'clean-builder', 'clean-pharmacy', 'clean-cleaning'].flatMap((scenario, i) =>
    sold(scenario, ...every(11 + i, 6 + i)),
  ),
  ...['clean-school', 'clean-wholesale', 'debarred-ceis', 'labor-listed', 'alphanumeric'].flatMap((scenario, i) =>
    sold(scenario, 9 + i * 8, 150 + i * 8),
  ),
  ...sold('clean-hotel', 20),
  ...sold('clean-hotel', 21).map((plan) => ({ ...plan, income: true })),
  { supplier: { kind: 'PF', id: madeUpCpf(1), name: personName(1) }, daysAgo: 7 },
  { supplier: { kind: 'PE', id: 'LU-28374', name: 'FARAWAY ISLES HOLDING INC' }, daysAgo: 8 },
];

/** The fictional Brazilian contracts, one of them twice. Dates are relative to `now`. */
export function contractRecords(now: number): readonly PncpRecord[] {
  const records = PLANS.map((plan, i) => contractRecord(i + 1, plan, now));
  return [...records, ...records.slice(0, 1)];
}

function contractRecord(serial: number, { supplier, daysAgo, income = false }: Plan, now: number): PncpRecord {
  const buyer = pick(BUYERS, serial);
  const published = now + BRASILIA_OFFSET_MS - daysAgo * DAY_MS;
  const year = new Date(published).getUTCFullYear();
  const day = (offset: number): string => isoDate(published + offset * DAY_MS);
  const stamp = new Date(published - serial * MINUTE_MS).toISOString().slice(11, 19);
  const value = Math.round(serial * 137_250.75) / 10;
  const end = { running: day(daysAgo + 90), over: day(daysAgo - 1), unstated: null }[pick(TERMS, serial)];
  return {
    ...buyerJson(buyer),
    codigoPaisFornecedor: supplier.kind === 'PE' ? 'LUX' : 'BRA',
    numeroControlePNCP: controlNumber(buyer, 2, serial, year),
    numeroControlePncpCompra: controlNumber(buyer, 1, serial + 500, year),
    anoContrato: year,
    sequencialContrato: serial,
    numeroContratoEmpenho: `${serial}/${year}`,
    processo: `PE ${serial}/${year}`,
    objetoContrato: pick(OBJECTS, serial),
    informacaoComplementar: null,
    tipoContrato: serial % 3 === 0 ? { id: 1, nome: 'Contrato (termo inicial)' } : { id: 8, nome: 'Outros' },
    categoriaProcesso: { id: 8, nome: 'Serviços' },
    receita: income,
    niFornecedor: supplier.id,
    tipoPessoa: supplier.kind,
    nomeRazaoSocialFornecedor: supplier.name,
    niFornecedorSubContratado: null,
    nomeFornecedorSubContratado: null,
    tipoPessoaSubContratada: null,
    valorInicial: value,
    valorGlobal: value,
    valorParcela: value,
    valorAcumulado: serial % 2 === 0 ? 0 : null,
    numeroParcelas: 1,
    numeroRetificacao: 0,
    dataAssinatura: day(-2),
    dataVigenciaInicio: day(-2),
    dataVigenciaFim: end,
    dataPublicacaoPncp: `${day(0)}T${stamp}`,
    dataAtualizacao: `${day(0)}T${stamp}`,
    dataAtualizacaoGlobal: `${day(0)}T${stamp}`,
    identificadorCipi: null,
    urlCipi: null,
    usuarioNome: 'Sistema Inventado de Compras Ltda',
  };
}

/** Subject and additional information of a procurement. */
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
/** Procurements published per day. */
const PER_DAY = 5;

/** The fictional Brazilian procurements: in every state, future, open and closed. Dates are relative to `now`. */
export const procurementRecords = (now: number): readonly (PncpRecord & { readonly modalidadeId: number })[] =>
  Array.from({ length: PROCUREMENTS }, (_, i) => procurementRecord(i, now));

function procurementRecord(i: number, now: number) {
  const buyer = pick(BUYERS, i);
  const [objetoCompra, informacaoComplementar] = pick(SUBJECTS, i);
  const [modalidadeId, modalidadeNome] = pick(MODALITIES, i);
  const [situacaoCompraId, situacaoCompraNome] = pick(STATES, i);
  const published = now + BRASILIA_OFFSET_MS - Math.floor(i / PER_DAY) * DAY_MS;
  const year = new Date(published).getUTCFullYear();
  const stamp = `${isoDate(published)}T0${9 - (i % PER_DAY)}:15:0${i % 10}`;
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
