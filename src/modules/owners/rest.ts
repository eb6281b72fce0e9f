import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { country, dateOrNull, datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { companyNotFound, type Owner } from './domain.ts';
import { ownersLoader } from './loader.ts';

export const ownerReply = z.object({
  name: z.string(),
  role: z.string(),
  entity_type: z.enum(['individual', 'company']),
  identifier: z.string().nullable(),
  entry_date: dateOrNull,
  country: z.string().nullable(),
  legal_rep_name: z.string().nullable(),
  legal_rep_role: z.string().nullable(),
});

/** Owner → the `/v1` owner object. */
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

/** POST /v1/owners: ownership structure. 404 unknown company; 422 malformed CNPJ or other country; 503 registry down. */
export const ownersRoute = defineRoute({
  method: 'POST',
  path: '/v1/owners',
  module: 'owners',
  summary: 'Registered owners and officers of a Brazilian company.',
  body: z.object({ identifier, country }),
  reply: z.object({
    identifier: z.string(),
    company_name: z.string(),
    country: z.string(),
    owners: z.array(ownerReply),
    source: z.enum(['receita_federal']),
    checked_at: datetime,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, ['BR'], 'Ownership'), body.identifier);
    const { value } = await ctx.ask(ownersLoader, key);
    if (!value) throw companyNotFound();
    return {
      identifier: body.identifier,
      company_name: value.companyName,
      country: body.country,
      owners: value.owners.map(toOwnerReply),
      source: value.source,
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});
