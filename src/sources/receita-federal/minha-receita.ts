import { z } from 'zod';
import { mapTexts, mended } from '../../domain/encoding.ts';
import { formatCnpj } from '../../domain/tax-id.ts';
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
  PARTNER_KINDS,
  partnerDocument,
  partnerDocumentCell,
  placeOf,
  plausibleDate,
  porteOf,
  REGISTRATIONS,
  type ReceitaCompany,
  type ReceitaPartner,
  type Registration,
  recordCnpj,
  registrationOf,
} from './company.ts';
import type { ReceitaDetails } from './details.ts';
import { detailsOf } from './read-details.ts';
import { ACTIVITIES, nameOf, roleCell, roleOf } from './tables.ts';

const text = z.string().nullish();
/** Schema of a code or a number that some mirrors print as text. */
const numberOrText = z.union([z.number(), z.string()]).nullish();
/** Schema of a code that some mirrors print as text: `2`, `"2"` and `"02"`. */
const code = z.union([
  z.int(),
  z
    .string()
    .regex(/^\s*\d{1,2}\s*$/)
    .transform(Number),
]);
const partner = z.object({
  identificador_de_socio: code.pipe(z.union([z.literal(1), z.literal(2), z.literal(3)])),
  nome_socio: z.string().nullable(),
  cnpj_cpf_do_socio: partnerDocumentCell.nullable(),
  codigo_qualificacao_socio: code.nullish(),
  qualificacao_socio: z.string().nullable(),
  data_entrada_sociedade: z.string().nullable(),
  pais: text,
  nome_representante_legal: text,
  cpf_representante_legal: partnerDocumentCell.nullish().catch(null),
  codigo_qualificacao_representante_legal: roleCell,
  qualificacao_representante_legal: text,
});

/** Schema of the fields of the public record that no check is based on. */
const details = z.object({
  motivo_situacao_cadastral: numberOrText,
  descricao_motivo_situacao_cadastral: text,
  cnaes_secundarios: rowsOf(z.object({ codigo: numberOrText, descricao: text })).nullish(),
  descricao_tipo_de_logradouro: text,
  logradouro: text,
  numero: numberOrText,
  complemento: text,
  bairro: text,
  cep: numberOrText,
  nome_cidade_no_exterior: text,
  pais: text,
  opcao_pelo_simples: z.boolean().nullish(),
  data_opcao_pelo_simples: text,
  data_exclusao_do_simples: text,
  data_opcao_pelo_mei: text,
  data_exclusao_do_mei: text,
  ente_federativo_responsavel: text,
  data_situacao_especial: text,
});

/**
 * Schema of the fields that are read; the rest may change without notice. Fields that the status depends on are required; a name may be
 * empty.
 */
const found = details.extend({
  cnpj: z.union([z.string(), z.int()]),
  razao_social: z.string().trim().nullable(),
  nome_fantasia: text,
  situacao_cadastral: z.int(),
  descricao_situacao_cadastral: z.string().nullable(),
  data_situacao_cadastral: text,
  data_inicio_atividade: z.string().nullable(),
  identificador_matriz_filial: code.nullish(),
  situacao_especial: text,
  capital_social: z.unknown().optional(),
  cnae_fiscal: z.union([z.int(), z.string()]).nullish(),
  cnae_fiscal_descricao: text,
  codigo_porte: z.union([z.int(), z.string()]).nullish(),
  porte: text,
  codigo_natureza_juridica: z.union([z.int(), z.string()]).nullish(),
  natureza_juridica: text,
  opcao_pelo_mei: z.boolean().nullish(),
  uf: text,
  municipio: text,
  qsa: rowsOf(partner).nullable(),
});
const refused = z.object({ message: z.string() });

/**
 * Maps one answer of minha-receita or BrasilAPI, which have the same format, to the requested company, which may have gaps; null for the
 * registry's own "not found", which names the requested CNPJ in the registry's exact words.
 * @throws HttpFailure for any other answer: another 404, an error page, another shape, another company
 */
export function readMinhaReceita({ status, text: body }: HttpAnswer, requested: string): ReceitaCompany | null {
  const json = parseJson(body);
  if (status === 404 && refused.safeParse(json).data?.message === notFoundMessage(requested)) return null;
  if (status !== 200) throw new HttpFailure(`status_${status}`, `answered ${status}`);
  const got = found.safeParse(json);
  if (!got.success) throw new HttpFailure('unknown_shape', z.prettifyError(got.error));
  const company = toCompany(mapTexts(got.data, mended));
  if (company.cnpj !== requested) throw new HttpFailure('wrong_company', 'answered for another CNPJ');
  return company;
}

/** Returns the message of the registry's API and of BrasilAPI. A 404 of their routers or proxies has another text. */
const notFoundMessage = (cnpj: string): string => `CNPJ ${formatCnpj(cnpj)} não encontrado.`;

