import { z } from 'zod';
import type { RequestContext } from '../../../context.ts';
import { COUNTRIES, type CompanyKey, companyNotFound, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { type AsOfKey, requireDayUpToToday } from '../../../loaders/registry-as-of.ts';
import { asOfDay, country, dateOrNull, givenTaxId, identifier } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { type ChamberRegistration, REGISTRATION_CATEGORIES, type RegistrationRecord, type TaxRegime } from '../domain/registration.ts';
import { registrationAsOfLoader, registrationLoader } from '../loaders/registration.ts';

const text = z.string().nullable();
export const term = z.object({ code: text, text }).meta({ id: 'RegistryTerm' });
const regime = z
  .object({ is_member: z.boolean().nullable().describe('Null when the registry has no answer'), since: dateOrNull, until: dateOrNull })
  .meta({ id: 'TaxRegime' });
const chamberRegistration = z
  .object({
    chamber: text,
    number: text.describe('Unique together with the chamber only'),
    state: z.string().describe('State in the words of the register'),
    category: z.enum(REGISTRATION_CATEGORIES),
    registered_on: dateOrNull,
    last_renewed_year: z.int().nullable(),
    cancelled_on: dateOrNull,
    is_chosen: z.boolean().describe('True for the registration whose state is that of the company'),
  })
  .meta({ id: 'ChamberRegistration' });

const reply = z.object({
  identifier: givenTaxId,
  country: z.enum(COUNTRIES),
  company_name: text,
  trade_name: text,
  legal_nature: term.nullable().describe('BR: natureza jurídica. CL: kind of company, CO: legal organisation, both without a code'),
  size: text.describe('MICRO EMPRESA, EMPRESA DE PEQUENO PORTE or DEMAIS; null for CL and CO'),
  capital: text.describe('Capital in BRL, a decimal; null for CL and CO'),
  is_capital_rounded: z.boolean().describe('True if the mirror rounds the capital to about seven digits'),
  opened_on: dateOrNull,
  status: z.enum(['active', 'inactive']),
  status_text: z.string().describe('Status in the words of the registry'),
  status_since: dateOrNull,
  status_reason: term.nullable(),
  is_branch: z.boolean(),
  main_activity: term.nullable().describe('BR: CNAE, seven digits. CL: CIIU4.CL, six digits. CO: CIIU, without words'),
  other_activities: z.array(term).nullable().describe('At most 99; null for CL'),
  address: z.object({
    street: text.describe('Null for CL and CO, and for a natural person, whose address is a private home; so are number and complement'),
    number: text,
    complement: text,
    district: text,
    municipality: text,
    region: text.describe('BR: two letters of the state. CL: name of the region. CO: name of the chamber of commerce'),
    postal_code: text,
    foreign_city: text,
    foreign_country: text,
  }),
  simples: regime.nullable(),
  mei: regime.nullable(),
  federative_entity: text,
  special_situation: text,
  special_situation_since: dateOrNull,
  chamber_registrations: z
    .array(chamberRegistration)
    .nullable()
    .describe('CO: all registrations at chambers of commerce, at most 200, the chosen one first; null for BR and CL'),
  last_renewed_year: z.int().nullable().describe('CO: year of the last renewal; null for BR and CL'),
  not_renewed_since: z.int().nullable().describe('CO: the same year, if an active registration was not renewed when it was due'),
  source: z.enum(['receita_federal', 'sii', 'rues']),
  mirror: text.describe('minha_receita, opencnpj or registry_copy; null for CL and CO'),
  data_as_of: dateOrNull.describe("Date of the registry's copy; null when it states none"),
});

/** Countries whose registration is known as of earlier dates. */
const AS_OF_COUNTRIES = ['BR'] as const;

/**
 * GET /v1/companies/{country}/{id}/registration: the public record of a company, today or on a day. 404 company_not_found for a company
 * that the registry does not have, and no_record_then for a day before the first extract; 422 for a malformed tax id, a day that is none
 * or to come, or another country; 503 while the registry fails.
 */
export const registrationRoute = defineRoute({
  method: 'GET',
  path: '/v1/companies/:country/:id/registration',
  module: registrationLoader.module,
  operationId: 'getRegistration',
  summary: 'The public record of a company at its tax registry (BR, CL) or in the commercial register (CO).',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'COMPANY_NOT_FOUND', 'NO_RECORD_THEN', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({ country, id: identifier, as_of: asOfDay }),
  reply,
  async handle({ country, id, as_of: date }, ctx) {
    const key = parseCompanyKey(requireCountry(country, registrationLoader.countries, registrationLoader.subject), id);
    const { value, freshness } = await (date === undefined
      ? ctx.ask(registrationLoader, key)
      : ctx.ask(registrationAsOfLoader, asOf(key, date, ctx)));
    if (!value) throw companyNotFound(key.country, freshness.dataAsOf);
    return { identifier: id, country: key.country, ...toReply(value), data_as_of: freshness.dataAsOf };
  },
});

/** @throws AppError UNSUPPORTED_COUNTRY, INVALID_INPUT */
function asOf({ country, taxId }: CompanyKey, date: string, { now }: Pick<RequestContext, 'now'>): AsOfKey {
  const served = requireCountry(country, AS_OF_COUNTRIES, 'A company as of an earlier date');
  return { country: served, taxId, asOf: requireDayUpToToday(date, 'as_of', now()) };
}

const toRegime = (given: TaxRegime | null) => given && { is_member: given.isMember, since: given.since, until: given.until };

const toChamberReply = (one: ChamberRegistration) => ({
  chamber: one.chamber,
  number: one.number,
  state: one.state,
  category: one.category,
  registered_on: one.registeredOn,
  last_renewed_year: one.lastRenewedYear,
  cancelled_on: one.cancelledOn,
  is_chosen: one.isChosen,
});

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
    chamber_registrations: record.chamberRegistrations?.map(toChamberReply) ?? null,
    last_renewed_year: record.lastRenewedYear,
    not_renewed_since: record.notRenewedSince,
    source: record.source,
    mirror: record.mirror,
  };
}
