import { z } from 'zod';
import { companyNotFound, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { country, dateOrNull, identifier } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import type { RegistrationRecord, TaxRegime } from '../domain/registration.ts';
import { registrationLoader } from '../loaders/registration.ts';

const text = z.string().nullable();
export const term = z.object({ code: text, text }).meta({ id: 'RegistryTerm' });
const regime = z
  .object({ is_member: z.boolean().nullable().describe('Null when the registry has no answer'), since: dateOrNull, until: dateOrNull })
  .meta({ id: 'TaxRegime' });

const reply = z.object({
  identifier: z.string().describe('The given tax id'),
  country: z.enum(['BR', 'CL']),
  company_name: text,
  trade_name: text,
  legal_nature: term.nullable().describe('BR: natureza jurídica. CL: kind of company, without a code'),
  size: text.describe('MICRO EMPRESA, EMPRESA DE PEQUENO PORTE or DEMAIS; null for CL'),
  capital: text.describe('Capital in BRL, a decimal; null for CL'),
  is_capital_rounded: z.boolean().describe('True if the mirror rounds the capital to about seven digits'),
  opened_on: dateOrNull,
  status: z.enum(['active', 'inactive']),
  status_text: z.string().describe('Status in the words of the registry'),
  status_since: dateOrNull,
  status_reason: term.nullable(),
  is_branch: z.boolean(),
  main_activity: term.nullable().describe('BR: CNAE, seven digits. CL: CIIU4.CL, six digits'),
  other_activities: z.array(term).nullable().describe('At most 99; null for CL'),
  address: z.object({
    street: text.describe('Null for CL, and for a natural person, whose address is a private home; so are number and complement'),
    number: text,
    complement: text,
    district: text,
    municipality: text,
    region: text.describe('BR: two letters of the state. CL: name of the region'),
    postal_code: text,
    foreign_city: text,
    foreign_country: text,
  }),
  simples: regime.nullable(),
  mei: regime.nullable(),
  federative_entity: text,
  special_situation: text,
  special_situation_since: dateOrNull,
  source: z.enum(['receita_federal', 'sii']),
  mirror: text.describe('minha_receita, opencnpj or registry_copy; null for CL'),
  data_as_of: dateOrNull.describe("Date of the registry's copy; null when it states none"),
});

/**
 * GET /v1/companies/{country}/{id}/registration: the public record of a company. 404 company_not_found for a company that the registry
 * does not have; 422 for a malformed tax id or another country; 503 while the registry fails.
 */
export const registrationRoute = defineRoute({
  method: 'GET',
  path: '/v1/companies/:country/:id/registration',
  module: registrationLoader.module,
  operationId: 'getRegistration',
  summary: 'The public record of a company at its tax registry (BR, CL).',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'COMPANY_NOT_FOUND'],
  body: z.object({ country, id: identifier }),
  reply,
  async handle({ country, id }, ctx) {
    const key = parseCompanyKey(requireCountry(country, registrationLoader.countries, registrationLoader.subject), id);
    const { value, freshness } = await ctx.ask(registrationLoader, key);
    if (!value) throw companyNotFound();
    return { identifier: id, country: key.country, ...toReply(value), data_as_of: freshness.dataAsOf };
  },
});

const toRegime = (given: TaxRegime | null) => given && { is_member: given.isMember, since: given.since, until: given.until };

function toReply(record: RegistrationRecord): Omit<z.input<typeof reply>, 'identifier' | 'country' | 'data_as_of'> {
  const { postalCode, foreignCity, foreignCountry, ...address } = record.address;
  return {
    company_name: record.companyName,
    trade_name: record.tradeName,
    legal_nature: record.legalNature,
    size: record.size,
    capital: record.capital,
    is_capital_rounded: record.isCapitalRounded,
    opened_on: record.openedOn,
    status: record.status,
    status_text: record.statusText,
    status_since: record.statusSince,
    status_reason: record.statusReason,
    is_branch: record.isBranch,
    main_activity: record.mainActivity,
    other_activities: record.otherActivities && [...record.otherActivities],
    address: { ...address, postal_code: postalCode, foreign_city: foreignCity, foreign_country: foreignCountry },
    simples: toRegime(record.simples),
    mei: toRegime(record.mei),
    federative_entity: record.federativeEntity,
    special_situation: record.specialSituation,
    special_situation_since: record.specialSituationSince,
    source: record.source,
    mirror: record.mirror,
  };
}