/**
 * Returns the registration of a code. Its words must agree with the code in some spelling, because a damaged digit would turn a closed
 * company into an active one. Mirrors that do not know code 5 have no words for it, or the code.
 * @throws HttpFailure for an unknown code, and for the words of another one
 */
function registrationBy(code: number, words: string | null): Registration {
  if (!(code in REGISTRATIONS)) throw new HttpFailure('unknown_shape', `situacao_cadastral ${code} is unknown`);
  const registration = REGISTRATIONS[code as keyof typeof REGISTRATIONS];
  const isUnnamed = code === 5 && !words?.trim();
  if (isUnnamed || registrationOf(words ?? '') === registration) return registration;
  throw new HttpFailure('unknown_shape', `situacao_cadastral ${code} and its description differ`);
}

function toCompany(got: z.infer<typeof found>): ReceitaCompany {
  const activityCode = cnaeCode(got.cnae_fiscal);
  const nature = natureOf(got.codigo_natureza_juridica, got.natureza_juridica);
  const isMei = got.opcao_pelo_mei === true;
  const isPersonal = isPersonalNature(nature, isMei);
  return {
    cnpj: recordCnpj(got.cnpj),
    legalName: companyName(got.razao_social, isPersonal) ?? '',
    tradeName: companyName(got.nome_fantasia, isPersonal),
    registration: registrationBy(got.situacao_cadastral, got.descricao_situacao_cadastral),
    registrationSince: plausibleDate(got.data_situacao_cadastral),
    openedOn: plausibleDate(got.data_inicio_atividade),
    isBranch: got.identificador_matriz_filial === 2,
    specialSituation: filled(got.situacao_especial),
    activityCode,
    activity: nameOf(ACTIVITIES, activityCode, filled(got.cnae_fiscal_descricao)),
    nature,
    size: porteOf(got.codigo_porte) ?? porteOf(got.porte),
    capital: capitalOf(got.capital_social),
    isMei,
    ...placeOf(got.uf, got.municipio),
    partners: (got.qsa ?? []).map(toPartner),
    details: toDetails(got, { nature, isPersonal }),
  };
}

const toDetails = (got: z.infer<typeof found>, company: Parameters<typeof detailsOf>[1]): ReceitaDetails =>
  detailsOf(
    {
      reasonCode: got.motivo_situacao_cadastral,
      reason: got.descricao_motivo_situacao_cadastral,
      nature: got.natureza_juridica,
      activities: got.cnaes_secundarios,
      streetKind: got.descricao_tipo_de_logradouro,
      street: got.logradouro,
      number: got.numero,
      complement: got.complemento,
      district: got.bairro,
      postalCode: got.cep,
      foreignCity: got.nome_cidade_no_exterior,
      country: got.pais,
      simples: { isMember: got.opcao_pelo_simples, since: got.data_opcao_pelo_simples, until: got.data_exclusao_do_simples },
      mei: { isMember: got.opcao_pelo_mei, since: got.data_opcao_pelo_mei, until: got.data_exclusao_do_mei },
      federativeEntity: got.ente_federativo_responsavel,
      specialSituationSince: got.data_situacao_especial,
    },
    company,
  );

function toPartner(row: z.infer<typeof partner>): ReceitaPartner {
  const role = roleOf(row.codigo_qualificacao_socio, filled(row.qualificacao_socio));
  return {
    kind: PARTNER_KINDS[row.identificador_de_socio],
    name: filledName(row.nome_socio) ?? '',
    document: partnerDocument(row.cnpj_cpf_do_socio, PARTNER_KINDS[row.identificador_de_socio]),
    roleCode: role.code === null ? null : Number(role.code),
    role: role.name ?? '',
    entryDate: plausibleDate(row.data_entrada_sociedade),
    country: foreignCountry(row.pais),
    legalRepName: filledName(row.nome_representante_legal),
    legalRepRole:
      filled(row.nome_representante_legal) &&
      roleOf(row.codigo_qualificacao_representante_legal, filled(row.qualificacao_representante_legal)).name,
    legalRepDocument: partnerDocument(row.cpf_representante_legal ?? null, 'person'),
  };
}

const updated = z.object({ message: z.string() });

/**
 * Reads the answer of `/updated`: the ISO date on which Receita Federal extracted the data of the registry's copy. Returns null for any
 * other answer, because BrasilAPI has no such page, and a missing date must not fail the source.
 */
export function readCopyDate({ status, text }: HttpAnswer): string | null {
  if (status !== 200) return null;
  const { message = '' } = updated.safeParse(parseJson(text)).data ?? {};
  return plausibleDate(/^\d{4}-\d{2}-\d{2}\b/.exec(message)?.[0]);
}
