import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { companyBody } from '../../../rest/company-route.ts';
import { country, dateOrNull, flag, givenTaxId, identifier, wholeNumber } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { GROUP_RELATIONS, type OwnershipGraph } from '../domain/graph.ts';
import {
  lengthOf,
  MAX_PATH_DEPTH,
  PATH_STATUSES,
  type PathEdge,
  type PathStatus,
  type PathStop,
  requirePathDepth,
  STOP_REASONS,
} from '../domain/path.ts';
import { companyNotFound } from '../domain.ts';
import { groupLoader } from '../loaders/group.ts';
import { pathLoader } from '../loaders/path.ts';
import { GRAPH_COUNTRIES } from '../loaders/upwards.ts';
import {
  cnpj,
  companyName,
  edgeReply,
  gapReply,
  groupDepth,
  groupDirection,
  identityReply,
  namesOf,
  toEdgeReply,
  toGapReply,
  toIdentityReply,
} from './graph-parts.ts';
import { shareReply, toShareReply } from './share.ts';

const graphReply = {
  nodes: z.array(
    z
      .object({ identifier: cnpj, company_name: companyName, depth: z.int(), relation: z.enum(GROUP_RELATIONS) })
      .meta({ id: 'OwnershipNode' }),
  ),
  edges: z.array(edgeReply),
  complete: z.boolean().describe('False if companies were omitted; `not_seen` says why'),
  not_seen: z.array(gapReply),
};

const toGraph = ({ nodes, edges, complete, notSeen }: OwnershipGraph) => ({
  nodes: nodes.map(({ taxId, name, depth, relation }) => ({ identifier: taxId, company_name: name, depth, relation })),
  edges: edges.map(toEdgeReply),
  complete,
  not_seen: notSeen.map(toGapReply),
});

/**
 * POST /v1/group: the companies above and below a company. 404 for an unknown company; 422 for a malformed CNPJ or depth, or another country;
 * 503 while the registry fails, and for `down` on a service without an own copy of it.
 */
export const groupRoute = defineRoute({
  method: 'POST',
  path: '/v1/group',
  module: groupLoader.module,
  operationId: 'getGroup',
  summary: 'Companies that own a company of Brazil or Chile and those that it owns, directly or through other companies.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED', 'COMPANY_NOT_FOUND'],
  body: companyBody.extend({ depth: groupDepth, direction: groupDirection }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(GRAPH_COUNTRIES),
    ...graphReply,
    data_as_of: dateOrNull,
  }),
  async handle({ identifier, country, depth, direction }, ctx) {
    const company = parseCompanyKey(requireCountry(country, GRAPH_COUNTRIES, 'The group of a company'), identifier);
    const { value, freshness } = await ctx.ask(groupLoader, { company, depth, direction });
    if (!value) throw companyNotFound(company.country);
    return { identifier, country: company.country, ...toGraph(value), data_as_of: freshness.dataAsOf };
  },
});

const pathCompany = z.object({ identifier: cnpj, company_name: companyName }).meta({ id: 'PathCompany' });

const pathEdge = z
  .object({
    owner: pathCompany.nullable().describe('Null for a person'),
    person: z.object({ name: z.string(), identity: identityReply }).nullable().describe('Null for a company'),
    owned: pathCompany,
    role: z.string(),
    since: dateOrNull,
    share: shareReply.optional().describe('CL only'),
  })
  .meta({ id: 'CompanyPathEdge' });

const toPathEdge = ({ owner, person, owned, role, since, share }: PathEdge): z.input<typeof pathEdge> => ({
  owner: owner && { identifier: owner.taxId, company_name: owner.name },
  person: person && { name: person.name, identity: toIdentityReply(person.identity) },
  owned: { identifier: owned.taxId, company_name: owned.name },
  role,
  since,
  ...(share && { share: toShareReply(share) }),
});

/** An end of a path. */
const companyReference = z.object({ identifier, country });

/**
 * POST /v1/connection: a shortest path between two companies. A path that does not exist is 200 with the status `none_within_limits`. 422 for a
 * malformed CNPJ or depth, or another country; 503 while the own copy of the registry fails, and on a service without one.
 */
export const connectionRoute = defineRoute({
  method: 'POST',
  path: '/v1/connection',
  module: pathLoader.module,
  operationId: 'getConnection',
  summary: 'Shortest path between two companies of Brazil, or of Chile, through owners and the companies that they own.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED'],
  body: z.object({
    from: companyReference,
    to: companyReference,
    max_depth: wholeNumber(z.int('Give a number from 1 to 6.').default(4)).describe(`Maximum number of edges, 1 to ${MAX_PATH_DEPTH}`),
    people: flag(z.boolean('Give true or false.').default(true)).describe('true: the path may go through people'),
  }),
  reply: z.object({
    status: namesOf<PathStatus>(PATH_STATUSES),
    stopped_by: namesOf<PathStop>(STOP_REASONS).nullable().describe('Reason of the status stopped'),
    length: z.int().nullable().describe('Number of edges; null without a path'),
    edges: z.array(pathEdge).describe('In the order from the first company to the second one'),
    visited_companies: z.int(),
    visited_people: z.int(),
    from_known: z.boolean().describe('False if the registry has no such company'),
    to_known: z.boolean(),
    reason: z.string().nullable().describe('Reason for which edges may be missing in the copy'),
    data_as_of: dateOrNull.describe('Date of the extract of the registry'),
  }),
  async handle({ from, to, max_depth, people }, ctx) {
    const keyOf = ({ identifier, country }: typeof from, field: string) =>
      parseCompanyKey(requireCountry(country, GRAPH_COUNTRIES, 'The connection of companies'), identifier, `${field}.identifier`);
    const maxDepth = requirePathDepth(max_depth, 'max_depth');
    const { value, freshness } = await ctx.ask(pathLoader, { from: keyOf(from, 'from'), to: keyOf(to, 'to'), maxDepth, people });
    return {
      status: value.status,
      stopped_by: value.stoppedBy,
      length: lengthOf(value),
      edges: value.edges.map(toPathEdge),
      visited_companies: value.visitedCompanies,
      visited_people: value.visitedPeople,
      from_known: value.fromKnown,
      to_known: value.toKnown,
      reason: value.reason?.in(ctx.language) ?? null,
      data_as_of: freshness.dataAsOf,
    };
  },
});
