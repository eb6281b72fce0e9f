import { z } from 'zod';
import type { RequestContext } from '../../context.ts';
import { CHOSEN_SANCTIONS_LISTS } from '../../domain/catalogue.ts';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isSourceUnavailable } from '../../domain/errors.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { explainedIn } from '../../messages/names.ts';
import { companyBody } from '../../rest/company-route.ts';
import { datetime, flag } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import type { Candidate } from './domain/candidate.ts';
import { CANDIDATE_DECISIONS, NAME_KINDS } from './domain/candidate.ts';
import type { Reviewed } from './domain/review.ts';
import {
  ALL_SANCTIONS_LISTS,
  isMatchedById,
  type ListingTerms,
  SANCTIONS_EFFECTS,
  SANCTIONS_LISTS,
  type Sanctions,
  type SanctionsEffect,
  type SanctionsList,
  type SanctionsMatch,
} from './domain.ts';
import { chosenSanctionsLoader, sanctionsLoader } from './loader.ts';
import { MAX_SCREENED_NAME, readChosenLists, type ScreeningRequest, sanctionsCandidatesLoader } from './loaders/candidates.ts';
import { screenCompany } from './loaders/reviews.ts';
import {
  confirmationReply,
  dismissalReply,
  toConfirmationReply,
  toDismissalReply,
  toWaitingDecisionReply,
  waitingDecisionReply,
} from './rest/decisions.ts';

const listName = z.enum(ALL_SANCTIONS_LISTS);
const listTimes = {
  ...Object.fromEntries(SANCTIONS_LISTS.map((list) => [list, datetime.nullable()])),
  ...Object.fromEntries(CHOSEN_SANCTIONS_LISTS.map((list) => [list, datetime.nullable().optional()])),
};

/** Fields of a match and of a candidate where the request has chosen lists. */
const terms = {
  effect: z
    .enum(Object.keys(SANCTIONS_EFFECTS) as [SanctionsEffect, ...SanctionsEffect[]])
    .optional()
    .describe('Consequence of the listing; with `lists` only. Only `blocking` sets `is_sanctioned`'),
  measures: z.array(z.string()).optional().describe('Measures as the list prints them; with `lists` only'),
  starts_on: z.string().nullable().optional().describe('Date from which it applies; with `lists` only'),
  ends_on: z.string().nullable().optional().describe('Last day on which it applies; with `lists` only'),
};

/** Maximum number of lists in a request; a list may be repeated. */
const MAX_CHOSEN = 20;

const toTerms = ({ effect, measures, startsOn, endsOn }: ListingTerms) => ({
  effect,
  measures: [...measures],
  starts_on: startsOn,
  ends_on: endsOn,
});

export const sanctionsMatchReply = z
  .object({
    list_name: listName,
    entry_name: z.string(),
    programs: z.array(z.string()),
    matched_id_type: z.string(),
    matched_id_value: z.string(),
    matched_on: z.enum(['tax_id', 'root']),
    uid: z.string(),
    ...terms,
  })
  .meta({ id: 'SanctionsMatch' });

/** Converts a match to its form in `/v1`. */
export const toSanctionsMatchReply = (match: SanctionsMatch): z.input<typeof sanctionsMatchReply> => ({
  list_name: match.list,
  entry_name: match.entryName,
  programs: [...match.programs],
  matched_id_type: match.matchedIdType,
  matched_id_value: match.matchedIdValue,
  matched_on: match.matchedOn,
  uid: match.entityId,
});

const candidateReply = z
  .object({
    list_name: listName,
    entry_name: z.string().describe('Main name of the party, as listed'),
    matched_name: z.string().describe('The listed name that was compared, as printed on the list'),
    matched_on: z.enum(NAME_KINDS).describe('`weak_alias`: a name that the list marks as too short or too common; never a `match`'),
    screened_name: z.string().describe('The name of the company that resembles it'),
    decision: z
      .enum(CANDIDATE_DECISIONS)
      .describe('`match`: a person would say that these are the same name; `review`: similar names, which a person should review'),
    score: z.number().min(0).max(1).describe('Similarity of the names'),
    explanation: z.string().describe('The words that agree, differ or were ignored'),
    programs: z.array(z.string()),
    countries: z.array(z.string()).describe("English names of the countries of the party's addresses"),
    uid: z.string(),
    matched_by_tax_id: z.boolean().describe('True for a party that is in `matches`, too: the tax id decides, and no review is needed'),
    dismissal: dismissalReply,
    confirmation: confirmationReply,
    waiting_decision: waitingDecisionReply,
    ...terms,
  })
  .meta({ id: 'PossibleSanctionsMatch' });

