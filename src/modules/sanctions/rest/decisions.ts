import { z } from 'zod';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoOrNull, isoWithOffset } from '../../../domain/time.ts';
import { datetime } from '../../../rest/fields.ts';
import type { Review, WaitingReview } from '../domain/review.ts';
import { ID_KINDS } from '../service/reviews.ts';

/** Fields of a decision that a second person approved. */
const approval = {
  approved_by: z.string().nullable().describe('Id of the API key that approved it; null where no approval was needed'),
  approved_by_name: z.string().nullable().describe('Name of that key at that time'),
  approved_at: datetime.nullable(),
};

export const dismissalReply = z
  .object({
    id: z.string(),
    reason: z.string(),
    dismissed_at: datetime,
    dismissed_by: z.string().describe('Id of the API key'),
    dismissed_by_name: z.string().describe('Name of the key at that time'),
    ...approval,
  })
  .nullable()
  .describe('The dismissal of the candidate by the account; null for one that is not dismissed');

export const confirmationReply = z
  .object({
    id: z.string(),
    reason: z.string(),
    confirmed_at: datetime,
    confirmed_by: z.string().describe('Id of the API key'),
    confirmed_by_name: z.string().describe('Name of the key at that time'),
    ...approval,
  })
  .nullable()
  .describe('The confirmation by the account that the candidate is the company; null for one that is not confirmed');

export const waitingDecisionReply = z
  .object({
    id: z.string().describe('Id of the dismissal, `dsm_…`, or of the confirmation, `cfm_…`'),
    outcome: z.enum(['dismissed', 'confirmed']).describe('`dismissed`: it is another party; `confirmed`: it is the company'),
    reason: z.string(),
    decided_at: datetime,
    decided_by: z.string().describe('Id of the API key'),
    decided_by_name: z.string().describe('Name of the key at that time'),
  })
  .optional()
  .describe('The decision about it that waits for a second person and has no effect yet; absent where none waits');

/** Converts a dismissal to its form in `/v1`. */
export const toDismissalReply = ({ id, reason, decidedAt, keyId, keyName, approval }: Review) => ({
  id: toPublicId('dismissal', id),
  reason,
  dismissed_at: isoWithOffset(decidedAt),
  dismissed_by: keyId,
  dismissed_by_name: keyName,
  ...toApprovalReply(approval),
});

/** Converts a confirmation to its form in `/v1`. */
export const toConfirmationReply = ({ id, reason, decidedAt, keyId, keyName, approval }: Review) => ({
  id: toPublicId('confirmation', id),
  reason,
  confirmed_at: isoWithOffset(decidedAt),
  confirmed_by: keyId,
  confirmed_by_name: keyName,
  ...toApprovalReply(approval),
});

/** Converts a decision that waits for approval to its form in `/v1`. */
export const toWaitingDecisionReply = ({ id, outcome, reason, decidedAt, keyId, keyName }: WaitingReview) => ({
  id: toPublicId(ID_KINDS[outcome], id),
  outcome,
  reason,
  decided_at: isoWithOffset(decidedAt),
  decided_by: keyId,
  decided_by_name: keyName,
});

const toApprovalReply = (approval: Review['approval']) => ({
  approved_by: approval?.keyId ?? null,
  approved_by_name: approval?.keyName ?? null,
  approved_at: isoOrNull(approval?.approvedAt ?? null),
});
