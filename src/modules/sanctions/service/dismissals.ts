import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type AuditAction, audit } from '../../../audit/audit-log.ts';
import type { AccountData } from '../../../auth/accounts/erasure.ts';
import type { Caller } from '../../../context.ts';
import { companyKeyText } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId, toPublicId } from '../../../domain/public-ids.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import { type Dismissal, MAX_DISMISSALS, MAX_REASON } from '../domain/dismissal.ts';
import { announceDismissals, DISMISSALS_CHANNEL, deleteDismissal, saveDismissal } from '../store.ts';

/** Rate limit of dismissing and reopening, per key. */
export const REVIEW: LimitedAction = { name: 'match_review', rate: { perMinute: 120, burst: 120 } };

/** A candidate, and whose it is. */
export type JudgedCandidate = Pick<Dismissal, 'company' | 'ownerId' | 'list' | 'entityId' | 'entryName' | 'recordDigest'>;

/** Dismissals of accounts. A key reaches those of its own account only. */
export interface Dismissals {
  /**
   * Dismisses a candidate of a company or of its owner. A candidate that is dismissed already gets the new reason, time and record.
   * @throws AppError INVALID_INPUT on `reason`; PLAN_LIMIT_REACHED
   */
  dismiss(caller: Caller, candidate: JudgedCandidate, reason: string): Promise<Dismissal>;
  /** Deletes a dismissal: its candidate is shown again. @param id public id @throws AppError DISMISSAL_NOT_FOUND */
  reopen(caller: Caller, id: string): Promise<Dismissal>;
}

export function createDismissals({ db, now, rows }: Pick<ServiceDeps, 'db' | 'now' | 'rows'>): Dismissals {
  /** Runs a change, writes the audit log and lets all processes know. The reason may name people, so it is not in the audit log. */
  async function change(caller: Caller, action: AuditAction, write: (trx: Knex) => Promise<Dismissal>): Promise<Dismissal> {
    const dismissal = await db.transaction(async (trx) => {
      const written = await write(trx);
      const { company, ownerId, list, entityId, recordDigest } = written;
      const whose = { company: companyKeyText(company), ...(ownerId !== null && { owner: ownerId }) };
      const facts = { ...whose, list, entity_id: entityId, record_digest: recordDigest };
      await audit(trx, { at: now(), actor: `key ${caller.keyId}`, action, subject: toPublicId('dismissal', written.id), facts });
      await announceDismissals(trx);
      return written;
    });
    rows.forget(DISMISSALS_CHANNEL);
    return dismissal;
  }

  return {
    dismiss(caller, { company, ownerId, list, entityId, entryName, recordDigest }, reason) {
      const text = readReason(reason);
      const judged = { company, ownerId, list, entityId, entryName, recordDigest, reason: text, keyId: caller.keyId, dismissedAt: now() };
      return change(caller, 'match.dismissed', async (trx) => {
        const { dismissal, count } = await saveDismissal(trx, caller.accountId, { id: randomUUID(), ...judged });
        if (count > MAX_DISMISSALS) throw tooMany();
        return dismissal;
      });
    },
    reopen(caller, id) {
      const uuid = fromPublicId('dismissal', id);
      return change(caller, 'match.reopened', async (trx) => {
        const dismissal = uuid && (await deleteDismissal(trx, caller.accountId, uuid));
        if (!dismissal) throw new AppError('DISMISSAL_NOT_FOUND', 'This account has no such dismissal.');
        return dismissal;
      });
    },
  };
}

/** The reason as it is stored. @throws AppError INVALID_INPUT on `reason` */
function readReason(reason: string): string {
  const text = reason.trim().toWellFormed().replaceAll('\0', '');
  if (text === '') throw invalidInput('reason', 'Give a reason, so that others can understand the decision.');
  if (text.length > MAX_REASON) throw invalidInput('reason', `A reason has at most ${MAX_REASON} characters.`);
  return text;
}

const tooMany = (): AppError =>
  new AppError('PLAN_LIMIT_REACHED', `An account has at most ${MAX_DISMISSALS} dismissed candidates; reopen some.`, {
    module: 'sanctions',
  });

/** Token for `open`. A caller needs module `sanctions`. */
export const dismissalService = defineService<Dismissals>({ name: 'dismissals', module: 'sanctions', create: createDismissals });

/** The dismissals of an account, for its export and erasure. */
export const dismissalAccountData: AccountData = {
  tables: [{ table: 'match_dismissals', where: 'account_id = ?' }],
  async erase(trx, { accountId }) {
    const ids: readonly string[] = await trx('match_dismissals').where({ account_id: accountId }).pluck('id');
    await trx('match_dismissals').where({ account_id: accountId }).delete();
    return ids.map((id) => toPublicId('dismissal', id));
  },
};
