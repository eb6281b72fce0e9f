import { z } from 'zod';
import { flag, identifier, wholeNumber } from '../rest/fields.ts';
import { asOf, first, nextPage, optionalCountry } from './inputs.ts';
import { FRESHNESS, PAGE, type Tool } from './tool-parts.ts';

const depth = wholeNumber(z.int().min(1).max(10).default(3)).describe('Levels to follow');
const direction = z.enum(['BOTH', 'UP', 'DOWN']).default('BOTH');

/** The tools for the owners of a company, and for the companies around one of Brazil or Chile. */
export const OWNERSHIP_TOOLS: readonly Tool[] = [
  {
    name: 'company_owners',
    title: 'Owners of a company',
    description:
      'Registered owners and officers of a company with role and date of entry: BR; CL as declared to the tax registry, with shares; CO the legal representative only, because partners are not published (`partnersPublished`). Of a company of Brazil or Chile also of an earlier day, with `asOf`: `dataAsOf` is the day of the extract or file that answers. Module: owners.',
    input: z.strictObject({ identifier, country: optionalCountry, asOf }),
    document: `query CompanyOwners($identifier: String!, $country: Country, $asOf: Date) {
  company(identifier: $identifier, country: $country, asOf: $asOf) {
    country
    formattedIdentifier
    owners {
      companyKnown
      partnersPublished
      owners { name role entityType identifier entryDate country share { percent basis } }
      source
      ${FRESHNESS}
    }
  }
}`,
  },
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
    input: z.strictObject({ identifier, country: optionalCountry, depth, direction }),
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
    name: 'company_group_findings',
    title: 'Listed companies in a group',
    description:
      'Listed, debarred and forced-labour companies of the group of a company of Brazil or Chile, by tax id, each with its path; CL: sanctions lists only. They change no verdict. `findings` is null if none was found and a list could not be read: that is no clearance. `listsNotChecked` and `notSeen` say what was not covered. Modules: owners, and one or more of sanctions, debarment and labor for their lists.',
    input: z.strictObject({ identifier, country: optionalCountry, depth, direction }),
    document: `query CompanyGroupFindings($identifier: String!, $country: Country, $depth: Int, $direction: GroupDirection) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    groupFindings(depth: $depth, direction: $direction) {
      findings {
        company { formattedIdentifier }
        companyName
        relation
        depth
        list
        entityId
        entryName
        matchedOn
        programs
        startsOn
        endsOn
        path { owner { formattedIdentifier } owned { formattedIdentifier } role since }
      }
      companiesChecked
      listsChecked
      listsNotChecked { list reason }
      complete
      notSeen { reason count companies { formattedIdentifier } }
      ${FRESHNESS}
    }
  }
}`,
  },
  {
    name: 'company_beneficial_owners',
    title: 'Beneficial owners of a company',
    description:
      'Natural persons who own a company of Brazil or Chile, directly or through other companies, each with the path. BR: no shares are published; NOT_FILED means that the path of control is known and the share is not. CL: nobody is named; with `isAggregate` all natural persons of a company are one entry with their joint share, which `minShare` never leaves out. `notSeen` says where persons may be missing. Module: owners.',
    input: z.strictObject({
      identifier,
      country: optionalCountry,
      minShare: wholeNumber(z.number().min(0).max(100).default(25)).describe('Percent; a person with an unknown share is always included'),
    }),
    document: `query CompanyBeneficialOwners($identifier: String!, $country: Country, $minShare: Decimal) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    beneficialOwners(minShare: $minShare) {
      owners {
        name
        identifier
        isAggregate
        role
        roles
        entryDate
        country
        registeredIn { formattedIdentifier }
        path { owner { formattedIdentifier } owned { formattedIdentifier } role since }
        share { percent basis }
      }
      complete
      notSeen { reason count companies { formattedIdentifier } }
      ${FRESHNESS}
    }
  }
}`,
  },
  {
    name: 'company_owners_companies',
    title: 'Other companies of the owners',
    description:
      'The other companies of each owner of a company of Brazil or Chile, the first ones by tax id; in Chile only of owners that are companies. A person is found by name and the six visible digits of the CPF: probable and not certain, as `identity` says; say so. Null for an owner without an id. SOURCE_NOT_CONFIGURED means that the service cannot answer, not that there are none. Module: owners; the owners and the companies of each are counted as one check each.',
    input: z.strictObject({ identifier, country: optionalCountry, first }),
    document: `query CompanyOwnersCompanies($identifier: String!, $country: Country, $first: Int) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    owners {
      companyKnown
      owners {
        name
        entityType
        identifier
        identity { identifier name namesakes expectedOthers }
        otherCompanies(first: $first) {
          nodes { company { formattedIdentifier } name status role since }
          completeness
          reason
          ${PAGE}
          ${FRESHNESS}
        }
      }
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
