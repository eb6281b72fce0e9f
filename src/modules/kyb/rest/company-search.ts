import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../domain/paging.ts';
import {
  activityCode,
  country,
  dateOrNull,
  flag,
  legalNatureCode,
  pageEnd,
  registrationStatus,
  searchText,
  wholeNumber,
} from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { MATCHED_NAMES, SEARCH_LIMITS } from '../domain/company-search.ts';
import { searchCompanies } from '../loaders/search-companies.ts';

const givenText = z.string('Give text.');
const text = givenText.nullish();
const day = z.iso.date('Give a day, YYYY-MM-DD.').nullish();

const filter = z
  .object({
    status: z.enum(['active', 'inactive']).nullish(),
    state: text.describe('Two letters of the state (UF)'),
    municipality: text.describe('Name, or code at the tax registry, which is not that of IBGE'),
    activity: activityCode(givenText).nullish().describe('Main activity: the first two to seven digits of its CNAE code'),
    legal_nature: legalNatureCode(givenText).nullish().describe('Four digits of the legal nature (natureza jurídica)'),
    size: z.enum(['micro', 'small', 'other']).nullish().describe('MICRO EMPRESA, EMPRESA DE PEQUENO PORTE, DEMAIS'),
    opened_from: day.describe('YYYY-MM-DD, inclusive'),
    opened_to: day.describe('YYYY-MM-DD, inclusive'),
    is_head_office: flag(z.boolean()).nullish().describe('True for head offices only, false for branches only'),
  })
  .meta({ id: 'CompanyFilter' });

/**
 * POST /v1/search: companies by name, the best first. The reply without results is 200 with an empty list. 422 for a name without a word, a
 * cursor of another search or another country; 503 while the copy of the registry is overdue, or if there is none (`source_not_configured`).
 */
export const companySearchRoute = defineRoute({
  method: 'POST',
  path: '/v1/search',
  module: 'kyb',
  operationId: 'searchCompanies',
  summary: 'Companies by name, from the copy of the tax registry (BR, CL).',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({
    name: searchText(
      z
        .string('Give the name as text.')
        .max(200, 'Give at most 200 characters.')
        .describe('Name or part of it. Every word must occur in the name; accents, letter case and legal forms are ignored'),
    ),
    country,
    filter: filter.nullish().describe('Conditions on an establishment; BR only'),
    limit: wholeNumber(z.int().min(1, 'Give a number from 1 to 100.').max(MAX_PAGE_SIZE, 'Give a number from 1 to 100.'))
      .nullish()
      .describe('Companies per page, 1 to 100; 20 when left out'),
    after: z.string().max(256, 'A cursor is shorter than this.').nullish().describe('next_after of the previous page of the same search'),
  }),
  reply: z.object({
    country: z.enum(['BR', 'CL']),
    results: z.array(
      z
        .object({
          identifier: z.string().describe('Tax id without punctuation; BR: of the establishment'),
          name: z.string().describe('Legal name; for a sole trader, whose legal name is that of a person, the trade name'),
          trade_name: z.string().nullable(),
          status: registrationStatus.nullable().describe('active or inactive; null for CL'),
          municipality: z.string().nullable(),
          state: z.string().nullable(),
          opened_on: dateOrNull,
          matched_on: z.enum(MATCHED_NAMES).describe('The name that has the words'),
          score: z.number().describe('CL: similarity of the names. BR: share of the words of the name that were searched. 0 to 1'),
        })
        .meta({ id: 'FoundCompany' }),
    ),
    ...pageEnd,
    is_truncated: z.boolean().describe('True if not all companies with the words were found'),
    limited_by: z.enum(SEARCH_LIMITS).nullable().describe('Reason why not all were found; null if all were'),
    searched: z.array(z.enum(MATCHED_NAMES)).describe('The names that were searched'),
    data_as_of: dateOrNull.describe('Date of the copy of the registry'),
  }),
  async handle({ name, country, filter, limit, after }, ctx) {
    const { value, freshness, cursorOf, ...found } = await searchCompanies(
      { name, country, filter: filter ? filterOf(filter) : null, first: limit ?? DEFAULT_PAGE_SIZE, after: after || null },
      ctx,
    );
    const last = value.companies.at(-1);
    return {
      country: found.country,
      results: value.companies.map((company) => ({
        identifier: company.taxId,
        name: company.name,
        trade_name: company.tradeName,
        status: company.status,
        municipality: company.municipality,
        state: company.state,
        opened_on: company.openedOn,
        matched_on: company.matchedOn,
        score: company.score / 1_000,
      })),
      has_more: value.hasMore,
      next_after: last ? cursorOf(last) : null,
      is_truncated: value.limitedBy !== null,
      limited_by: value.limitedBy,
      searched: [...value.searched],
      data_as_of: freshness.dataAsOf,
    };
  },
});

const filterOf = (given: z.output<typeof filter>) => ({
  ...given,
  legalNature: given.legal_nature,
  openedFrom: given.opened_from,
  openedTo: given.opened_to,
  isHeadOffice: given.is_head_office,
});
