import type { Answer, Client } from '../../dashboard/api/client.ts';
import type { Candidate, ChangeRow, Verdict } from '../../dashboard/api/operations.ts';
import { type DashboardState, initialState, type WatchedCompany } from '../../dashboard/state/model.ts';
import { createPortfolio } from '../../dashboard/state/portfolio.ts';
import { createStore } from '../../dashboard/state/store.ts';
import { watchedCompany } from './watched-company.ts';

/** A query that waits for its answer. */
interface Pending {
  readonly query: string;
  readonly answer: (data: unknown) => void;
  readonly fail: (error: Error) => void;
}

const COMPANY = { country: 'BR', identifier: '99030001000146', formattedIdentifier: '99.030.001/0001-46' } as const;
export const ID = 'BR/99030001000146';

export const candidate = (over: Partial<Candidate> = {}): Candidate => ({
  ...{ list: 'OFAC_SDN', entityId: '1', entryName: 'NORVAL LTDA', matchedName: 'NORVAL', matchedOn: 'NAME', screenedName: 'NORVAL SA' },
  ...{ decision: 'MATCH', score: 1, explanation: '', programs: [], countries: [], matchedById: false },
  ...{ dismissal: null, confirmation: null, waitingDecision: null },
  party: { aliases: [], taxIds: [], addresses: [], foundationDates: [], remarks: null, reference: null },
  ...over,
});

const verdictAt = (generatedAt: string): Verdict => ({
  ...{ riskLevel: 'LOW', completeness: 'COMPLETE', sourcesFailed: [], generatedAt, ownersToReview: null },
  riskReasons: [],
});

export const company = (over: Partial<WatchedCompany> = {}): WatchedCompany =>
  watchedCompany({ ...COMPANY, name: 'Norval', verdict: verdictAt('2026-11-28T12:00:00Z'), candidates: [candidate()], ...over });

export const change = (detectedAt: string): ChangeRow =>
  ({
    ...{ id: detectedAt, observationId: detectedAt, cursor: detectedAt, detectedAt, source: 'RECEITA_FEDERAL' },
    company: { id: ID, ...COMPANY },
    changedFields: [{ field: 'STATUS', from: 'ATIVA', to: 'BAIXADA', list: null }],
  }) as unknown as ChangeRow;

/** Data of the query of the watched tax ids. */
export const monitorsOf = (...identifiers: readonly string[]) => ({
  monitors: {
    nodes: [{ id: 'm', country: 'BR', webhookUrl: null, identifiers }],
    pageInfo: { hasNextPage: false, endCursor: null },
  },
});

/** Data of the query of the watched companies. */
export const watchedOf = (...companies: readonly object[]) => ({
  companies: companies.map((one) => ({ id: ID, ...COMPANY, watchedSince: null, lastChangeAt: null, tags: [], ...one })),
});

/** Data of the query of verdicts, with the candidates of the company. */
export const verdictsOf = (generatedAt: string, possibleMatches: readonly Candidate[]) => ({
  companies: [
    {
      ...COMPANY,
      compliance: { ...verdictAt(generatedAt), checks: { kyb: { companyName: 'Norval' }, sanctions: { possibleMatches } } },
    },
  ],
});

/** A portfolio whose queries are answered by the test, in any order. */
export function portfolioRun(state: Partial<DashboardState> = {}) {
  const pending: Pending[] = [];
  const ask = ({ text }: { readonly text: string }): Promise<Answer<unknown>> =>
    new Promise((resolve, reject) => {
      const query = /query (\w+)/.exec(text)?.[1] ?? '';
      pending.push({ query, answer: (data) => resolve({ data, errors: [] }), fail: reject });
    });
  const client = { key: 'sk_test', options: { language: 'en' }, ask } as unknown as Client;
  const store = createStore<DashboardState>({
    ...initialState,
    account: { id: 'a', name: 'a', modules: ['MONITOR', 'COMPLIANCE_BR', 'SANCTIONS'], role: 'DECIDE', needsApproval: false },
    ...state,
  });
  /** Returns the next query with a name that has no answer yet. */
  const next = async (query: string): Promise<Pending> => {
    for (;;) {
      const at = pending.findIndex((one) => one.query === query);
      const [found] = at === -1 ? [] : pending.splice(at, 1);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const shown = (): WatchedCompany | undefined => store.get().companies.get(ID);
  return { portfolio: createPortfolio(client, store), store, next, shown };
}
