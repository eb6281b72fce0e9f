import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { companyBody } from '../../../rest/company-route.ts';
import { dateOrNull, givenTaxId, wholeNumber } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import type { BeneficialOwner } from '../domain/beneficial.ts';
import { companyNotFound } from '../domain.ts';
import { beneficialOwnersLoader } from '../loaders/beneficial.ts';
import { GRAPH_COUNTRIES } from '../loaders/upwards.ts';
import { cnpj, edgeReply, gapReply, toEdgeReply, toGapReply } from './graph-parts.ts';
import { shareReply, toShareReply } from './share.ts';

const ownerReply = z
  .object({
    name: z.string(),
    identifier: z.string().nullable().describe('Masked CPF; null for most foreigners'),
    role: z.string().describe('The first one of several'),
    roles: z.array(z.string()).optional().describe('All roles of the person in the company, each once, also those of an officer'),
    entry_date: dateOrNull,
    country: z.string().nullable().describe('Country of a foreign owner; null for Brazilian residents'),
    registered_in: cnpj.describe('Bare CNPJ of the company that names the person: the requested one for a direct owner'),
    path: z.array(edgeReply).describe('Edges from the requested company to the company that names the person; empty for a direct owner'),
    share: shareReply,
    is_aggregate: z.literal(true).optional().describe('CL: all natural persons of a company together, without a name'),
  })
  .meta({ id: 'BeneficialOwner' });

const toOwnerReply = ({
  entryDate,
  registeredIn,
  path,
  share,
  isAggregate,
  roles,
  ...owner
}: BeneficialOwner): z.input<typeof ownerReply> => ({
  ...owner,
  roles: [...roles],
  entry_date: entryDate,
  registered_in: registeredIn,
  path: path.map(toEdgeReply),
  share: toShareReply(share),
  ...(isAggregate && { is_aggregate: true }),
});

const WRONG_SHARE = 'Give a percentage from 0 to 100.';

/**
 * POST /v1/beneficial-owners: natural persons at the ends of the paths of owners. 404 for an unknown company; 422 for a malformed CNPJ or
 * share, or another country; 503 while the registry fails.
 */
export const beneficialOwnersRoute = defineRoute({
  method: 'POST',
  path: '/v1/beneficial-owners',
  module: beneficialOwnersLoader.module,
  operationId: 'getBeneficialOwners',
  summary: 'Natural persons who own a company of Brazil or Chile, directly or through other companies.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'COMPANY_NOT_FOUND'],
  body: companyBody.extend({
    min_share: wholeNumber(z.number(WRONG_SHARE).min(0, WRONG_SHARE).max(100, WRONG_SHARE).default(25)).describe(
      'Minimum share in percent. A person whose share is not known is included in any case',
    ),
  }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(GRAPH_COUNTRIES),
    owners: z.array(ownerReply).describe('Nearest owners first'),
    complete: z.boolean().describe('False if a person may be missing; `not_seen` says why'),
    not_seen: z.array(gapReply),
    data_as_of: dateOrNull,
  }),
  async handle({ identifier, country, min_share: minShare }, ctx) {
    const company = parseCompanyKey(requireCountry(country, GRAPH_COUNTRIES, 'The owners of a company'), identifier);
    const { value, freshness } = await ctx.ask(beneficialOwnersLoader, { company, minShare });
    if (!value) throw companyNotFound(company.country);
    return {
      identifier,
      country: company.country,
      owners: value.owners.map(toOwnerReply),
      complete: value.complete,
      not_seen: value.notSeen.map(toGapReply),
      data_as_of: freshness.dataAsOf,
    };
  },
});
