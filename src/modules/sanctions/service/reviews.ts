import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, type AuditEntry, audit } from '../../../audit/audit-log.ts';
import type { AccountData } from '../../../auth/accounts/erasure.ts';
import { actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import { lockAccount } from '../../../db/transaction.ts';
import { companyKeyText } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { storable } from '../../../domain/text.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { MAX_REASON, MAX_REVIEWS, type Outcome, type Review } from '../domain/review.ts';
import { announceReviews, REVIEW_TABLES, REVIEWS_CHANNEL } from '../store.ts';

/** Rate limit of decisions about candidates, per key. */
export const REVIEW: LimitedAction = { name: 'match_review', rate: { perMinute: 120, burst: 120 } };

/** Kind of the public id of a decision. */
export const ID_KINDS = { dismissed: 'dismissal', confirmed: 'confirmation' } as const;

const OPPOSITE = { dismissed: 'confirmed', confirmed: 'dismissed' } as const;
const ACTIONS: Readonly<Record<Outcome, { readonly decided: AuditAction; readonly withdrawn: AuditAction }>> = {
  dismissed: { decided: 'match.dismissed', withdrawn: 'match.reopened' },
  confirmed: { decided: 'match.confirmed', withdrawn: 'match.unconfirmed' },
};

/** A candidate, with the company or the owner that it belongs to. */
export type JudgedCandidate = Pick<Review, 'company' | 'ownerId' | 'list' | 'entityId' | 'entryName' | 'recordDigest'>;

/** Decisions of accounts about candidates. A key reaches the decisions of its own account only. */
export interface Reviews {
  /**
   * Dismisses or confirms a candidate of a company or of its owner, and replaces an earlier decision about it. The same decision keeps its
   * id and gets the new reason, time and record.
   * @throws AppError INVALID_INPUT on `reason`; PLAN_LIMIT_REACHED
   */
  decide(caller: Caller, outcome: Outcome, candidate: JudgedCandidate, reason: string): Promise<Review>;
  /**
   * Decides about several candidates for one reason, in one transaction: all decisions are stored, or none.
   * @returns the decisions in the order of the candidates @throws AppError as `decide`
   */
  decideAll(caller: Caller, outcome: Outcome, candidates: readonly JudgedCandidate[], reason: string): Promise<readonly Review[]>;
  /**
   * Deletes a decision, so that its candidate is undecided again. @param id public id @throws AppError DISMISSAL_NOT_FOUND,
   * CONFIRMATION_NOT_FOUND
   */
  withdraw(caller: Caller, outcome: Outcome, id: string): Promise<Review>;
}

function createReviews({ db, now, rows }: Pick<ServiceDeps, 'db' | 'now' | 'rows'>): Reviews {
  /** Runs a change, writes the audit log and notifies all processes. */
  async function change<R extends readonly Review[]>(log: Log, write: (trx: Knex) => Promise<R>): Promise<R> {
    const reviews = await changeInTime(db, async (trx) => {
      const written = await write(trx);
      for (const review of written) await audit(trx, entryOf(log, review, now()));
      await announceReviews(trx);
      return written;
    });
    rows.forget(REVIEWS_CHANNEL);
    return reviews;
  }

  /** Stores a decision and deletes the opposite one. */
  async function save(trx: Knex, { accountId }: Caller, outcome: Outcome, judged: Omit<Review, 'id'>): Promise<Review> {
    await REVIEW_TABLES[OPPOSITE[outcome]].deleteOf(trx, accountId, judged);
    return REVIEW_TABLES[outcome].save(trx, accountId, { id: randomUUID(), ...judged });
  }

  async function decideAll(caller: Caller, outcome: Outcome, candidates: readonly JudgedCandidate[], reason: string) {
    const decision = { reason: readReason(reason), keyId: caller.keyId, keyName: caller.name, decidedAt: now() };
    if (candidates.length === 0) return [];
    return change({ caller, action: ACTIONS[outcome].decided, outcome }, async (trx) => {
      await lockAccount(trx, caller.accountId); // so that it has one decision about a candidate, and the count is exact
      const reviews: Review[] = [];
      for (const { company, ownerId, list, entityId, entryName, recordDigest } of candidates)
        reviews.push(await save(trx, caller, outcome, { company, ownerId, list, entityId, entryName, recordDigest, ...decision }));
      if ((await REVIEW_TABLES[outcome].count(trx, caller.accountId)) > MAX_REVIEWS) throw tooMany(outcome);
      return reviews;
    });
  }

  return {
    decideAll,
    async decide(caller, outcome, candidate, reason) {
      const [review] = await decideAll(caller, outcome, [candidate], reason);
      return review as Review;
    },
    async withdraw(caller, outcome, id) {
      const uuid = fromPublicId(ID_KINDS[outcome], id);
      const [review] = await change({ caller, action: ACTIONS[outcome].withdrawn, outcome }, async (trx): Promise<readonly [Review]> => {
        const deleted = uuid && (await REVIEW_TABLES[outcome].delete(trx, caller.accountId, uuid));
        if (!deleted) throw notFound(outcome);
        return [deleted];
      });
      return review;
    },
  };
}

/** Who changes which decisions, for the audit log. */
interface Log {
  readonly caller: Caller;
  readonly action: AuditAction;
  readonly outcome: Outcome;
}

/** Returns the entry of the audit log about a decision. The reason may name people, so it is not in the audit log. */
function entryOf({ caller, action, outcome }: Log, { id, company, ownerId, list, entityId, recordDigest }: Review, at: number): AuditEntry {
  const whose = { company: companyKeyText(company), ...(ownerId !== null && { owner: ownerId }) };
  const facts = { ...whose, list, entity_id: entityId, record_digest: recordDigest };
  return { at, actor: actorOf(caller), action, subject: toPublicId(ID_KINDS[outcome], id), facts };
}

/** Returns the reason as it is stored. @throws AppError INVALID_INPUT on `reason` */
function readReason(reason: string): string {
  const text = storable(reason).trim();
  if (text === '') throw invalidInput('reason', reviewMessages.noReason());
  if (text.length > MAX_REASON) throw invalidInput('reason', reviewMessages.longReason({ max: MAX_REASON }));
  return text;
}

const tooMany = (outcome: Outcome): AppError => {
  const text = outcome === 'dismissed' ? reviewMessages.manyDismissed : reviewMessages.manyConfirmed;
  return new AppError('PLAN_LIMIT_REACHED', text({ max: MAX_REVIEWS }), { module: 'sanctions' });
};

const notFound = (outcome: Outcome): AppError =>
  outcome === 'dismissed'
    ? new AppError('DISMISSAL_NOT_FOUND', reviewMessages.noDismissal())
    : new AppError('CONFIRMATION_NOT_FOUND', reviewMessages.noConfirmation());

/** Token for `open`. A caller needs module `sanctions`. */
export const reviewService = defineService<Reviews>({ name: 'match_reviews', module: 'sanctions', create: createReviews });

/** The decisions of an account, for its export and erasure. */
export const reviewAccountData: AccountData = {
  tables: [
    { table: 'match_dismissals', where: 'account_id = ?' },
    { table: 'match_confirmations', where: 'account_id = ?' },
  ],
  async erase(trx, { accountId }) {
    const erased: string[] = [];
    for (const [table, outcome] of [
      ['match_dismissals', 'dismissed'],
      ['match_confirmations', 'confirmed'],
    ] as const) {
      const ids: readonly string[] = await trx(table).where({ account_id: accountId }).pluck('id');
      await trx(table).where({ account_id: accountId }).delete();
      erased.push(...ids.map((id) => toPublicId(ID_KINDS[outcome], id)));
    }
    return erased;
  },
};
