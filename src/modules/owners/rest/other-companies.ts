import { z } from 'zod';
import { completenessOf } from '../../../domain/answer.ts';
import { type CompanyKey, parseCompanyKey, readCompanyKey, requireCountry } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../../domain/paging.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { companyBody } from '../../../rest/company-route.ts';
import { dateOrNull, givenTaxId, identifier, nextAfter, pageEnd, wholeNumber } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import type { AnyOwners } from '../domain/declared.ts';
import { parseOtherCursor, toOtherCursor } from '../domain/holding-cursors.ts';
import { companyNotFound } from '../domain.ts';
import { ownerIdOf } from '../loader.ts';
import { HOLDING_COUNTRIES, identityLoader, type KnownOwner, knownOwner, otherCompaniesLoader } from '../loaders/holdings.ts';
import { ownersOrOfficersLoader } from '../loaders/officers.ts';
import { identityReply, toIdentityReply } from './graph-parts.ts';
import { holdingReply, toHoldingReply } from './holdings.ts';

/** The owners among which the given one is looked up. They are not counted, because the request may still be refused. */
const uncountedOwners: typeof ownersOrOfficersLoader = { ...ownersOrOfficersLoader, name: 'owners_uncounted', counts: () => false };

const WRONG_LIMIT = 'Give a number from 1 to 100.';

const givenOwner = z
  .object({
    name: z.string('Give the name as text.').max(500, 'A name is shorter than this.').nullish().describe('Required for a person'),
    identifier: identifier.describe('`identifier` of the owner: a masked CPF, a CNPJ or a RUT'),
  })
  .describe(
    'An owner of the company, as `POST /v1/owners` returns it; CL: a company, as GraphQL `owners` and `POST /v1/compliance` return it',
  );

/**
 * POST /v1/other-companies: a page of the other companies of an owner of a company. The owner must be one of the company now: people are
 * reached only from a company, and never by a search; in Chile only companies are. 404 for an unknown company; 422 for an owner that it does not have, a malformed tax id,
 * a cursor of another owner, or another country; 503 while the registry fails, and on a service without an own copy of it.
 */
export const otherCompaniesRoute = defineRoute({
  method: 'POST',
  path: '/v1/other-companies',
  module: otherCompaniesLoader.module,
  operationId: 'listOtherCompanies',
  summary: 'Other companies of an owner of a company of Brazil or Chile, from the own copy of the registry or the file of owners.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED', 'COMPANY_NOT_FOUND'],
  body: companyBody.extend({
    owner: givenOwner,
    limit: wholeNumber(z.int(WRONG_LIMIT).min(1, WRONG_LIMIT).max(MAX_PAGE_SIZE, WRONG_LIMIT))
      .nullish()
      .describe('Companies per page, 1 to 100; 20 when left out'),
    after: z.string().max(512, 'A cursor is shorter than this.').nullish().describe('next_after of the previous page of the same owner'),
  }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(HOLDING_COUNTRIES),
    owner: z.object({ name: z.string(), identifier: z.string(), entity_type: z.enum(['individual', 'company']) }),
    identity: identityReply.nullable().describe('Identity by which the companies of a person were found; null for a company'),
    companies: z.array(holdingReply).describe('By tax id, without the requested company: an item for each role and date of entry'),
    company_known: z.boolean().describe('False if the registry has no company with the tax id of the owner'),
    completeness: z.enum(['complete', 'partial']),
    reason: z.string().nullable().describe('Reason for which companies may be missing; null for a complete list'),
    data_as_of: dateOrNull.describe('Date of the extract of the registry'),
    ...pageEnd,
  }),
  async handle({ identifier, country, owner: given, limit, after }, ctx) {
    const company = parseCompanyKey(requireCountry(country, HOLDING_COUNTRIES, 'The other companies of an owner'), identifier);
    const { value: owners } = await ctx.ask(uncountedOwners, company);
    if (!owners) throw companyNotFound(company.country);
    const { owner, known } = requireOwner(owners.owners, given, company.country);
    const id = ownerIdOf(company.taxId, owner);
    const request = { company, owner: known, first: limit ?? DEFAULT_PAGE_SIZE, after: after ? parseOtherCursor(id, after) : null };
    const [{ value, freshness }, identity] = await Promise.all([
      ctx.ask(otherCompaniesLoader, request),
      'document' in known ? ctx.ask(identityLoader, known) : null,
    ]);
    await ctx.ask(ownersOrOfficersLoader, company); // counts them, now that the request is answered
    const { items, hasMore, companyKnown, reason } = value;
    return {
      identifier,
      country: company.country,
      owner: { name: owner.name, identifier: owner.identifier ?? '', entity_type: entityTypeOf(known) },
      identity: identity?.value ? toIdentityReply(identity.value) : null,
      companies: items.map(toHoldingReply),
      company_known: companyKnown,
      completeness: completenessOf(reason),
      reason: reason?.in(ctx.language) ?? null,
      data_as_of: freshness.dataAsOf,
      has_more: hasMore,
      next_after: nextAfter(items, ({ position }) => toOtherCursor(id, position)),
    };
  },
});

const entityTypeOf = (known: KnownOwner): 'company' | 'individual' => ('taxId' in known ? 'company' : 'individual');

/** Returns the owner that the caller names. @throws AppError INVALID_INPUT if the company has no such owner */
function requireOwner(
  owners: AnyOwners['owners'],
  { name, identifier }: z.output<typeof givenOwner>,
  country: CompanyKey['country'],
): { readonly owner: AnyOwners['owners'][number]; readonly known: KnownOwner } {
  const company = readCompanyKey(country, identifier);
  for (const owner of owners) {
    const known = knownOwner(owner, country);
    if (!known) continue;
    const isNamed =
      'taxId' in known ? 'taxId' in company && known.taxId === company.taxId : known.document === identifier && known.name === name;
    if (isNamed) return { owner, known };
  }
  throw invalidInput('owner', companyMessages.notAnOwner());
}
