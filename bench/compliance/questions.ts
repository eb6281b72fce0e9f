import { companies } from '../../sandbox/world/brazil/world.ts';
import { BenchFailure } from '../harness/bench.ts';
import type { Question } from '../harness/contender.ts';
import { madeUpCnpjs } from './made-up.ts';

const FRESHNESS = 'freshness { fetchedAt dataAsOf cached stale expiresAt }';
const COMPLIANCE = `
  identifier
  compliance {
    riskLevel
    riskReasons { code check severity message }
    checks {
      kyb { companyName status verified foundedYear endDate registration isBranch specialSituation source ${FRESHNESS} }
      owners { companyName count owners { name role entityType identifier entryDate country legalRepName legalRepRole } source ${FRESHNESS} }
      debarment {
        isDebarred
        records { source sanctionType sanctioningBody dateStart dateEnd processId fineAmount status matchedOn cnpj }
        sourcesChecked ${FRESHNESS}
      }
      sanctions {
        isSanctioned
        matches { list entityId entryName matchedOn matchedIdType matchedIdValue programs }
        sourcesChecked lists { list publishedOn loadedAt entries checksum } ${FRESHNESS}
      }
      labor {
        hasViolations
        records { source employer year workersRescued state municipality activity establishment listedOn removedOn status matchedOn }
        sourcesChecked ${FRESHNESS}
      }
    }
    sourcesFailed
    completeness
    generatedAt
  }`;

/** Number of companies of one request while caches are empty. */
const PIECE = 50;

/** Fields that depend on the time of the request or of the load of a list, which comparisons ignore. */
export const MOMENTS: ReadonlySet<string> = new Set(['extensions', 'generatedAt', 'fetchedAt', 'expiresAt', 'loadedAt']);

/** Companies of the sandbox that the tax registry has. Larger lists continue with made-up companies, which are on no list. */
const SANDBOX_COMPANIES = companies
  .filter(({ knownTo }) => knownTo === 'both')
  .slice(0, 50)
  .map(({ cnpj }) => cnpj);

const identifiersOf = (count: number): readonly string[] => [...SANDBOX_COMPANIES, ...madeUpCnpjs(count)].slice(0, count);

/**
 * Returns the companies in requests of 50, for empty caches, because a source accepts no more concurrent calls from a contender that calls
 * for all companies at once.
 */
export const piecesOf = (count: number): readonly Question[] =>
  Array.from({ length: Math.ceil(count / PIECE) }, (_, i) => {
    const identifiers = identifiersOf(count).slice(i * PIECE, (i + 1) * PIECE);
    return { name: 'piece', title: `part ${i + 1}`, body: complianceQuery(identifiers) };
  });

/** Returns the compliance query for `count` companies in one request. */
export function complianceOf(count: number): Question {
  const identifiers = identifiersOf(count);
  const name = `companies-${count}`;
  if (count === 1) {
    const query = `query One($identifier: String!) { company(identifier: $identifier) {${COMPLIANCE}} }`;
    return { name, title: '1 company', body: JSON.stringify({ query, variables: { identifier: identifiers[0] } }) };
  }
  return { name, title: `${count} companies`, body: complianceQuery(identifiers) };
}

/** Returns the body of the compliance query for a list of companies. */
export const complianceQuery = (identifiers: readonly string[]): string =>
  JSON.stringify({
    query: `query Many($identifiers: [String!]!) { companies(identifiers: $identifiers) {${COMPLIANCE}} }`,
    variables: { identifiers },
  });

interface Asked {
  readonly compliance: { readonly completeness: string } | null;
}

/**
 * Rejects responses with failures, because comparing them is meaningless. @throws BenchFailure when a source failed or a field has an
 * error
 */
export function requireWhole(answer: string): string {
  const { errors, data } = JSON.parse(answer) as { errors?: unknown; data?: { company?: Asked; companies?: readonly Asked[] } };
  const asked = data?.companies ?? [data?.company];
  const whole = errors === undefined && asked.every((company) => company?.compliance?.completeness === 'COMPLETE');
  if (!whole) throw new BenchFailure(`an answer is not complete: ${reasonOf(answer)}`);
  return answer;
}

/** Returns the first error, or the first source that failed, with the text around it. */
function reasonOf(answer: string): string {
  const at = answer.search(/"errors"|"sourcesFailed":\["/);
  return answer.slice(Math.max(0, at), at + 500);
}
