import { z } from 'zod';
import { optionalLists } from '../domain/optional-lists.ts';
import { LIMITS } from '../graphql/limits.ts';
import { flag, identifier } from '../rest/fields.ts';
import {
  after,
  asOf,
  companyFilter,
  country,
  date,
  first,
  identifiers,
  nextPage,
  optionalCountry,
  sanctionsLists,
  words,
} from './inputs.ts';
import { OWNERSHIP_TOOLS } from './ownership-tools.ts';
import { FRESHNESS, PAGE, type Tool } from './tool-parts.ts';

export type { Tool } from './tool-parts.ts';

const company = z.strictObject({ identifier, country: optionalCountry });

const COMPANY = '$identifier: String!, $country: Country';
const SANCTIONS = `isSanctioned matches { list entityId entryName matchedOn programs } lists { list publishedOn } ${FRESHNESS}`;
const KYB = `companyName status foundedYear endDate specialSituation absence notRenewedSince source ${FRESHNESS}`;
const TAX_HEALTH = `companyName status riskSignals taxDebtor taxDebtAmount debtorsChecked companyAgeYears revenueTier ${FRESHNESS}`;
const CONTRACT_FINES = `isDebarred records { source entity kind amount resolution date contract isHistorical } namesCompared unassignedFines coverage ${FRESHNESS}`;
const TERM = '{ code text }';
const REGIME = '{ isMember since until }';
const REGISTRATION = `companyName tradeName legalNature ${TERM} size capital isCapitalRounded openedOn status statusText statusSince
      statusReason ${TERM} isBranch mainActivity ${TERM} otherActivities ${TERM}
      address { street number complement district municipality region postalCode foreignCity foreignCountry }
      simples ${REGIME} mei ${REGIME} federativeEntity specialSituation specialSituationSince
      chamberRegistrations { chamber number state category registeredOn lastRenewedYear cancelledOn isChosen } notRenewedSince source ${FRESHNESS}`;
const CHANGE = 'id cursor detectedAt source company { country formattedIdentifier } changedFields { field from to list } monitor { id }';

const OPTIONAL_LISTS_OF_DEBARMENT = optionalLists({ check: 'debarment' });

const BY_COUNTRY = 'Modules: compliance_br for Brazil, compliance for Chile and Colombia.';

