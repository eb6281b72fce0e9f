import { z } from 'zod';
import { completenessOf } from '../../../domain/answer.ts';
import { parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { COPY_COUNTRIES } from '../../../loaders/registry-copy.ts';
import { country, dateOrNull, givenTaxId, identifier, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { type Branch, parseBranchCursor, toBranchCursor } from '../domain/branch.ts';
import { branchesLoader } from '../loaders/branches.ts';
import { term } from './registration.ts';

const text = z.string().nullable();

const branchReply = z
  .object({
    identifier: z.string().describe('Bare CNPJ'),
    trade_name: text,
    status: z.enum(['active', 'inactive']),
    status_text: z.string().describe('Status in the words of the registry'),
    status_since: dateOrNull,
    opened_on: dateOrNull,
    main_activity: term.nullable(),
    municipality: text,
    region: text.describe('Two letters of the state'),
  })
  .meta({ id: 'Branch' });

const toReply = (branch: Branch): z.input<typeof branchReply> => ({
  identifier: branch.taxId,
  trade_name: branch.tradeName,
  status: branch.status,
  status_text: branch.statusText,
  status_since: branch.statusSince,
  opened_on: branch.openedOn,
  main_activity: branch.mainActivity,
  municipality: branch.municipality,
  region: branch.region,
});

/**
 * GET /v1/companies/{country}/{id}/branches: a page of the branches of a company. A company that the registry does not have is 200 with
 * `company_known` false. 422 for a malformed tax id, page or cursor, or another country; 503 while the own copy of the registry fails, and
 * on a service without one.
 */
export const branchesRoute = defineRoute({
  method: 'GET',
  path: '/v1/companies/:country/:id/branches',
  module: branchesLoader.module,
  operationId: 'listBranches',
  summary: 'Branches of a Brazilian company, from the own copy of the registry.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({
    country,
    id: identifier,
    limit: pageSize,
    after: pageAfter,
    status: z.enum(['active', 'inactive']).optional().describe('Only branches with this status'),
  }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(COPY_COUNTRIES),
    company_known: z.boolean().describe('False if the registry has no such company'),
    branches: z.array(branchReply),
    completeness: z.enum(['complete', 'partial']),
    reason: text.describe('Reason for which branches may be missing; null for a complete list'),
    data_as_of: dateOrNull.describe('Date of the extract of the registry'),
    ...pageEnd,
  }),
  async handle({ country, id, limit, after, status = null }, ctx) {
    const company = parseCompanyKey(requireCountry(country, COPY_COUNTRIES, 'The list of branches'), id);
    const position = after === undefined ? null : parseBranchCursor(company, status, after);
    const { value, freshness } = await ctx.ask(branchesLoader, { company, first: Number(limit), after: position, status });
    const { items, hasMore, companyKnown, reason } = value;
    return {
      identifier: id,
      country: company.country,
      company_known: companyKnown,
      branches: items.map(toReply),
      completeness: completenessOf(reason),
      reason: reason?.in(ctx.language) ?? null,
      data_as_of: freshness.dataAsOf,
      has_more: hasMore,
      next_after: nextAfter(items, (branch) => toBranchCursor(status, branch)),
    };
  },
});
