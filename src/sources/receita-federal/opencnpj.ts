import { z } from 'zod';
import { isSameDescription, mapTexts, mended } from '../../domain/encoding.ts';
import { type HttpAnswer, HttpFailure, parseJson } from '../http/failure.ts';
import { rowsOf } from '../http/rows.ts';
import {
  capitalOf,
  cnaeCode,
  companyName,
  filled,
  filledName,
  foreignCountry,
  isPersonalNature,
  natureOf,
  partnerDocument,
  partnerDocumentCell,
  placeOf,
  plausibleDate,
  porteOf,
  type ReceitaCompany,
  type ReceitaPartner,
  recordCnpj,
  registrationOf,
} from './company.ts';
import { ACTIVITIES, nameOf, ROLES, roleCell, roleCode } from './tables.ts';

const KINDS: readonly (readonly [string, ReceitaPartner['kind']])[] = [
  ['pessoa jurídica', 'company'],
  ['pessoa física', 'person'],
  ['estrangeiro', 'foreign'],
];

const text = z.string().nullish();
const partner = z.object({
  nome_socio: z.string(),
  cnpj_cpf_socio: partnerDocumentCell,
  qualificacao_socio: z.string(),
  data_entrada_sociedade: z.string(),
  identificador_socio: z.string(),
  pais: z.object({ descricao: z.string() }).nullish(),
  nome_representante: text,
  qualificacao_representante: z.object({ codigo: roleCell, descricao: z.string() }).nullish(),
});
/**
 * Schema of the fields that are read. OpenCNPJ sends every value as a string, and the list of partners under a key in capitals. A name may
 * be empty.
 */
const found = z.object({
  cnpj: z.union([z.string(), z.int()]),
  razao_social: z.string().trim(),
  nome_fantasia: text,
  situacao_cadastral: z.string(),
  data_situacao_cadastral: z.string(),
  data_inicio_atividade: z.string(),
  matriz_filial: z.string(),
  situacao_especial: text,
  capital_social: z.unknown().optional(),
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
 * Reads a response of OpenCNPJ: the requested company, which may have gaps, or null for the API's own "not found".
 * @throws HttpFailure for any other response
 */
export function readOpenCnpj({ status, text: body }: HttpAnswer, requested: string): ReceitaCompany | null {
  const json = parseJson(body);
  if (status === 404 && absent.safeParse(json).success) return null;
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const got = found.safeParse(json);
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  const company = toCompany(mapTexts(got.data, mended));
  if (company.cnpj !== requested) throw new HttpFailure('wrong_company', 'answered for another CNPJ');
  return company;
}

function toCompany(got: z.infer<typeof found>): ReceitaCompany {
  const registration = registrationOf(got.situacao_cadastral);
  if (!registration) throw new HttpFailure('unknown_shape', `situacao_cadastral ${got.situacao_cadastral.slice(0, 40)} is unknown`);
  const activityCode = cnaeCode(got.cnae_principal);
  const nature = natureOf(null, got.natureza_juridica);
  const isMei = got.opcao_mei === 'S';
  const isPersonal = isPersonalNature(nature, isMei);
  return {
    cnpj: recordCnpj(got.cnpj),
    legalName: companyName(got.razao_social, isPersonal) ?? '',
    tradeName: companyName(got.nome_fantasia, isPersonal),
    registration,
    registrationSince: plausibleDate(got.data_situacao_cadastral),
    openedOn: plausibleDate(got.data_inicio_atividade),
    isBranch: got.matriz_filial.toLowerCase() === 'filial',
    specialSituation: filled(got.situacao_especial),
    activityCode,
    activity: nameOf(ACTIVITIES, activityCode, filled(got.cnaes?.find(({ codigo }) => codigo === got.cnae_principal)?.descricao)),
    nature,
    size: porteOf(got.porte_empresa),
    capital: capitalOf(got.capital_social),
    isMei,
    ...placeOf(got.uf, got.municipio),
    partners: got.QSA.map(toPartner),
  };
}

function toPartner(row: z.infer<typeof partner>): ReceitaPartner {
  const [, kind] = KINDS.find(([words]) => isSameDescription(words, row.identificador_socio)) ?? [];
  if (!kind) throw new HttpFailure('unknown_shape', 'unknown identificador_socio');
  return {
    kind,
    name: filledName(row.nome_socio) ?? '',
    document: partnerDocument(row.cnpj_cpf_socio, kind),
    roleCode: null,
    role: nameOf(ROLES, null, filled(row.qualificacao_socio)) ?? '',
    entryDate: plausibleDate(row.data_entrada_sociedade),
    country: foreignCountry(row.pais?.descricao),
    legalRepName: filledName(row.nome_representante),
    legalRepRole: filled(row.nome_representante) && representativeRole(row.qualificacao_representante),
  };
}

const representativeRole = (role: z.infer<typeof partner>['qualificacao_representante']): string | null =>
  nameOf(ROLES, roleCode(role?.codigo), filled(role?.descricao));

const info = z.object({ last_updated: z.string() });

/**
 * Reads the answer of `/info`: the ISO date on which OpenCNPJ published its copy of the registry. Returns null for any other answer,
 * because a missing date must not fail the source.
 */
export function readReleaseDate({ status, text }: HttpAnswer): string | null {
  if (status !== 200) return null;
  return plausibleDate(info.safeParse(parseJson(text)).data?.last_updated.slice(0, 10));
}
