import type { RequestContext } from '../../../context.ts';
import type { Page } from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { type RowLoader, rowLoadersOf } from '../../../loaders/rows.ts';
import type { Message } from '../../../messages/message.ts';
import { type Candidate, MAX_CANDIDATES } from '../domain/candidate.ts';
import { type Decisions, type Outcome, type Review, type Reviewed, withReviews } from '../domain/review.ts';
import { haveReviews, REVIEW_TABLES, REVIEWS_CHANNEL, type ReviewPageQuery } from '../store.ts';
import { type CandidatesLoader, loaderOfName, type ScreeningRequest } from './candidates.ts';

/** The modules whose answers contain candidates. */
type Module = CandidatesLoader['module'] | 'owners';

const rowsOf = rowLoadersOf('sanctions');

/** Loads a decision of the account; null if it does not exist. */
export const reviewLoaders: Readonly<Record<Outcome, RowLoader<{ readonly accountId: string; readonly id: string }, Review | null>>> = {
  dismissed: rowsOf('dismissal', REVIEW_TABLES.dismissed.find),
  confirmed: rowsOf('confirmation', REVIEW_TABLES.confirmed.find),
};
/** Loads a page of the decisions of an account, newest first. */
export const reviewPageLoaders: Readonly<Record<Outcome, RowLoader<ReviewPageQuery, Page<Review>>>> = {
  dismissed: rowsOf('dismissals', REVIEW_TABLES.dismissed.page),
  confirmed: rowsOf('confirmations', REVIEW_TABLES.confirmed.page),
};

/**
 * Returns the loaders of decisions that a check of a module reads. Most accounts have no decisions; this is cached and costs no statement.
 */
function readersOf(module: Module) {
  const readOf = rowLoadersOf(module);
  const presence = readOf('match_review_presence', (db, queries: readonly { readonly accountId: string }[]) =>
    haveReviews(
      db,
      queries.map(({ accountId }) => accountId),
    ),
  );
  return {
    presence: { ...presence, channel: REVIEWS_CHANNEL },
    dismissals: readOf('dismissals_of_company', REVIEW_TABLES.dismissed.ofCompanies),
    confirmations: readOf('confirmations_of_company', REVIEW_TABLES.confirmed.ofCompanies),
  };
}
const READERS: Readonly<Record<Module, ReturnType<typeof readersOf>>> = {
  sanctions: readersOf('sanctions'),
  compliance_br: readersOf('compliance_br'),
  compliance: readersOf('compliance'),
  owners: readersOf('owners'),
};

/**
 * Loads the candidates of a company, best first, at most 20, each with the confirmation of the account; null when no name was compared.
 * Candidates that the account has dismissed are omitted, unless they are requested: then they have their dismissal.
 * @throws AppError MODULE_NOT_ENABLED, SOURCE_UNAVAILABLE
 */
export async function screenCompany(
  loader: CandidatesLoader,
  request: ScreeningRequest,
  ctx: RequestContext,
  { includeDismissed }: { readonly includeDismissed: boolean },
): Promise<readonly Reviewed<Candidate>[] | null> {
  const [answer, decisions] = await Promise.all([
    ctx.ask(loaderOfName(loader, request, ctx), request),
    decisionsOf(ctx, loader.module, request),
  ]);
  const { candidates } = answer.value;
  const reviewed = candidates && withReviews(candidates, decisions);
  return reviewed?.filter(({ dismissal }) => includeDismissed || !dismissal).slice(0, MAX_CANDIDATES) ?? null;
}

/** Returns the candidate that a decision is about. @throws AppError MATCH_NOT_FOUND */
export function requireCandidate<C extends Pick<Review, 'list' | 'entityId'>>(
  candidates: readonly C[] | null,
  { list, entityId }: { readonly list: string; readonly entityId: string },
  notFound: Message,
): C {
  const candidate = candidates?.find((one) => one.list === list && one.entityId === entityId);
  if (!candidate) throw new AppError('MATCH_NOT_FOUND', notFound);
  return candidate;
}

/**
 * Loads the decisions of the account about the candidates of a company, or of an owner of it. It loads at once instead of after the
 * candidates, so that the companies of a request share statements.
 */
export async function decisionsOf(
  ctx: RequestContext,
  module: Module,
  { company: { country, taxId }, ownerId = null }: { readonly company: CompanyKey; readonly ownerId?: string | null },
): Promise<Decisions> {
  const readers = READERS[module];
  const { accountId } = ctx.caller;
  if (!(await ctx.read(readers.presence, { accountId }))) return { dismissals: [], confirmations: [] };
  const company = { accountId, country, taxId };
  const [dismissals, confirmations] = await Promise.all([
    ctx.read(readers.dismissals, company),
    ownerId === null ? ctx.read(readers.confirmations, company) : [], // only candidates of companies are confirmed
  ]);
  return { dismissals: dismissals.filter((review) => review.ownerId === ownerId), confirmations };
}
