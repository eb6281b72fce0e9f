import { z } from 'zod';
import { companyRoute } from '../../rest/company-route.ts';
import { dateOrNull, datetime } from '../../rest/fields.ts';
import { companyNotFound, type Owner } from './domain.ts';
import { ownersLoader } from './loader.ts';

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
  })
  .meta({ id: 'Owner' });

/** Converts an owner to its form in `/v1`. */
export const toOwnerReply = (owner: Owner): z.input<typeof ownerReply> => ({
  name: owner.name,
  role: owner.role,
  entity_type: owner.entityType,
  identifier: owner.identifier,
  entry_date: owner.entryDate,
  country: owner.country,
  legal_rep_name: owner.legalRepName,
  legal_rep_role: owner.legalRepRole,
});

/**
 * POST /v1/owners: ownership structure. 404 for an unknown company; 422 for a malformed CNPJ or another country; 503 while the
 * registry fails.
 */
export const ownersRoute = companyRoute({
  path: '/v1/owners',
  operationId: 'getOwners',
  summary: 'Registered owners and officers of a Brazilian company.',
  errors: ['COMPANY_NOT_FOUND'],
  loader: ownersLoader,
  reply: z.object({
    identifier: z.string(),
    company_name: z.string(),
    country: z.string(),
    owners: z.array(ownerReply),
    source: z.enum(['receita_federal']),
    checked_at: datetime,
  }),
  toReply({ value }, { identifier, country, checkedAt }) {
    if (!value) throw companyNotFound();
    return {
      identifier,
      company_name: value.companyName,
      country,
      owners: value.owners.map(toOwnerReply),
      source: value.source,
      checked_at: checkedAt,
    };
  },
});
