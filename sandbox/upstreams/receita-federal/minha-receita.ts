import { formatCnpj, isProblem, readCnpj, strip } from '../../../src/domain/tax-id.ts';
import { isoDate } from '../../../src/domain/time.ts';
import type { SandboxCompany, SandboxPartner } from '../../world/brazil/company.ts';
import { ACTIVITIES, AGE_BANDS, COUNTRIES, NATURES, PLACES, REASONS, ROLES, SIZES, STATUSES } from '../../world/brazil/tables.ts';
import { lastDay } from '../../world/calendar.ts';
import { jsonReply, type SimulatedReply, type Simulator } from '../simulator.ts';

/**
 * minha-receita: `GET /{cnpj}`, masked or not. Check digits are verified; an unknown company, and one that only OpenCNPJ
 * knows, give the same 404. `GET /updated` states the date of the copy. A request with Node's default user agent gets 403.
 */
export const receitaFederalSimulator: Simulator = {
  name: 'receita_federal',
  handle({ method, path, headers, now, world }) {
    if (headers['user-agent'] === 'node')
      return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html><title>403 Forbidden</title></html>' };
    if (method !== 'GET') return message(405, 'Essa URL aceita apenas o método GET.');
    if (path === '/updated') return updatedReply(now);
    const text = path.slice(1);
    const cnpj = readCnpj(text);
    if (isProblem(cnpj)) return message(400, `CNPJ ${masked(text)} inválido.`);
    const company = world.company(cnpj, now);
    if (company?.knownTo !== 'both') return message(404, `CNPJ ${formatCnpj(cnpj)} não encontrado.`);
    return jsonReply(200, minhaReceitaJson(company), 'situacao_cadastral', { 'cache-control': 'max-age=86400' });
  },
};

/** Returns the date of the copy for `GET /updated`. Receita Federal extracts its data about the middle of each month. */
const updatedReply = (now: number): SimulatedReply =>
  jsonReply(
    200,
    {
      message: `${isoDate(lastDay(now, (day) => day.getUTCDate() === EXTRACTED_ON))} é a data de extração dos dados pela Receita Federal.`,
    },
    'message',
    { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'max-age=86400' },
  );

const EXTRACTED_ON = 14;

const message = (status: number, text: string): SimulatedReply => jsonReply(status, { message: text }, 'message');

/** Punctuates a text that has the length of a CNPJ; returns any other unchanged. */
function masked(text: string): string {
  const bare = strip(text);
  return bare.length === 14 ? formatCnpj(bare) : text;
}

/**
 * A company as minha-receita and BrasilAPI return it: one flat object with every key, including nulls. Codes are numbers without leading
 * zeros. The capital is rounded to a 32-bit float.
 */
export function minhaReceitaJson(company: SandboxCompany): Readonly<Record<string, unknown>> {
  const { place, abroad, simples, mei } = company;
  const where = PLACES[place];
  return {
    uf: where.uf,
    cep: where.cep,
    qsa: company.partners?.map(partnerJson) ?? null,
    cnpj: company.cnpj,
    pais: abroad && COUNTRIES[abroad.country],
    email: null,
    porte: SIZES[company.size].capitals,
    bairro: 'BAIRRO INVENTADO',
    numero: 'S/N',
    ddd_fax: '',
    municipio: place,
    logradouro: 'DOS EXEMPLOS',
    cnae_fiscal: Number(company.activity),
    codigo_pais: abroad?.country ?? null,
    complemento: '',
    codigo_porte: company.size,
    razao_social: company.name,
    nome_fantasia: company.tradeName,
    capital_social: Number(Math.fround(company.capital).toPrecision(8)),
    ddd_telefone_1: where.ddd && `${where.ddd}00000000`,
    ddd_telefone_2: '',
    opcao_pelo_mei: mei,
    descricao_porte: '',
    codigo_municipio: Number(where.siafi),
    cnaes_secundarios: company.otherActivities?.map((code) => ({ codigo: Number(code), descricao: ACTIVITIES[code] })) ?? null,
    natureza_juridica: NATURES[company.nature],
    regime_tributario: company.isBranch
      ? []
      : [{ ano: 2024, cnpj_da_scp: null, forma_de_tributacao: 'LUCRO PRESUMIDO', quantidade_de_escrituracoes: 1 }],
    situacao_especial: company.special?.situation ?? '',
    opcao_pelo_simples: simples,
    situacao_cadastral: company.status,
    data_opcao_pelo_mei: mei ? company.openedOn : null,
    data_exclusao_do_mei: null,
    cnae_fiscal_descricao: ACTIVITIES[company.activity],
    codigo_municipio_ibge: where.ibge,
    data_inicio_atividade: company.openedOn,
    data_situacao_especial: company.special?.since ?? null,
    // The dates of a regime stay when the company leaves it.
    data_opcao_pelo_simples: simples === null ? null : company.openedOn,
    data_situacao_cadastral: company.statusSince,
    nome_cidade_no_exterior: abroad?.city ?? '',
    codigo_natureza_juridica: company.nature,
    data_exclusao_do_simples: simples === false ? '2020-12-31' : null,
    motivo_situacao_cadastral: company.reason,
    ente_federativo_responsavel: company.publicOwner,
    identificador_matriz_filial: company.isBranch ? 2 : 1,
    qualificacao_do_responsavel: company.partners?.[0]?.role ?? 50,
    descricao_situacao_cadastral: STATUSES[company.status],
    descricao_tipo_de_logradouro: 'RUA',
    descricao_motivo_situacao_cadastral: REASONS[company.reason],
    descricao_identificador_matriz_filial: company.isBranch ? 'FILIAL' : 'MATRIZ',
  };
}

function partnerJson(partner: SandboxPartner) {
  const { country, representative } = partner;
  return {
    pais: country && COUNTRIES[country],
    nome_socio: partner.name,
    codigo_pais: country,
    faixa_etaria: AGE_BANDS[partner.ageBand],
    cnpj_cpf_do_socio: partner.document,
    qualificacao_socio: ROLES[partner.role],
    codigo_faixa_etaria: partner.ageBand,
    data_entrada_sociedade: partner.since,
    identificador_de_socio: partner.kind,
    cpf_representante_legal: representative?.document ?? '***000000**',
    nome_representante_legal: representative?.name ?? '',
    codigo_qualificacao_socio: partner.role,
    qualificacao_representante_legal: ROLES[representative?.role ?? 0],
    codigo_qualificacao_representante_legal: representative?.role ?? 0,
  };
}
