import type { RequestContext } from '../../../context.ts';
import type { Page } from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { type RowLoader, rowLoadersOf } from '../../../loaders/rows.ts';
import type { Message } from '../../../messages/message.ts';
import type { Candidate } from '../domain/candidate.ts';
import {
  type Decisions,
  type Outcome,
  type Review,
  type Reviewed,
  shownCandidates,
  type WaitingReview,
  withReviews,
} from '../domain/review.ts';
import { haveReviews, REVIEW_TABLES, REVIEWS_CHANNEL, type ReviewPageQuery, WAITING_TABLES } from '../store.ts';
import { type CandidatesLoader, loaderOfName, type ScreeningRequest } from './candidates.ts';

/** The modules whose answers contain candidates. */
type Module = CandidatesLoader['module'] | 'owners';

const rowsOf = rowLoadersOf('sanctions');

type ReviewById = Readonly<Record<Outcome, RowLoader<{ readonly accountId: string; readonly id: string }, Review | null>>>;

const inForce: ReviewById = {
  dismissed: rowsOf('dismissal', REVIEW_TABLES.dismissed.find),
  confirmed: rowsOf('confirmation', REVIEW_TABLES.confirmed.find),
};
const waiting: ReviewById = {
  dismissed: rowsOf('waiting_dismissal', WAITING_TABLES.dismissed.find),
  confirmed: rowsOf('waiting_confirmation', WAITING_TABLES.confirmed.find),
};

/** Loads a decision of the account, in force or waiting; null if it does not exist. */
export async function findReview(ctx: RequestContext, outcome: Outcome, id: string): Promise<Review | null> {
  const key = { accountId: ctx.caller.accountId, id };
  return (await ctx.read(inForce[outcome], key)) ?? ctx.read(waiting[outcome], key);
}

type ReviewPages = Readonly<Record<Outcome, RowLoader<ReviewPageQuery, Page<Review>>>>;

/** Loads a page of the decisions in force of an account, newest first. */
export const reviewPageLoaders: ReviewPages = {
  dismissed: rowsOf('dismissals', REVIEW_TABLES.dismissed.page),
  confirmed: rowsOf('confirmations', REVIEW_TABLES.confirmed.page),
};
/** Loads a page of the decisions that wait for approval, newest first. */
export const waitingPageLoaders: ReviewPages = {
  dismissed: rowsOf('waiting_dismissals', WAITING_TABLES.dismissed.page),
  confirmed: rowsOf('waiting_confirmations', WAITING_TABLES.confirmed.page),
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
    waiting: {
      dismissed: readOf('waiting_dismissals_of_company', WAITING_TABLES.dismissed.ofCompanies),
      confirmed: readOf('waiting_confirmations_of_company', WAITING_TABLES.confirmed.ofCompanies),
    },
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
  return candidates && shownCandidates(withReviews(candidates, decisions), includeDismissed);
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
  if (!(await ctx.read(readers.presence, { accountId }))) return { dismissals: [], confirmations: [], waiting: [] };
  const company = { accountId, country, taxId };
  const waitingOf = async (outcome: Outcome): Promise<readonly WaitingReview[]> =>
    ctx.caller.needsApproval ? (await ctx.read(readers.waiting[outcome], company)).map((review) => ({ ...review, outcome })) : [];
  const [dismissals, confirmations, ...waiting] = await Promise.all([
    ctx.read(readers.dismissals, company),
    ownerId === null ? ctx.read(readers.confirmations, company) : [], // only candidates of companies are confirmed
    waitingOf('dismissed'),
    ownerId === null ? waitingOf('confirmed') : [],
  ]);
  const isOfOwner = (review: Review): boolean => review.ownerId === ownerId;
  return { dismissals: dismissals.filter(isOfOwner), confirmations, waiting: waiting.flat().filter(isOfOwner) };
}
