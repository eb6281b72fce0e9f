import { z } from 'zod';
import { isoWithOffset } from '../../domain/time.ts';
import { companyBody, companyRoute } from '../../rest/company-route.ts';
import { datetime } from '../../rest/fields.ts';
import { SANCTIONS_LISTS, type Sanctions, type SanctionsList, type SanctionsMatch } from './domain.ts';
import { sanctionsLoader } from './loader.ts';

const listName = z.enum(SANCTIONS_LISTS);

export const sanctionsMatchReply = z
  .object({
    list_name: listName,
    entry_name: z.string(),
    programs: z.array(z.string()),
    matched_id_type: z.string(),
    matched_id_value: z.string(),
    matched_on: z.enum(['tax_id', 'root']),
    uid: z.string(),
  })
  .meta({ id: 'SanctionsMatch' });

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
 * POST /v1/sanctions: the sanctions lists, searched by tax id. Names are not screened yet: `name` is accepted and ignored, and the
 * reply has no `possible_matches`, because an empty one would mean that names were screened.
 * 422 for a malformed identifier or another country; 503 when a list cannot be read and the others have no match.
 */
export const sanctionsRoute = companyRoute({
  path: '/v1/sanctions',
  operationId: 'checkSanctions',
  summary: 'International sanctions lists (OFAC SDN, UN consolidated), by tax id.',
  loader: sanctionsLoader,
  body: companyBody.extend({ name: z.string().trim().max(500).optional() }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_sanctioned: z.boolean(),
    matches: z.array(sanctionsMatchReply),
    lists_checked: z.array(listName),
    lists_updated_at: z.object({ OFAC_SDN: datetime.nullable(), UN_CONSOLIDATED: datetime.nullable() }),
    checked_at: datetime,
  }),
  toReply: ({ value }, { identifier, country, checkedAt }) => ({
    identifier,
    country,
    is_sanctioned: value.isSanctioned,
    matches: value.matches.map(toSanctionsMatchReply),
    lists_checked: [...value.sourcesChecked],
    lists_updated_at: updateTimes(value),
    checked_at: checkedAt,
  }),
});

/** Maps every list to the time its version was loaded; null where the list could not be read. */
function updateTimes({ lists }: Sanctions): Record<SanctionsList, string | null> {
  const times = SANCTIONS_LISTS.map((name) => {
    const version = lists.find(({ list }) => list === name);
    return [name, version ? isoWithOffset(version.loadedAt) : null] as const;
  });
  return Object.fromEntries(times) as Record<SanctionsList, string | null>;
}