export const TOOLS: readonly Tool[] = [
  {
    name: 'check_company',
    title: 'Check a company',
    description: `Verdict about one company by its tax id: risk level and its reasons. ${BY_COUNTRY}`,
    input: company,
    document: `query CheckCompany(${COMPANY}) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    compliance { riskLevel completeness sourcesFailed riskReasons { check code severity message } generatedAt }
  }
}`,
  },
  {
    name: 'explain_verdict',
    title: 'Explain a verdict',
    description: `The records behind the verdict about one company: each check with its findings, the versions of the lists and how old each answer is. ${BY_COUNTRY}`,
    input: company,
    document: `query ExplainVerdict(${COMPANY}) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    compliance {
      riskLevel
      completeness
      sourcesFailed
      riskReasons { check code severity message }
      generatedAt
      checks {
        kyb { ${KYB} }
        owners { companyName count partnersPublished owners { name entityType role entryDate } ${FRESHNESS} }
        debarment { isDebarred records { source sanctionType sanctioningBody processId dateStart dateEnd status } ${FRESHNESS} }
        sanctions { ${SANCTIONS} }
        labor { hasViolations records { employer year workersRescued status listedOn removedOn } ${FRESHNESS} }
        taxHealth { ${TAX_HEALTH} }
        contractFines { ${CONTRACT_FINES} }
      }
    }
  }
}`,
  },
  {
    name: 'check_debarment',
    title: 'Check bans from public contracts',
    description:
      'Bans of a Brazilian company on CEIS and CNEP, and on the lists of `include`: CEPIM (grants), TCU_INIDONEOS (federal court of accounts), BCB_PROIBIDOS (financial system). ACORDO_LENIENCIA adds leniency agreements, which are information and no ban. Module: debarment.',
    input: company.extend({
      include: z.array(z.enum(OPTIONAL_LISTS_OF_DEBARMENT)).max(OPTIONAL_LISTS_OF_DEBARMENT.length).optional(),
    }),
    document: `query CheckDebarment(${COMPANY}, $include: [OptionalDebarmentList!]) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    debarment(include: $include) {
      isDebarred
      sourcesChecked
      records { source sanctionType sanctioningBody processId reference reason dateStart dateEnd endText status matchedOn }
      agreements { situation body processId dateStart dateEnd effects { effect complement } }
      ${FRESHNESS}
    }
  }
}`,
  },
  {
    name: 'contract_fines',
    title: 'Contract fines of a company',
    description:
      'Fines that Colombian public bodies imposed on a company as their contractor (SECOP I and SECOP II). A fine is no ban. Few fines are published, so a company without a record may have been fined. Module: debarment.',
    input: company,
    document: `query ContractFines(${COMPANY}) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    contractFines { ${CONTRACT_FINES} sourcesChecked }
  }
}`,
  },
  {
    name: 'company_registration',
    title: 'Public record of a company',
    description:
      'The public record of a company at its tax registry: names, legal nature, size, capital, dates, status and its reason, activities, address, tax regimes; of a Colombian company, in the commercial register, its registrations at chambers of commerce. Of a Brazilian company also of an earlier day, with `asOf`: `dataAsOf` is the day of the extract that answers. Module: kyb.',
    input: company.extend({ asOf }),
    document: `query CompanyRegistration(${COMPANY}, $asOf: Date) {
  company(identifier: $identifier, country: $country, asOf: $asOf) {
    country
    formattedIdentifier
    registration { ${REGISTRATION} }
  }
}`,
  },
  {
    name: 'company_history',
    title: 'History of a company',
    description:
      'What changed in the public record of a Brazilian company between the monthly extracts of the registry, newest first: name, status, size, capital, legal nature, activity, address, special situation, partners that joined or left, opened and closed branches. Of a Chilean company: owners that joined or left, and their shares, between the yearly files of owners. `coveredFrom` and `coveredTo` say which time is known. Module: kyb, and owners for partners; a page is counted as one check.',
    input: company.extend({ first, after: nextPage }),
    document: `query CompanyHistory(${COMPANY}, $first: Int, $after: String) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    history(first: $first, after: $after) {
      nodes {
        field before after extractFrom extractTo
        establishment { formattedIdentifier }
        partner { name role entityType identifier entryDate country share }
      }
      fields
      coveredFrom
      coveredTo
      coverage
      ${PAGE}
    }
  }
}`,
  },
  ...OWNERSHIP_TOOLS,
  {
    name: 'search_companies',
    title: 'Search companies by name',
    description:
      'Companies of Brazil or Chile by name, best first, to find a tax id. `limitedBy` says why the list is incomplete. People are not found. Module: kyb; a page is counted as one check.',
    input: z.strictObject({
      name: words(200),
      country: country.default('CL'),
      filter: companyFilter.optional().describe('Brazil only'),
      first,
      after: nextPage,
    }),
    document: `query SearchCompanies($name: String!, $country: Country!, $filter: CompanyFilter, $first: Int, $after: String) {
  searchCompanies(name: $name, country: $country, filter: $filter, first: $first, after: $after) {
    nodes { name tradeName status municipality state openedOn matchedOn score company { country formattedIdentifier } }
    isTruncated
    limitedBy
    ${FRESHNESS}
    ${PAGE}
  }
}`,
  },
  {
    name: 'screen_names',
    title: 'Screen names',
    description:
      'Listed parties whose names resemble the names of a company, for a person to review. With `name`, that name is compared instead; with `lists`, with these lists. Candidates change no verdict. `possibleMatches` is null if no name is known: give `name` for a company that is not registered. Module: sanctions.',
    input: company.extend({
      name: words(500).optional(),
      lists: sanctionsLists,
    }),
    document: `query ScreenNames(${COMPANY}, $name: String, $lists: [SanctionsList!]) {
  company(identifier: $identifier, country: $country) {
    country
    formattedIdentifier
    sanctions(lists: $lists) {
      isSanctioned
      possibleMatches(name: $name) { list entityId entryName matchedName screenedName decision score explanation effect programs countries }
      lists { list publishedOn }
    }
  }
}`,
  },
  {
    name: 'search_tenders',
    title: 'Search calls for tenders',
    description:
      'Public calls for tenders of a country by words and dates, newest first: MERCADOPUBLICO (CL), PNCP (BR), SECOPII (CO). `coverage` says what was not searched. Module: tenders.',
    input: z.strictObject({
      country,
      keyword: words(200).optional(),
      dateFrom: date.describe('YYYY-MM-DD'),
      dateTo: date.describe('YYYY-MM-DD, inclusive'),
      first,
      after: nextPage,
    }),
    document: `query SearchTenders($country: Country!, $keyword: String, $dateFrom: Date, $dateTo: Date, $first: Int, $after: String) {
  searchTenders(country: $country, keyword: $keyword, dateFrom: $dateFrom, dateTo: $dateTo, first: $first, after: $after) {
    nodes { code name buyer publishedAt closesAt status estimate { amount currency } url }
    totalCount
    coverage
    ${FRESHNESS}
    ${PAGE}
  }
}`,
  },
  {
    name: 'supplier_orders',
    title: 'Public orders of a company',
    description: "A company's public purchase orders and contracts, newest first. Module: tenders.",
    input: company.extend({ first, after: nextPage }),
    document: `query SupplierOrders(${COMPANY}, $first: Int, $after: String) {
  company(identifier: $identifier, country: $country) {
    formattedIdentifier
    tenders(first: $first, after: $after) {
      nodes { code name buyer date status total { amount currency } url }
      totalCount
      coverage
      ${FRESHNESS}
      ${PAGE}
    }
  }
}`,
  },
  {
    name: 'watch_companies',
    title: 'Watch companies',
    description:
      'Creates a monitor that checks companies of one country from now on; list_changes returns what it finds. It has no webhook. Module: monitor.',
    input: z.strictObject({
      country,
      identifiers,
      listNews: flag(z.boolean().default(false)).describe('Also report changes of the lists'),
      candidateNews: flag(z.boolean().default(false)).describe('Also report list records with similar names'),
    }),
    document: `mutation WatchCompanies($country: Country!, $identifiers: [String!]!, $listNews: Boolean!, $candidateNews: Boolean!) {
  createMonitor(input: { country: $country, identifiers: $identifiers, listNews: $listNews, candidateNews: $candidateNews }) {
    monitor { id country createdAt checks { companies intervalSeconds } }
  }
}`,
    hasSideEffects: true,
  },
  {
    name: 'list_monitors',
    title: 'List monitors',
    description: "The key's active monitors, newest first. Module: monitor.",
    input: z.strictObject({ first, after: nextPage }),
    document: `query ListMonitors($first: Int, $after: String) {
  monitors(first: $first, after: $after) {
    nodes { id country createdAt listNews candidateNews checks { companies checked failing lastCheckedAt } }
    ${PAGE}
  }
}`,
  },
  {
    name: 'list_changes',
    title: 'List changes',
    description:
      'Changes of watched companies, oldest first. Keep `pageInfo.endCursor` and pass it as `after` to get what is new since then. Module: monitor.',
    input: z.strictObject({
      after: after.describe('Cursor of the last change that you have; the first changes when omitted'),
      first,
      identifiers: identifiers.optional().describe('Only changes of these companies'),
      monitorIds: z.array(z.string().min(1).max(100)).min(1).max(LIMITS.listItems).optional().describe('Only changes of these monitors'),
    }),
    document: `query ListChanges($after: String, $first: Int, $identifiers: [String!], $monitorIds: [ID!]) {
  changes(after: $after, first: $first, identifiers: $identifiers, monitorIds: $monitorIds) {
    nodes { ${CHANGE} }
    ${PAGE}
  }
}`,
  },
];
