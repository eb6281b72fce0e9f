import { BRASILIA_OFFSET_MS, DAY_MS, isoDate, MINUTE_MS } from '../../../domain/time.ts';
import { madeUpCpf, personName } from '../../world/brazil/people.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { pick } from '../pick.ts';
import { BUYERS, buyerJson, controlNumber } from './buyers.ts';

/** A record of PNCP; `dataPublicacaoPncp` decides which days show it. */
export type PncpRecord = Readonly<Record<string, unknown>> & { readonly dataPublicacaoPncp: string };

const OBJECTS = [
  'PRESTAÇÃO DE SERVIÇOS DE MANUTENÇÃO PREDIAL, COM FORNECIMENTO DE MATERIAIS',
  'Aquisição de gêneros alimentícios para a merenda escolar',
  'FORNECIMENTO DE MEDICAMENTOS PARA A REDE MUNICIPAL DE SAÚDE',
  'Licenças de software de gestão pública, com suporte técnico',
  'Pavimentação asfáltica em trechos urbanos',
  'Locação de veículos com motorista',
] as const satisfies readonly [string, ...string[]];

/** How a contract's term stands: over, running, or not stated. */
const TERMS = ['running', 'over', 'running', 'over', 'unstated'] as const satisfies readonly [string, ...string[]];

interface Plan {
  /** Company, person or supplier from abroad. */
  readonly supplier: { readonly kind: 'PJ' | 'PF' | 'PE'; readonly id: string; readonly name: string };
  readonly daysAgo: number;
  /** The supplier pays. */
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

/** The contracts of the made-up Brazil, one of them twice; `now` moves their dates. */
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
