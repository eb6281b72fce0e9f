import type { CsvDelimiter } from '../../src/domain/csv.ts';
import { type Client, requireData } from '../api/client.ts';
import { API_LANGUAGES } from '../api/languages.ts';
import {
  type CsvDelimiter as ApiDelimiter,
  ApproveConfirmation,
  ApproveDismissal,
  type Confirmation,
  ConfirmedMatches,
  ConfirmedMatchesCsv,
  type Country,
  type Dismissal,
  DismissedMatches,
  DismissedMatchesCsv,
  type Operation,
  ReopenMatch,
  UnconfirmMatch,
} from '../api/operations.ts';
import type { CandidateFilter } from './candidates.ts';

export type Outcome = 'dismissed' | 'confirmed';

/** The variable `filter` of the operations. */
export interface DecisionFilter {
  readonly text: string | null;
  readonly lists: readonly string[] | null;
  readonly country: Country | null;
  /** True for decisions that wait for approval. */
  readonly isWaiting: boolean;
}

export const decisionFilter = ({ text, list, country }: CandidateFilter, isWaiting = false): DecisionFilter => ({
  isWaiting,
  text: text.trim() || null,
  lists: list === null ? null : [list],
  country,
});

interface PageOf {
  readonly filter: DecisionFilter;
  readonly after: string | null;
}

interface CsvForm {
  readonly language: (typeof API_LANGUAGES)[Language];
  readonly delimiter: ApiDelimiter;
}

/** Operations of the decisions with one outcome. */
interface Operations {
  readonly page: Operation<DismissedMatches | ConfirmedMatches, PageOf>;
  readonly csv: Operation<DismissedMatchesCsv | ConfirmedMatchesCsv, PageOf & CsvForm>;
  readonly withdraw: Operation<unknown, { readonly id: string }>;
  readonly approve: Operation<ApproveDismissal | ApproveConfirmation, { readonly id: string }>;
}

export const OPERATIONS: Readonly<Record<Outcome, Operations>> = {
  dismissed: { page: DismissedMatches, csv: DismissedMatchesCsv, withdraw: ReopenMatch, approve: ApproveDismissal },
  confirmed: { page: ConfirmedMatches, csv: ConfirmedMatchesCsv, withdraw: UnconfirmMatch, approve: ApproveConfirmation },
};

export const isDismissal = (one: Dismissal | Confirmation): one is Dismissal => 'dismissedAt' in one;
export const isConfirmation = (one: Dismissal | Confirmation): one is Confirmation => !isDismissal(one);

type Language = keyof typeof API_LANGUAGES;

const API_DELIMITERS = { comma: 'COMMA', semicolon: 'SEMICOLON' } as const;

/**
 * Reads all decisions that a filter selects, page by page, as one CSV with the sign by which spreadsheets recognise UTF-8: dismissals, then
 * confirmations, the newest first.
 * @throws QuipuError
 */
export async function decisionsCsv(client: Client, filter: CandidateFilter, language: Language, delimiter: CsvDelimiter): Promise<string> {
  const outcomes = filter.state === 'dismissed' || filter.state === 'confirmed' ? [filter.state] : (['dismissed', 'confirmed'] as const);
  const form = { language: API_LANGUAGES[language], delimiter: API_DELIMITERS[delimiter] };
  const files: string[] = [];
  for (const outcome of outcomes) files.push(await csvOf(client, outcome, filter, form));
  return `\uFEFF${files.map((text, at) => (at === 0 ? text : withoutHeader(text))).join('')}`;
}

const withoutHeader = (csv: string): string => csv.slice(csv.indexOf('\r\n') + 2);

async function csvOf(client: Client, outcome: Outcome, filter: CandidateFilter, form: CsvForm): Promise<string> {
  const pages: string[] = [];
  for (let after: string | null = null; ; ) {
    const variables = { filter: decisionFilter(filter), after, ...form };
    const { data, errors } = await client.ask(OPERATIONS[outcome].csv, variables);
    const page: NonNullable<DismissedMatchesCsv['decided']> = requireData({ data: data?.decided ?? null, errors });
    pages.push(page.csv);
    after = page.pageInfo.endCursor;
    if (!page.pageInfo.hasNextPage) return pages.join('');
  }
}
