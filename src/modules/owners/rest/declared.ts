import { z } from 'zod';
import type { Answer } from '../../../domain/answer.ts';
import type { Language } from '../../../messages/message.ts';
import { type AnyOwners, COMPOSITION_STATUSES, type DeclaredOwner, ownersFileCoverage } from '../domain/declared.ts';
import type { Owner } from '../domain.ts';
import { ownerReply, toOwnerReply } from './owner.ts';
import { shareReply, toShareReply } from './share.ts';

type Status = keyof typeof COMPOSITION_STATUSES;

/** Owners of a Brazilian company as in `POST /v1/owners`, those of a Chilean one, with their shares, or the officers of a Colombian one. */
export const anyOwnersReply = z.object({
  count: z.int(),
  owners: z.array(
    ownerReply
      .extend({
        entity_type: z
          .enum(['individual', 'company', 'natural_persons'])
          .describe('`natural_persons`, CL only: all natural persons together, without a name or an identifier'),
        share: shareReply.optional().describe('CL only'),
      })
      .meta({ id: 'AnyOwner' }),
  ),
  composition: z
    .object({
      status: z
        .enum(Object.keys(COMPOSITION_STATUSES) as [Status, ...Status[]])
        .describe('`not_published` does not mean that there are no owners'),
      natural_persons_share: z.string().nullable().describe('Share of all natural persons together in percent'),
      has_natural_persons: z.boolean().nullable(),
      coverage: z.string().describe('A sentence on the file: it is yearly, and its date'),
      coverage_code: z.string().describe('Code of the sentence: `coverage.ownersFile`'),
      complete: z.boolean().nullable().describe('True if all shares are known and add up to 100 %'),
    })
    .meta({ id: 'OwnershipComposition' })
    .optional()
    .describe('The owners as a whole; CL only'),
});

export function toAnyOwnersReply({ value: found, freshness }: Answer<AnyOwners>, language: Language): z.input<typeof anyOwnersReply> {
  const { owners } = found;
  const reply = { count: owners.length, owners: owners.map(toReply) };
  if (found.source !== 'cl_ownership') return reply;
  const { status, naturalPersonsShare, hasNaturalPersons, complete } = found.composition;
  const coverage = ownersFileCoverage(freshness);
  return {
    ...reply,
    composition: {
      status,
      natural_persons_share: naturalPersonsShare,
      has_natural_persons: hasNaturalPersons,
      complete,
      coverage: coverage.in(language),
      coverage_code: coverage.code,
    },
  };
}

const toReply = (owner: Owner | DeclaredOwner): z.input<typeof anyOwnersReply>['owners'][number] => ({
  ...toOwnerReply(owner),
  entity_type: owner.entityType,
  ...('share' in owner && { share: toShareReply(owner.share) }),
});
