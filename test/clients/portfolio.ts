/** Companies of the sandbox that have something of everything: debarred, sanctioned, and with owners that are companies. */
export const DEBARRED = '99.030.001/0001-46';
export const SANCTIONED = '99.030.030/0001-08';
export const FOREIGN_OWNED = '99.040.020/0001-53';
export const CHILEAN = '67.000.001-K';

/** What a page about companies shows, through lists of records and connections. */
export const PORTFOLIO = /* GraphQL */ `
  query Portfolio($identifiers: [String!]!) {
    companies(identifiers: $identifiers) {
      id
      name
      country
      formattedIdentifier
      kyb { status verified freshness { fetchedAt cached } }
      compliance { riskLevel completeness riskReasons { message severity } }
      owners { count owners { id name role entityType company { id formattedIdentifier } } }
      debarment { isDebarred records { id sanctionType sanctioningBody dateStart } }
      sanctions { isSanctioned matches { id entryName programs } }
      tenders(first: 2) { totalCount nodes { id code name status } edges { cursor node { id code } } pageInfo { hasNextPage endCursor } }
    }
  }
`;

/** The same companies with other parts of the same answers, as another component of a page asks. */
export const PORTFOLIO_DETAIL = /* GraphQL */ `
  query PortfolioDetail($identifiers: [String!]!) {
    companies(identifiers: $identifiers) {
      id
      kyb { foundedYear endDate }
      debarment { records { id sanctionType dateEnd processId } }
      sanctions { sourcesChecked }
    }
  }
`;
