import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { companyBody } from '../../../rest/company-route.ts';
import { dateOrNull, givenTaxId } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import type { GroupFinding } from '../domain/findings.ts';
import { GROUP_RELATIONS } from '../domain/graph.ts';
import { companyNotFound } from '../domain.ts';
import { groupLoader } from '../loaders/group.ts';
import { GRAPH_COUNTRIES } from '../loaders/upwards.ts';
import { findInGroup } from '../service/group-findings.ts';
import { cnpj, companyName, edgeReply, gapReply, groupDepth, groupDirection, toEdgeReply, toGapReply } from './graph-parts.ts';
import { listName, listNotChecked, toListNotChecked } from './screening.ts';

const findingReply = z
  .object({
    identifier: cnpj,
    company_name: companyName,
    relation: z.enum(GROUP_RELATIONS),
    depth: z.int().describe('Distance from the requested company, which has 0'),
    list_name: listName,
    uid: z.string().describe("The list's own id of the party or record"),
    entry_name: z.string().describe('Name of the party, as listed'),
    matched_on: z.enum(['tax_id', 'root']).describe('tax_id: the record names this establishment. root: another branch'),
    programs: z.array(z.string()).describe('Sanctions programmes; the kind of penalty on CEIS and CNEP'),
    starts_on: dateOrNull.describe('Start of the penalty or listing'),
    ends_on: dateOrNull.describe('End of the penalty or listing, which may have passed'),
    path: z.array(edgeReply).describe('Edges from the requested company to this one; empty for the requested company itself'),
  })
  .meta({ id: 'GroupFinding' });

const toFindingReply = ({ company, list, entityId, entryName, matchedOn, ...finding }: GroupFinding): z.input<typeof findingReply> => ({
  identifier: company.taxId,
  company_name: company.name,
  relation: company.relation,
  depth: company.depth,
  list_name: list,
  uid: entityId,
  entry_name: entryName,
  matched_on: matchedOn,
  programs: [...finding.programs],
  starts_on: finding.startsOn,
  ends_on: finding.endsOn,
  path: finding.path.map(toEdgeReply),
});

/**
 * POST /v1/group-findings: listed, debarred and forced-labour companies of a group, each with its path. 404 for an unknown company; 403 for a
 * key without the module of any list; 422 for a malformed CNPJ or depth, or another country; 503 while the registry fails, and for `down` on a
 * service without an own copy of it. A list that cannot be read is named in `lists_not_checked`.
 */
export const groupFindingsRoute = defineRoute({
  method: 'POST',
  path: '/v1/group-findings',
  module: groupLoader.module,
  operationId: 'getGroupFindings',
  summary: 'Listed, debarred and forced-labour companies of the group of a company of Brazil or Chile, each with its path.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', 'SOURCE_NOT_CONFIGURED', 'COMPANY_NOT_FOUND'],
  body: companyBody.extend({ depth: groupDepth, direction: groupDirection }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(GRAPH_COUNTRIES),
    findings: z
      .array(findingReply)
      .nullable()
      .describe('Nearest companies first. Null: none was found, and a list could not be read; that is no clearance'),
    companies_checked: z.int().describe('Number of companies of the group that the lists were searched for'),
    lists_checked: z.array(listName),
    lists_not_checked: z.array(listNotChecked),
    complete: z.boolean().describe('False if the group may have more companies; `not_seen` says why'),
    not_seen: z.array(gapReply),
    data_as_of: dateOrNull.describe('Date of the oldest part'),
  }),
  async handle({ identifier, country, depth, direction }, ctx) {
    const company = parseCompanyKey(requireCountry(country, GRAPH_COUNTRIES, 'The group of a company'), identifier);
    const found = await findInGroup({ company, depth, direction }, ctx);
    if (!found) throw companyNotFound(company.country);
    return {
      identifier,
      country: company.country,
      findings: found.findings?.map(toFindingReply) ?? null,
      companies_checked: found.companiesChecked,
      lists_checked: [...found.listsChecked],
      lists_not_checked: found.listsNotChecked.map(toListNotChecked),
      complete: found.complete,
      not_seen: found.notSeen.map(toGapReply),
      data_as_of: found.freshness.dataAsOf,
    };
  },
});
