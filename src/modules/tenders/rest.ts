import { z } from 'zod';
import type { RequestContext } from '../../context.ts';
import { COUNTRIES, type CompanyKey, formatTaxId, parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { AppError, invalidInput } from '../../domain/errors.ts';
import { fromDayMonthYear } from '../../domain/time.ts';
import { companyMessages } from '../../messages/companies.ts';
import { coverageIn } from '../../messages/coverage.ts';
import { fieldMessages } from '../../messages/fields.ts';
import { country, dateOrNull, identifier, searchText, wholeNumber } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { parseDomain } from '../../sources/domains/domain.ts';
import { type AwardedContract, clampToToday, marketplaceDay } from './domain.ts';
import { awardedContractsLoader, supplierByDomainLoader, tenderOrdersLoader, tenderSearchLoader } from './loader.ts';
import { mercadopublico } from './sources/mercadopublico/mercadopublico.ts';
import { pncp } from './sources/pncp/pncp.ts';
import { secopii } from './sources/secopii/secopii.ts';

/** Maximum number of records in a REST reply; its total counts all. GraphQL pages through them. */
const MAX_RECORDS = 1_000;

/** Marketplace → the attribution that its licence asks for. */
const ATTRIBUTIONS = {
  mercadopublico: mercadopublico.attribution,
  pncp: pncp.attribution,
  secopii: secopii.attribution,
};
const attribution = z.string().describe('Publisher and licence, to be shown wherever the data is');

/** Fields that identify a supplier. The first one present is used. */
const supplierFields = {
  identifier: identifier.nullish(),
  rut: identifier.nullish().describe('Another name of `identifier`'),
  domain: z
    .string('Give the domain as text.')
    .trim()
    .min(1, 'Give a domain.')
    .nullish()
    .describe('Domain of the company, under .cl or .br; used if no tax id is given'),
};

interface SupplierBody {
  readonly identifier?: string | null;
  readonly rut?: string | null;
  readonly domain?: string | null;
}

/** A supplier, with its tax id as the caller wrote it; punctuated if the supplier was found by domain. */
interface Supplier {
  readonly key: CompanyKey;
  readonly written: string;
}

/**
 * Resolves the supplier of a request body. `country` is the requested one; null means Chile, or the domain's country.
 * @throws AppError INVALID_INPUT, UNSUPPORTED_COUNTRY, DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE
 */
async function supplierOf(body: SupplierBody, country: string | null, ctx: RequestContext): Promise<Supplier> {
  const served = requireCountry(country ?? 'CL', COUNTRIES, 'Public procurement');
  const written = body.identifier ?? body.rut;
  if (written) {
    const field = body.identifier ? 'identifier' : 'rut';
    return { key: parseCompanyKey(served, written, field), written };
  }
  if (!body.domain) throw invalidInput('identifier', companyMessages.idOrDomain());
  if (served === 'CO') {
    throw new AppError('UNSUPPORTED_COUNTRY', companyMessages.domainCountries(), { field: 'domain' });
  }
  const { domain, start } = parseDomain(body.domain);
  const family = `.${served.toLowerCase()}`;
  if (country !== null && !domain.endsWith(family)) {
    throw invalidInput('domain', companyMessages.domainOfCountry({ country: served, family }));
  }
  const { value: key } = await ctx.ask(supplierByDomainLoader, { domain, start });
  return { key, written: formatTaxId(key) };
}

/**
 * POST /v1/tenders: orders and contracts of a supplier, newest first. The reply for a supplier without any is 200 with an empty list. 404
 * domain not resolved; 422 malformed identifier, other country, a domain for CO; 503 marketplace or index down.
 */
export const ordersRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders',
  module: 'tenders',
  operationId: 'listOrders',
  summary: 'Public purchase orders and contracts of a supplier (CL, BR, CO).',
  errors: ['UNSUPPORTED_COUNTRY', 'DOMAIN_NOT_RESOLVED', 'SOURCE_UNAVAILABLE'],
  body: z.object({ ...supplierFields, country: country.nullish().describe("ISO 3166-1 alpha-2; CL, or the domain's, when left out") }),
  reply: z.object({
    rut: z.string(),
    identifier: z.string(),
    country: z.string(),
    total_orders: z.int().describe(`Number of all results; the newest ${MAX_RECORDS} are listed`),
    orders: z.array(z.object({ code: z.string(), name: z.string(), status: z.string() })),
    source: z.enum(['mercadopublico', 'pncp', 'secopii']),
    attribution,
    coverage: z.string().describe('The data that was searched, and the data that was not'),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const { key, written } = await supplierOf(body, body.country ?? null, ctx);
    const { value, freshness } = await ctx.ask(tenderOrdersLoader, { key, first: MAX_RECORDS, after: null });
    return {
      rut: written,
      identifier: written,
      country: key.country,
      total_orders: value.page.total,
      orders: value.page.items.map(({ code, name, status }) => ({ code, name, status })),
      source: value.source,
      attribution: ATTRIBUTIONS[value.source],
      coverage: coverageIn(value, ctx.language),
      data_as_of: freshness.dataAsOf,
    };
  },
});

