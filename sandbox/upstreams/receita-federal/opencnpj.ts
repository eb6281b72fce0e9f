import { strip } from '../../../src/domain/tax-id.ts';
import type { SandboxCompany, SandboxPartner } from '../../world/brazil/company.ts';
import {
  ACTIVITIES,
  type Activity,
  AGE_BANDS,
  COUNTRIES,
  type CountryCode,
  NATURES,
  PLACES,
  REASONS,
  ROLES,
  type Role,
  SIZES,
  STATUSES,
} from '../../world/brazil/tables.ts';
import { companies } from '../../world/brazil/world.ts';
import { lastDay } from '../../world/calendar.ts';
import { jsonReply, type Simulator } from '../simulator.ts';

/** OpenCNPJ: the same companies from another dump. Wrong check digits give a 404. `GET /info` states when the dump was published. */
export const openCnpjSimulator: Simulator = {
  name: 'opencnpj',
  handle({ path, now, world }) {
    if (path === '/info') return jsonReply(200, { last_updated: publishedAt(now), total: companies.length }, 'last_updated');
    const bare = strip(path);
    if (!/^[0-9A-Z]{12}\d{2}$/.test(bare)) return jsonReply(400, { error: 'invalid cnpj' }, 'error');
    const company = world.company(bare, now);
    if (!company || company.knownTo === 'none') return jsonReply(404, { error: 'not found' }, 'error');
    return jsonReply(200, openCnpjJson(company), 'situacao_cadastral');
  },
};

/** Returns the publication time of the extract of a month, which OpenCNPJ publishes the day after it. */
const publishedAt = (now: number): string => new Date(lastDay(now, (day) => day.getUTCDate() === 15)).toISOString();

/** A company as OpenCNPJ returns it: all values are text, a missing one is `""`, codes keep leading zeros, owners are in `QSA`. */
export function openCnpjJson(company: SandboxCompany): Readonly<Record<string, unknown>> {
  const where = PLACES[company.place];
  const others = company.otherActivities ?? [];
  const manager = company.partners?.[0]?.role ?? 50;
  return {
    cnpj: company.cnpj,
    razao_social: company.name,
    nome_fantasia: company.tradeName,
    situacao_cadastral: company.status === UNNAMED_STATUS ? twoDigits(company.status) : titled(STATUSES[company.status]),
    data_situacao_cadastral: company.statusSince ?? '',
    matriz_filial: company.isBranch ? 'Filial' : 'Matriz',
    data_inicio_atividade: company.openedOn,
    cnae_principal: company.activity,
    cnaes_secundarios: others,
    cnaes: [activity(company.activity, true), ...others.map((code) => activity(code, false))],
    natureza_juridica: NATURES[company.nature],
    tipo_logradouro: 'RUA',
    logradouro: 'DOS EXEMPLOS',
    numero: 'S/N',
    complemento: '',
    bairro: 'BAIRRO INVENTADO',
    cep: where.cep,
    uf: where.uf,
    municipio: company.place,
    codigo_municipio: where.siafi,
    email: 'CONTATO@EXAMPLE.COM',
    telefones: where.ddd ? [{ ddd: where.ddd, numero: '00000000', is_fax: false }] : [],
    capital_social: company.capital.toFixed(2).replace('.', ','),
    qualificacao_responsavel: role(manager),
    ente_federativo: company.publicOwner,
    porte_empresa: SIZES[company.size].title,
    opcao_simples: flag(company.simples),
    data_opcao_simples: company.simples === null ? '' : company.openedOn,
    data_exclusao_simples: company.simples === false ? '2020-12-31' : '',
    opcao_mei: flag(company.mei),
    data_opcao_mei: company.mei ? company.openedOn : '',
    data_exclusao_mei: '',
    motivo_situacao_cadastral: { codigo: twoDigits(company.reason), descricao: REASONS[company.reason] },
    nome_cidade_exterior: company.abroad?.city ?? '',
    ...country(company.abroad?.country ?? null),
    situacao_especial: company.special?.situation ?? '',
    data_situacao_especial: company.special?.since ?? '',
    QSA: (company.partners ?? []).map(partnerJson),
  };
}

/** ATIVA NÃO REGULAR, of which the API prints the code. */
const UNNAMED_STATUS = 5;
const KINDS = { 1: 'Pessoa Jurídica', 2: 'Pessoa Física', 3: 'Estrangeiro' } as const;

const partnerJson = (partner: SandboxPartner) => ({
  nome_socio: partner.name,
  cnpj_cpf_socio: partner.document,
  qualificacao_socio: ROLES[partner.role],
  data_entrada_sociedade: partner.since,
  identificador_socio: KINDS[partner.kind],
  ...country(partner.country),
  representante_legal: partner.representative?.document ?? '***000000**',
  nome_representante: partner.representative?.name ?? '',
  qualificacao_representante: role(partner.representative?.role ?? 0),
  faixa_etaria: AGE_BANDS[partner.ageBand]?.replace('Entre ', ''),
});

const twoDigits = (code: number): string => String(code).padStart(2, '0');
const titled = (capitals: string): string => capitals.charAt(0) + capitals.slice(1).toLowerCase();
const flag = (value: boolean | null): string => (value === null ? '' : value ? 'S' : 'N');
const role = (code: Role) => ({ codigo: twoDigits(code), descricao: ROLES[code] });
const activity = (code: Activity, isPrincipal: boolean) => ({ codigo: code, descricao: ACTIVITIES[code], is_principal: isPrincipal });

const country = (code: CountryCode | null) => {
  const codigo = code === null ? '' : String(code);
  return { codigo_pais: codigo, pais: { codigo, descricao: (code && COUNTRIES[code]) ?? '' } };
};
