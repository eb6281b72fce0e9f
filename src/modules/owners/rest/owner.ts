import { z } from 'zod';
import { dateOrNull } from '../../../rest/fields.ts';
import type { Owner } from '../domain.ts';
import { ownerScreeningReply } from './screening.ts';

export const ownerReply = z
  .object({
    name: z.string(),
    role: z.string(),
    entity_type: z.enum(['individual', 'company']),
    identifier: z.string().nullable(),
    entry_date: dateOrNull,
    country: z.string().nullable(),
    legal_rep_name: z.string().nullable(),
    legal_rep_role: z.string().nullable(),
    screening: ownerScreeningReply.optional().describe('Only from `POST /v1/owners` with `"screening": true`'),
  })
  .meta({ id: 'Owner' });

/** Converts an owner of any kind to its form in `/v1`. */
export const toOwnerReply = <T extends string>(owner: Omit<Owner, 'entityType'> & { readonly entityType: T }) => ({
  name: owner.name,
  role: owner.role,
  entity_type: owner.entityType,
  identifier: owner.identifier,
  entry_date: owner.entryDate,
  country: owner.country,
  legal_rep_name: owner.legalRepName,
  legal_rep_role: owner.legalRepRole,
});