const contractReply = z
  .object({
    code: z.string(),
    name: z.string(),
    status: z.string(),
    amount: z.number().describe('Sum of the lines that the company won'),
    currency: z.string().describe('ISO 4217; CLF is the UF. UTM for the UTM, which has no ISO code'),
    awarded_at: z.string().describe('Chilean local time without offset'),
    buyer: z.string(),
    buyer_rut: z.string(),
  })
  .meta({ id: 'AwardedContract' });

const toContractReply = ({ code, name, status, total, awardedAt, buyer, buyerTaxId }: AwardedContract): z.input<typeof contractReply> => ({
  code,
  name,
  status,
  amount: total.amount,
  currency: total.currency,
  awarded_at: awardedAt,
  buyer,
  buyer_rut: buyerTaxId,
});

/**
 * POST /v1/tenders/awarded: tenders that a Chilean company won, newest first. The reply for a company without any is 200 with an empty
 * list. 404 domain not resolved; 422 malformed RUT, a domain that is not .cl; 503 index down.
 */
export const awardedRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders/awarded',
  module: 'tenders',
  operationId: 'listAwards',
  summary: 'Tenders that a company won (CL).',
  errors: ['UNSUPPORTED_COUNTRY', 'DOMAIN_NOT_RESOLVED', 'SOURCE_UNAVAILABLE'],
  body: z.object(supplierFields),
  reply: z.object({
    rut: z.string(),
    total: z.int().describe(`Number of all results; the newest ${MAX_RECORDS} are listed`),
    contracts: z.array(contractReply),
    source: z.literal('mercadopublico'),
    attribution,
    coverage: z.string().describe('The data that was searched, and the data that was not'),
    data_as_of: dateOrNull,
  }),
  async handle(body, ctx) {
    const { key, written } = await supplierOf(body, 'CL', ctx);
    const { value, freshness } = await ctx.ask(awardedContractsLoader, { key, first: MAX_RECORDS, after: null });
    return {
      rut: written,
      total: value.page.total,
      contracts: value.page.items.map(toContractReply),
      source: 'mercadopublico' as const,
      attribution: ATTRIBUTIONS.mercadopublico,
      coverage: coverageIn(value, ctx.language),
      data_as_of: freshness.dataAsOf,
    };
  },
});

const PAGE_SIZE = 20;

const day = z.string('Give the date as text, DD/MM/YYYY.').nullish().describe('DD/MM/YYYY, in the marketplace’s own time zone');

/**
 * POST /v1/tenders/search: calls for tenders, newest first, 20 per page. The reply without results is 200 with an empty list. 422 other
 * country, bad, inverted or future dates, a date range that the marketplace does not support; 503 marketplace down.
 */
export const searchRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders/search',
  module: 'tenders',
  operationId: 'searchTenders',
  summary: 'Calls for tenders, by words and dates (CL, BR, CO).',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({
    country,
    keyword: searchText(z.string('Give the keyword as text.').trim().max(200, 'Give at most 200 characters.'))
      .nullish()
      .describe('Every word must occur in the title or the description; accents and case are ignored'),
    date_from: day,
    date_to: day,
    page: wholeNumber(z.int('Give the page as a whole number.').min(1, 'Pages count from 1.')).nullish().describe('From 1'),
  }),
  reply: z.object({
    total: z.int().describe('Results on this page'),
    results: z.array(
      z.object({
        code: z.string(),
        name: z.string(),
        status: z.string(),
        closes_at: z.string().describe('Local time without offset; empty where the marketplace states none'),
      }),
    ),
    source: z.enum(['mercadopublico', 'pncp', 'secopii']),
    attribution,
    page: z.int(),
    has_more: z.boolean(),
    coverage: z.string().nullable().describe('The data that was searched, if less than requested; null for a complete search'),
  }),
  async handle(body, ctx) {
    const requested = {
      country: requireCountry(body.country, COUNTRIES, 'Public procurement'),
      keyword: body.keyword || null,
      from: readDay(body.date_from, 'date_from'),
      to: readDay(body.date_to, 'date_to'),
    };
    const search = clampToToday(requested, marketplaceDay(requested.country, ctx.now()), { from: 'date_from', to: 'date_to' });
    const { value } = await ctx.ask(tenderSearchLoader, search);
    const page = body.page ?? 1;
    const results = value.notices.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    return {
      total: results.length,
      results: results.map(({ code, name, status, closesAt }) => ({ code, name, status, closes_at: closesAt ?? '' })),
      source: value.source,
      attribution: ATTRIBUTIONS[value.source],
      page,
      has_more: value.notices.length > page * PAGE_SIZE,
      coverage: coverageIn(value, ctx.language),
    };
  },
});

function readDay(text: string | null | undefined, field: string): string | null {
  if (!text?.trim()) return null;
  const iso = fromDayMonthYear(text);
  if (!iso) throw invalidInput(field, fieldMessages.calendarDay({ field }));
  return iso;
}
