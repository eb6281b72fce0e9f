import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, type AuditEntry, audit } from '../../../audit/audit-log.ts';
import type { AccountData } from '../../../auth/accounts/erasure.ts';
import { actorNamed, actorOf, type Caller } from '../../../context.ts';
import { changeInTime } from '../../../db/change.ts';
import { lockAccount } from '../../../db/transaction.ts';
import { companyKeyText } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { maskCpfs } from '../../../domain/personal-ids.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { storable } from '../../../domain/text.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { candidateKeyText, isSamePerson, MAX_REASON, MAX_REVIEWS, type Outcome, type Review } from '../domain/review.ts';
import { announceReviews, REVIEW_TABLES, REVIEWS_CHANNEL, WAITING_TABLES } from '../store.ts';

/** Rate limit of decisions about candidates, per key. */
export const REVIEW: LimitedAction = { name: 'match_review', rate: { perMinute: 120, burst: 120 } };

/** Kind of the public id of a decision. */
export const ID_KINDS = { dismissed: 'dismissal', confirmed: 'confirmation' } as const;

const OPPOSITE = { dismissed: 'confirmed', confirmed: 'dismissed' } as const;
const ACTIONS: Readonly<Record<Outcome, Readonly<Record<'decided' | 'withdrawn' | 'waiting', AuditAction>>>> = {
  dismissed: { decided: 'match.dismissed', withdrawn: 'match.reopened', waiting: 'match.dismissal_proposed' },
  confirmed: { decided: 'match.confirmed', withdrawn: 'match.unconfirmed', waiting: 'match.confirmation_proposed' },
};

/** A candidate, with the company or the owner that it belongs to. */
export type JudgedCandidate = Pick<Review, 'company' | 'ownerId' | 'list' | 'entityId' | 'entryName' | 'recordDigest'>;

/** Decisions of accounts about candidates. A key reaches the decisions of its own account only. */
export interface Reviews {
  /**
   * Dismisses or confirms a candidate of a company or of its owner, and replaces an earlier decision about it. The same decision keeps its
   * id and gets the new reason, time and record. In an account that needs approval, the decision waits and changes nothing yet.
   * @throws AppError INVALID_INPUT on `reason`; PLAN_LIMIT_REACHED
   */
  decide(caller: Caller, outcome: Outcome, candidate: JudgedCandidate, reason: string): Promise<Review>;
  /**
   * Decides about several candidates for one reason, in one transaction: all decisions are stored, or none. A candidate that is given
   * several times has one decision. @returns the decisions in the order of the candidates @throws AppError as `decide`
   */
  decideAll(caller: Caller, outcome: Outcome, candidates: readonly JudgedCandidate[], reason: string): Promise<readonly Review[]>;
  /**
   * Makes a waiting decision of another person take effect. @param id public id @throws AppError DISMISSAL_NOT_FOUND,
   * CONFIRMATION_NOT_FOUND; SECOND_PERSON_NEEDED for a decision of the caller; PLAN_LIMIT_REACHED
   */
  approve(caller: Caller, outcome: Outcome, id: string): Promise<Review>;
  /**
   * Deletes a decision, in force or waiting, so that its candidate is undecided again. @param id public id @throws AppError
   * DISMISSAL_NOT_FOUND, CONFIRMATION_NOT_FOUND
   */
  withdraw(caller: Caller, outcome: Outcome, id: string): Promise<Review>;
}

