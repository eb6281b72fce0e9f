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
import type { ReceitaDetails } from './details.ts';
import { detailsOf } from './read-details.ts';
import { ACTIVITIES, nameOf, roleCell, roleOf } from './tables.ts';

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
  representante_legal: partnerDocumentCell.nullish().catch(null),
  qualificacao_representante: z.object({ codigo: roleCell, descricao: z.string() }).nullish(),
});
/** Schema of the fields of the public record that no check is based on. */
const details = z.object({
  motivo_situacao_cadastral: z.object({ codigo: text, descricao: text }).nullish(),
  tipo_logradouro: text,
  logradouro: text,
  numero: text,
  complemento: text,
  bairro: text,
  cep: text,
  nome_cidade_exterior: text,
  pais: z.object({ descricao: text }).nullish(),
  opcao_simples: text,
  data_opcao_simples: text,
  data_exclusao_simples: text,
  data_opcao_mei: text,
  data_exclusao_mei: text,
  ente_federativo: text,
  data_situacao_especial: text,
});

/**
 * Schema of the fields that are read. OpenCNPJ sends every value as a string, and the list of partners under a key in capitals. A name may
 * be empty.
 */
const found = details.extend({
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
    details: toDetails(got, { nature, isPersonal }),
  };
}

const toDetails = (got: z.infer<typeof found>, company: Parameters<typeof detailsOf>[1]): ReceitaDetails =>
  detailsOf(
    {
      reasonCode: got.motivo_situacao_cadastral?.codigo,
      reason: got.motivo_situacao_cadastral?.descricao,
      nature: got.natureza_juridica,
      activities: got.cnaes?.filter(({ codigo }) => codigo !== got.cnae_principal),
      streetKind: got.tipo_logradouro,
      street: got.logradouro,
      number: got.numero,
      complement: got.complemento,
      district: got.bairro,
      postalCode: got.cep,
      foreignCity: got.nome_cidade_exterior,
      country: got.pais?.descricao,
      simples: { isMember: answerOf(got.opcao_simples), since: got.data_opcao_simples, until: got.data_exclusao_simples },
      mei: { isMember: answerOf(got.opcao_mei), since: got.data_opcao_mei, until: got.data_exclusao_mei },
      federativeEntity: got.ente_federativo,
      specialSituationSince: got.data_situacao_especial,
    },
    company,
  );

/** Returns whether a company is in a regime: `S`, `N`, or nothing. */
const answerOf = (letter: string | null | undefined): boolean | null => (letter === 'S' ? true : letter === 'N' ? false : null);

function toPartner(row: z.infer<typeof partner>): ReceitaPartner {
  const [, kind] = KINDS.find(([words]) => isSameDescription(words, row.identificador_socio)) ?? [];
  if (!kind) throw new HttpFailure('unknown_shape', 'unknown identificador_socio');
  return {
    kind,
    name: filledName(row.nome_socio) ?? '',
    document: partnerDocument(row.cnpj_cpf_socio, kind),
    roleCode: null,
    role: roleOf(null, filled(row.qualificacao_socio)).name ?? '',
    entryDate: plausibleDate(row.data_entrada_sociedade),
    country: foreignCountry(row.pais?.descricao),
    legalRepName: filledName(row.nome_representante),
    legalRepRole: filled(row.nome_representante) && representativeRole(row.qualificacao_representante),
    legalRepDocument: partnerDocument(row.representante_legal ?? null, 'person'),
  };
}

const representativeRole = (role: z.infer<typeof partner>['qualificacao_representante']): string | null =>
  roleOf(role?.codigo, filled(role?.descricao)).name;

const info = z.object({ last_updated: z.string() });

/**
 * Reads the answer of `/info`: the ISO date on which OpenCNPJ published its copy of the registry. Returns null for any other answer,
 * because a missing date must not fail the source.
 */
export function readReleaseDate({ status, text }: HttpAnswer): string | null {
  if (status !== 200) return null;
  return plausibleDate(info.safeParse(parseJson(text)).data?.last_updated.slice(0, 10));
}