const toCandidateReply = (
  candidate: Reviewed<Candidate>,
  matches: readonly SanctionsMatch[],
  isChosen: boolean,
): z.input<typeof candidateReply> => ({
  list_name: candidate.list,
  entry_name: candidate.entryName,
  matched_name: candidate.matchedName,
  matched_on: candidate.matchedOn,
  screened_name: candidate.screenedName,
  decision: candidate.decision,
  score: candidate.score,
  explanation: candidate.explanation,
  programs: [...candidate.programs],
  countries: [...candidate.countries],
  uid: candidate.entityId,
  matched_by_tax_id: isMatchedById(matches, candidate),
  dismissal: candidate.dismissal ? toDismissalReply(candidate.dismissal) : null,
  confirmation: candidate.confirmation ? toConfirmationReply(candidate.confirmation) : null,
  ...(candidate.waiting && { waiting_decision: toWaitingDecisionReply(candidate.waiting) }),
  ...(isChosen && toTerms(candidate)),
});

const notScreened = z
  .object({
    reason: z
      .enum(['no_name', 'source_unavailable'])
      .describe('`no_name`: no `name` was given and the registry has none, or there is none for the country'),
    source: z.string().nullable().describe('The registry or list that could not be read'),
  })
  .meta({ id: 'NotScreened' });

const screeningReply = z.object({
  possible_matches: z
    .array(candidateReply)
    .nullable()
    .describe(
      'Listed parties with names like the one of the company, best first, at most 20, without dismissed ones; null when no name was compared',
    ),
  not_screened: notScreened.nullable().describe('Reason for which `possible_matches` is null; null when names were compared'),
});

/** Compares names. If a source cannot be read, the candidates are null and the rest of the reply is sent. */
async function screen(
  request: ScreeningRequest,
  matches: readonly SanctionsMatch[],
  includeDismissed: boolean,
  ctx: RequestContext,
): Promise<z.input<typeof screeningReply>> {
  try {
    const candidates = await screenCompany(sanctionsCandidatesLoader, request, ctx, { includeDismissed });
    if (candidates === null) return { possible_matches: null, not_screened: { reason: 'no_name', source: null } };
    return {
      possible_matches: candidates.map((candidate) =>
        toCandidateReply(explainedIn(candidate, ctx.language), matches, request.lists !== null),
      ),
      not_screened: null,
    };
  } catch (error) {
    if (!isSourceUnavailable(error)) throw error;
    return { possible_matches: null, not_screened: { reason: 'source_unavailable', source: error.facts.source ?? null } };
  }
}

/**
 * POST /v1/sanctions: the sanctions lists (`lists`, else OFAC SDN and the UN's), searched by tax id, and candidates by `name`, or without it by the registry's legal and trade
 * names. Candidates change neither `is_sanctioned` nor `matches`. 422 for a malformed identifier or another country; 503 when a list
 * cannot be read and the others have no match.
 */
export const sanctionsRoute = defineRoute({
  method: 'POST',
  path: '/v1/sanctions',
  module: 'sanctions',
  operationId: 'checkSanctions',
  summary: 'International sanctions lists (OFAC SDN, UN consolidated, or those in `lists`), by tax id; candidates by name.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE'],
  body: companyBody.extend({
    lists: z
      .array(listName)
      .min(1, 'Choose at least one list, or omit the choice.')
      .max(MAX_CHOSEN)
      .optional()
      .describe(`Lists to search, by tax id and by name; without it those of the account beside ${SANCTIONS_LISTS.join(' and ')}`),
    name: z
      .string()
      .trim()
      .max(MAX_SCREENED_NAME)
      .optional()
      .describe('Name to compare with the lists, instead of the names in the tax registry'),
    include_dismissed: flag(z.boolean('Give true or false.').default(false)).describe(
      'true: also the candidates that the account has dismissed, each with its `dismissal`',
    ),
  }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_sanctioned: z.boolean(),
    matches: z.array(sanctionsMatchReply),
    ...screeningReply.shape,
    lists_checked: z.array(listName),
    lists_updated_at: z.object(listTimes),
    checked_at: datetime,
  }),
  async handle({ identifier, country, lists, name, include_dismissed: includeDismissed }, ctx) {
    const company = parseCompanyKey(requireCountry(country, sanctionsLoader.countries, sanctionsLoader.subject), identifier);
    const chosen = readChosenLists(lists, ctx.caller.lists);
    const { value } = await (chosen ? ctx.ask(chosenSanctionsLoader, { ...company, lists: chosen }) : ctx.ask(sanctionsLoader, company));
    return {
      identifier,
      country,
      is_sanctioned: value.isSanctioned,
      matches: value.matches.map((match) => ({ ...toSanctionsMatchReply(match), ...(chosen && toTerms(match)) })),
      ...(await screen({ company, name: name || null, lists: chosen }, value.matches, includeDismissed, ctx)),
      lists_checked: [...value.sourcesChecked],
      lists_updated_at: updateTimes(value, chosen ?? []),
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});

/** Maps each list to the time at which its version was loaded; null if the list could not be read, or was not chosen. */
function updateTimes({ lists }: Sanctions, chosen: readonly SanctionsList[]): Record<SanctionsList, string | null> {
  const times = [...new Set([...SANCTIONS_LISTS, ...chosen])].map((name) => {
    const version = lists.find(({ list }) => list === name);
    return [name, version ? isoWithOffset(version.loadedAt) : null] as const;
  });
  return Object.fromEntries(times) as Record<SanctionsList, string | null>;
}
