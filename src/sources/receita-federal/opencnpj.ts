import { z } from 'zod';
import { strip } from '../../domain/tax-id.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/client.ts';
import { rowsOf } from '../http/rows.ts';
import {
  cnaeCode,
  companyName,
  filled,
  filledName,
  foreignCountry,
  isPersonalNature,
  partnerDocument,
  partnerDocumentCell,
  placeOf,
  plausibleDate,
  porteOf,
  type ReceitaCompany,
  type ReceitaPartner,
  type Registration,
} from './company.ts';

const REGISTRATION: Readonly<Record<string, Registration>> = {
  nula: 'NULA',
  ativa: 'ATIVA',
  suspensa: 'SUSPENSA',
  inapta: 'INAPTA',
  baixada: 'BAIXADA',
};

const KINDS: Readonly<Record<string, ReceitaPartner['kind']>> = {
  'pessoa jurídica': 'company',
  'pessoa física': 'person',
  estrangeiro: 'foreign',
};

const text = z.string().nullish();
const partner = z.object({
  nome_socio: z.string(),
  cnpj_cpf_socio: partnerDocumentCell,
  qualificacao_socio: z.string(),
  data_entrada_sociedade: z.string(),
  identificador_socio: z.string().toLowerCase(),
  pais: z.object({ descricao: z.string() }).nullish(),
  nome_representante: text,
  qualificacao_representante: z.object({ descricao: z.string() }).nullish(),
});
/** OpenCNPJ sends every value as a string, and the list of partners under a key in capitals. */
const found = z.object({
  cnpj: z.string(),
  razao_social: z.string().trim().min(1),
  nome_fantasia: text,
  situacao_cadastral: z.string().toLowerCase(),
  data_situacao_cadastral: z.string(),
  data_inicio_atividade: z.string(),
  matriz_filial: z.string(),
  situacao_especial: text,
  cnae_principal: text,
  cnaes: rowsOf(z.object({ codigo: z.string(), descricao: text })).nullish(),
  porte_empresa: text,
  natureza_juridica: text,
  opcao_mei: text,
  uf: text,
  municipio: text,
  QSA: rowsOf(partner),
});
const absent = z.object({ error: z.literal('not found') });

/**
 * Reads a response of OpenCNPJ: the requested company, or null for the API's own "not found".
 * @throws HttpFailure for everything else
 */
export function readOpenCnpj({ status, text: body }: HttpAnswer, requested: string): ReceitaCompany | null {
  const json = parseJson(body);
  if (status === 404 && absent.safeParse(json).success) return null;
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const got = found.safeParse(json);
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  const registration = REGISTRATION[got.data.situacao_cadastral];
  if (!registration) throw new HttpFailure('unknown_shape', 'unknown situacao_cadastral');
  if (strip(got.data.cnpj) !== requested) throw new HttpFailure('wrong_company', 'answered for another CNPJ');
  const isMei = got.data.opcao_mei === 'S';
  const isPersonal = isPersonalNature(got.data.natureza_juridica, isMei);
  return {
    cnpj: requested,
    legalName: companyName(got.data.razao_social, isPersonal) ?? '',
    tradeName: companyName(got.data.nome_fantasia, isPersonal),
    registration,
    registrationSince: plausibleDate(got.data.data_situacao_cadastral),
    openedOn: plausibleDate(got.data.data_inicio_atividade),
    isBranch: got.data.matriz_filial.toLowerCase() === 'filial',
    specialSituation: filled(got.data.situacao_especial),
    activityCode: cnaeCode(got.data.cnae_principal),
    activity: filled(got.data.cnaes?.find(({ codigo }) => codigo === got.data.cnae_principal)?.descricao),
    size: porteOf(got.data.porte_empresa),
    isMei,
    ...placeOf(got.data.uf, got.data.municipio),
    partners: got.data.QSA.map(toPartner),
  };
}

function toPartner(row: z.infer<typeof partner>): ReceitaPartner {
  const kind = KINDS[row.identificador_socio];
  if (!kind) throw new HttpFailure('unknown_shape', 'unknown identificador_socio');
  return {
    kind,
    name: filledName(row.nome_socio) ?? '',
    document: partnerDocument(row.cnpj_cpf_socio),
    roleCode: null,
    role: filled(row.qualificacao_socio) ?? '',
    entryDate: plausibleDate(row.data_entrada_sociedade),
    country: foreignCountry(row.pais?.descricao),
    legalRepName: filledName(row.nome_representante),
    legalRepRole: filled(row.nome_representante) && filled(row.qualificacao_representante?.descricao),
  };
}
