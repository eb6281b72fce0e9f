import { z } from 'zod';
import { COUNTRIES, parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { country, datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import type { Sanctions, SanctionsMatch } from './domain.ts';
import { sanctionsLoader } from './loader.ts';

const listName = z.enum(['OFAC_SDN', 'UN_CONSOLIDATED']);

export const sanctionsMatchReply = z.object({
  list_name: listName,
  entry_name: z.string(),
  programs: z.array(z.string()),
  matched_id_type: z.string(),
  matched_id_value: z.string(),
  matched_on: z.enum(['tax_id', 'root']),
  uid: z.string(),
});

/** SanctionsMatch → the `/v1` match. */
export const toSanctionsMatchReply = (match: SanctionsMatch): z.input<typeof sanctionsMatchReply> => ({
  list_name: match.list,
  entry_name: match.entryName,
  programs: [...match.programs],
  matched_id_type: match.matchedIdType,
  matched_id_value: match.matchedIdValue,
  matched_on: match.matchedOn,
  uid: match.entityId,
});

/**
 * POST /v1/sanctions: OFAC SDN and the UN consolidated list, by tax id. Names are not screened yet, so `name` is accepted and
 * changes nothing, and there is no `possible_matches`: an empty one would say "screened".
 * 422 malformed or other country; 503 a list could not be seen.
 */
export const sanctionsRoute = defineRoute({
  method: 'POST',
  path: '/v1/sanctions',
  module: 'sanctions',
  summary: 'International sanctions lists (OFAC SDN, UN consolidated), by tax id.',
  body: z.object({ identifier, country, name: z.string().trim().max(500).optional() }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_sanctioned: z.boolean(),
    matches: z.array(sanctionsMatchReply),
    lists_checked: z.array(listName),
    lists_updated_at: z.record(listName, datetime.nullable()),
    checked_at: datetime,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, COUNTRIES, 'Sanctions'), body.identifier);
    const { value } = await ctx.ask(sanctionsLoader, key);
    return {
      identifier: body.identifier,
      country: body.country,
      is_sanctioned: value.isSanctioned,
      matches: value.matches.map(toSanctionsMatchReply),
      lists_checked: [...value.sourcesChecked],
      lists_updated_at: { OFAC_SDN: updatedAt(value, 'OFAC_SDN'), UN_CONSOLIDATED: updatedAt(value, 'UN_CONSOLIDATED') },
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});

/** When the list's edition was loaded; null where the list could not be seen. */
function updatedAt({ lists }: Sanctions, list: z.infer<typeof listName>): string | null {
  const edition = lists.find((one) => one.list === list);
  return edition ? isoWithOffset(edition.loadedAt) : null;
}