function createReviews({ db, now, rows }: Pick<ServiceDeps, 'db' | 'now' | 'rows'>): Reviews {
  /** Runs a change, writes the audit log and notifies all processes. */
  async function change<R extends readonly Review[]>(log: Log, write: (trx: Knex) => Promise<R>): Promise<R> {
    const reviews = await changeInTime(db, async (trx) => {
      const written = await write(trx);
      await audit(trx, ...written.map((review) => entryOf(log, review, now())));
      await announceReviews(trx);
      return written;
    });
    rows.forget(REVIEWS_CHANNEL);
    return reviews;
  }

  /**
   * Stores decisions about different candidates, deletes those that they replace, and keeps the account within its limit. The number of
   * statements does not depend on the number of decisions. A waiting decision gets a new id when it is
   * replaced, so that nobody approves another reason than the one that was shown. The account must be locked.
   */
  async function save(trx: Knex, { accountId }: Caller, outcome: Outcome, reviews: readonly Review[]): Promise<readonly Review[]> {
    for (const table of Object.values(WAITING_TABLES)) await table.deleteOf(trx, accountId, reviews);
    const isWaiting = reviews.some((review) => review.isWaiting); // the decisions of a request wait all together
    if (!isWaiting) await REVIEW_TABLES[OPPOSITE[outcome]].deleteOf(trx, accountId, reviews);
    const tables = isWaiting ? WAITING_TABLES : REVIEW_TABLES;
    const saved = await tables[outcome].saveAll(trx, accountId, reviews);
    const counts = [REVIEW_TABLES, WAITING_TABLES].map((tables) => tables[outcome].count(trx, accountId));
    if ((await Promise.all(counts)).some((count) => count > MAX_REVIEWS)) throw tooMany(outcome);
    return saved;
  }

  async function decideAll(caller: Caller, outcome: Outcome, candidates: readonly JudgedCandidate[], reason: string) {
    const isWaiting = caller.needsApproval;
    const who = { ...personOf(caller), approval: null, decidedAt: now() };
    const decision = { reason: readReason(reason), ...who, isWaiting };
    if (candidates.length === 0) return [];
    const different = new Map(candidates.map((candidate) => [candidateKeyText(candidate), candidate]));
    const reviews = [...different.values()].map(({ company, ownerId, list, entityId, entryName, recordDigest }) => ({
      id: randomUUID(),
      company,
      ownerId,
      list,
      entityId,
      entryName,
      recordDigest,
      ...decision,
    }));
    const action = ACTIONS[outcome][isWaiting ? 'waiting' : 'decided'];
    const saved = await change({ caller, action, outcome }, async (trx) => {
      await lockAccount(trx, caller.accountId); // so that it has one decision about a candidate, and the count is exact
      return save(trx, caller, outcome, reviews);
    });
    const decided = new Map(saved.map((review) => [candidateKeyText(review), review]));
    return candidates.map((candidate) => decided.get(candidateKeyText(candidate)) as Review);
  }

  return {
    decideAll,
    async decide(caller, outcome, candidate, reason) {
      const [review] = await decideAll(caller, outcome, [candidate], reason);
      return review as Review;
    },
    async approve(caller, outcome, id) {
      const uuid = fromPublicId(ID_KINDS[outcome], id);
      const [review] = await change({ caller, action: ACTIONS[outcome].decided, outcome }, async (trx) => {
        await lockAccount(trx, caller.accountId); // before the row, in the order of `decideAll`
        const waiting = uuid && (await WAITING_TABLES[outcome].delete(trx, caller.accountId, uuid));
        if (!waiting) throw notFound(outcome);
        const person = personOf(caller);
        const approval = { ...person, approvedAt: now() };
        if (isSamePerson(waiting, person)) throw new AppError('SECOND_PERSON_NEEDED', reviewMessages.samePerson());
        return save(trx, caller, outcome, [{ ...waiting, approval, isWaiting: false }]);
      });
      return review as Review;
    },
    async withdraw(caller, outcome, id) {
      const uuid = fromPublicId(ID_KINDS[outcome], id);
      const [review] = await change({ caller, action: ACTIONS[outcome].withdrawn, outcome }, async (trx): Promise<readonly [Review]> => {
        const deleted =
          uuid &&
          ((await REVIEW_TABLES[outcome].delete(trx, caller.accountId, uuid)) ??
            (await WAITING_TABLES[outcome].delete(trx, caller.accountId, uuid)));
        if (!deleted) throw notFound(outcome);
        return [deleted];
      });
      return review;
    },
  };
}

const personOf = ({ keyId, name, person }: Caller) => ({ keyId, keyName: name, personId: person?.id ?? null });

/** Who changes which decisions, for the audit log. */
interface Log {
  readonly caller: Caller;
  readonly action: AuditAction;
  readonly outcome: Outcome;
}

/** Returns the entry of the audit log about a decision. The reason may name people, so it is not in the audit log. */
function entryOf({ caller, action, outcome }: Log, review: Review, at: number): AuditEntry {
  const { id, company, ownerId, list, entityId, recordDigest, approval, keyId, personId } = review;
  const whose = { company: companyKeyText(company), ...(ownerId !== null && { owner: ownerId }) };
  const decider = approval && { decided_by: actorNamed(keyId, personId) };
  const facts = { ...whose, list, entity_id: entityId, record_digest: recordDigest, ...decider };
  return { at, actor: actorOf(caller), action, subject: toPublicId(ID_KINDS[outcome], id), facts };
}

/** Returns the reason as it is stored, with each CPF masked. @throws AppError INVALID_INPUT on `reason` */
function readReason(reason: string): string {
  const text = storable(reason).trim();
  if (text === '') throw invalidInput('reason', reviewMessages.noReason());
  if (text.length > MAX_REASON) throw invalidInput('reason', reviewMessages.longReason({ max: MAX_REASON }));
  return maskCpfs(text);
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
    { table: 'waiting_dismissals', where: 'account_id = ?' },
    { table: 'waiting_confirmations', where: 'account_id = ?' },
  ],
  async erase(trx, { accountId }) {
    const erased: string[] = [];
    for (const [table, outcome] of [
      ['match_dismissals', 'dismissed'],
      ['match_confirmations', 'confirmed'],
      ['waiting_dismissals', 'dismissed'],
      ['waiting_confirmations', 'confirmed'],
    ] as const) {
      const ids: readonly string[] = await trx(table).where({ account_id: accountId }).pluck('id');
      await trx(table).where({ account_id: accountId }).delete();
      erased.push(...ids.map((id) => toPublicId(ID_KINDS[outcome], id)));
    }
    return erased;
  },
};
