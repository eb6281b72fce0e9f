import { complianceOf } from './resolvers.ts';

/** Schema with exactly the requested fields. */
export const typeDefs = `
  type Query { company(identifier: String!): Company companies(identifiers: [String!]!): [Company]! }
  type Company { identifier: String! compliance: Compliance }
  type Compliance {
    riskLevel: String! riskReasons: [RiskReason!]! checks: Checks! sourcesFailed: [String!]! completeness: String! generatedAt: String!
  }
  type RiskReason { code: String! check: String! severity: String! message: String! }
  type Checks { kyb: Kyb owners: Owners debarment: Debarment sanctions: Sanctions labor: Labor }
  type Freshness { fetchedAt: String! dataAsOf: String cached: Boolean! stale: Boolean! expiresAt: String }
  type Kyb {
    companyName: String status: String! verified: Boolean! foundedYear: Int endDate: String registration: String isBranch: Boolean!
    specialSituation: String source: String! freshness: Freshness!
  }
  type Owners { companyName: String count: Int! owners: [Owner!]! source: String! freshness: Freshness! }
  type Owner {
    name: String! role: String! entityType: String! identifier: String entryDate: String country: String legalRepName: String legalRepRole: String
  }
  type Debarment { isDebarred: Boolean! records: [DebarmentRecord!]! sourcesChecked: [String!]! freshness: Freshness! }
  type DebarmentRecord {
    source: String! sanctionType: String! sanctioningBody: String! dateStart: String dateEnd: String processId: String fineAmount: String
    status: String! matchedOn: String! cnpj: String!
  }
  type Sanctions { isSanctioned: Boolean! matches: [Match!]! sourcesChecked: [String!]! lists: [ListVersion!]! freshness: Freshness! }
  type Match {
    list: String! entityId: String! entryName: String! matchedOn: String! matchedIdType: String! matchedIdValue: String! programs: [String!]!
  }
  type ListVersion { list: String! publishedOn: String loadedAt: String! entries: Int! checksum: String! }
  type Labor { hasViolations: Boolean! records: [LaborRecord!]! sourcesChecked: [String!]! freshness: Freshness! }
  type LaborRecord {
    source: String! employer: String! year: Int! workersRescued: Int! state: String! municipality: String activity: String!
    establishment: String listedOn: String removedOn: String status: String! matchedOn: String!
  }`;

const companyOf = (identifier: string) => ({ identifier: identifier.replaceAll(/\W/g, '') });
export const resolvers = {
  Query: {
    company: (_: unknown, { identifier }: { identifier: string }) => companyOf(identifier),
    companies: (_: unknown, { identifiers }: { identifiers: readonly string[] }) => identifiers.map(companyOf),
  },
  Company: { compliance: complianceOf },
};
