import { z } from 'zod';
import { flag, identifier, wholeNumber } from '../rest/fields.ts';
import { first, nextPage, optionalCountry } from './inputs.ts';
import { FRESHNESS, PAGE, type Tool } from './tool-parts.ts';

/** The tools for the companies around a company of Brazil or Chile. */
export const OWNERSHIP_TOOLS: readonly Tool[] = [
  {
    name: 'company_holdings',
    title: 'Companies that a company owns',
    description:
      'Companies of which a company of Brazil or Chile is a registered owner or officer, with role and date of entry (BR) or share (CL). `reason` says why companies may be missing; SOURCE_NOT_CONFIGURED means that the service cannot answer, not that there are none. Module: owners; a page is counted as one check.',
    input: z.strictObject({ identifier, country: optionalCountry, first, after: nextPage }),
    document: `query CompanyHoldings($identifier: String!, $country: Country, $first: Int, $after: String) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    owns(first: $first, after: $after) {
      nodes { company { formattedIdentifier } name status role since share { percent basis } }
      companyKnown
      completeness
      reason
      ${FRESHNESS}
      ${PAGE}
    }
  }
}`,
  },
  {
    name: 'company_branches',
    title: 'Branches of a company',
    description:
      'Branches of a Brazilian company, by CNPJ. SOURCE_NOT_CONFIGURED means that the service cannot answer, not that there are none. Module: kyb; a page is counted as one check.',
    input: z.strictObject({ identifier, status: z.enum(['ACTIVE', 'INACTIVE']).optional(), first, after: nextPage }),
    document: `query CompanyBranches($identifier: String!, $status: RegistrationStatus, $first: Int, $after: String) {
  company(identifier: $identifier, country: BR) {
    formattedIdentifier
    branches(status: $status, first: $first, after: $after) {
      nodes { company { formattedIdentifier } tradeName status openedOn municipality region }
      companyKnown
      completeness
      reason
      ${FRESHNESS}
      ${PAGE}
    }
  }
}`,
  },
  {
    name: 'company_group',
    title: 'Group of a company',
    description:
      'Companies that own a company of Brazil or Chile and those that it owns, directly or through others. `notSeen` says what the graph does not show; with NO_COPY nothing is known about what the company owns. Module: owners.',
    input: z.strictObject({
      identifier,
      country: optionalCountry,
      depth: wholeNumber(z.int().min(1).max(10).default(3)).describe('Levels to follow'),
      direction: z.enum(['BOTH', 'UP', 'DOWN']).default('BOTH'),
    }),
    document: `query CompanyGroup($identifier: String!, $country: Country, $depth: Int, $direction: GroupDirection) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    group(depth: $depth, direction: $direction) {
      complete
      nodes { company { formattedIdentifier } name depth relation }
      edges { owner { formattedIdentifier } owned { formattedIdentifier } role since share { percent basis } }
      notSeen { reason count companies { formattedIdentifier } }
      ${FRESHNESS}
    }
  }
}`,
  },
  {
    name: 'company_connection',
    title: 'Connection of two companies',
    description:
      'Shortest path between two companies of Brazil, or of Chile, through owners and the companies that they own. NONE_WITHIN_LIMITS and STOPPED do not prove that there is none. A person on the path is known by `ownerIdentity` only, which is probable and not certain: say so. Module: owners.',
    input: z.strictObject({
      from: identifier,
      to: identifier,
      country: optionalCountry,
      maxDepth: wholeNumber(z.int().min(1).max(6).default(4)).describe('Maximum number of edges'),
      people: flag(z.boolean().default(true)).describe('True: the path may go through people'),
    }),
    document: `query CompanyConnection($from: String!, $to: String!, $country: Country, $maxDepth: Int, $people: Boolean) {
  connection(from: { identifier: $from, country: $country }, to: { identifier: $to, country: $country }, maxDepth: $maxDepth, people: $people) {
    status
    stoppedBy
    length
    edges {
      owner { formattedIdentifier }
      ownerName
      ownerIdentity { identifier name namesakes expectedOthers }
      owned { formattedIdentifier }
      ownedName
      role
      since
      share { percent basis }
    }
    visitedCompanies
    visitedPeople
    fromKnown
    toKnown
    reason
    ${FRESHNESS}
  }
}`,
  },
];
