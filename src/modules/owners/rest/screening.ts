import { z } from 'zod';
import { dateOrNull } from '../../../rest/fields.ts';
import { CANDIDATE_DECISIONS, MAX_CANDIDATES } from '../../sanctions/domain/candidate.ts';
import { dismissalReply, toDismissalReply, toWaitingDecisionReply, waitingDecisionReply } from '../../sanctions/rest/decisions.ts';
import { NOT_CHECKED_REASONS, OWNER_MATCH_KINDS, type OwnerScreening } from '../domain.ts';
import { ownerScreening } from '../loaders/screening.ts';

export const listName = z.enum([...ownerScreening.lists, ...ownerScreening.optional].map(({ list }) => list));

/** A list that was not read, with the reason. */
export const listNotChecked = z.object({
  list_name: listName,
  reason: z
    .enum(NOT_CHECKED_REASONS)
    .describe(
      '`no_name`, `no_tax_id`: the owner has no name or tax id that the list could be searched by; `companies_only`: the owner is a person, and only the companies on the list are read',
    ),
});

export const toListNotChecked = ({ list, reason }: OwnerScreening['listsNotChecked'][number]): z.input<typeof listNotChecked> => ({
  list_name: list,
  reason,
});

const candidateReply = z
  .object({
    list_name: listName,
    entry_name: z.string().describe('Main name of the party, as listed'),
    matched_name: z.string().describe('The listed name that was compared, as printed on the list'),
    matched_on: z
      .enum(OWNER_MATCH_KINDS)
      .describe(
        'The data that agree with the owner. `root`: another branch of the same legal person is listed; `weak_alias` is never a `match`',
      ),
    decision: z.enum(CANDIDATE_DECISIONS).describe('Decision about the names; `match` for a tax id'),
    score: z.number().min(0).max(1).describe('Similarity of the names, 0 to 1; 1 for a tax id'),
    explanation: z.string().describe('The words that agree, differ or were ignored'),
    programs: z.array(z.string()).describe('Sanctions programmes; the kind of penalty on CEIS and CNEP'),
    countries: z.array(z.string()).describe("English names of the countries of the party's addresses"),
    nationalities: z.array(z.string()).describe('English names of the countries that a listed person is a national of'),
    dates_of_birth: z.array(z.string()).describe('Dates of birth as the list prints them, whole or in part, e.g. `circa 1980`'),
    starts_on: dateOrNull.describe('Start of the penalty or listing on a Brazilian list'),
    ends_on: dateOrNull.describe('End of the penalty or listing, which may have passed'),
    uid: z.string().describe("The list's own id of the party or record"),
    dismissal: dismissalReply,
    waiting_decision: waitingDecisionReply,
  })
  .meta({ id: 'OwnerCandidate' });

export const ownerScreeningReply = z
  .object({
    owner_id: z.string().describe('`id` of the owner in GraphQL, by which `dismissMatch` names it'),
    candidates: z
      .array(candidateReply)
      .nullable()
      .describe(
        'Listed parties that may be the owner, best first, at most 20, or fewer for a company with more than 250 owners, for manual review. Null: none was found, and a list could not be read or none was compared; that is no clearance',
      ),
    lists_checked: z.array(listName),
    lists_not_checked: z.array(listNotChecked),
    data_as_of: dateOrNull.describe('Date of the oldest of the lists; null if none was compared'),
  })
  .meta({ id: 'OwnerScreening' });

/** Maximum number of candidates in a reply, because it is serialised in one piece, about 3 ms for 1,000 candidates. */
const MAX_REPLY_CANDIDATES = 5_000;

/** Returns the maximum number of candidates of each owner in a reply with this number of owners. Each owner has at least the best one. */
export const candidatesPerOwner = (owners: number): number =>
  Math.max(1, Math.min(MAX_CANDIDATES, Math.floor(MAX_REPLY_CANDIDATES / owners)));

/** Converts the screening of an owner to its form in `/v1`, with at most `maxCandidates`. */
export const toOwnerScreeningReply = (
  ownerId: string,
  { candidates, listsChecked, listsNotChecked, freshness }: OwnerScreening,
  maxCandidates: number,
): z.input<typeof ownerScreeningReply> => ({
  owner_id: ownerId,
  candidates: candidates?.slice(0, maxCandidates).map(toCandidateReply) ?? null,
  lists_checked: [...listsChecked],
  lists_not_checked: listsNotChecked.map(toListNotChecked),
  data_as_of: freshness?.dataAsOf ?? null,
});

type OwnerCandidates = NonNullable<OwnerScreening['candidates']>;

const toCandidateReply = (candidate: OwnerCandidates[number]): z.input<typeof candidateReply> => ({
  list_name: candidate.list,
  entry_name: candidate.entryName,
  matched_name: candidate.matchedName,
  matched_on: candidate.matchedOn,
  decision: candidate.decision,
  score: candidate.score,
  explanation: candidate.explanation,
  programs: [...candidate.programs],
  countries: [...candidate.countries],
  nationalities: [...candidate.nationalities],
  dates_of_birth: [...candidate.datesOfBirth],
  starts_on: candidate.startsOn,
  ends_on: candidate.endsOn,
  uid: candidate.entityId,
  dismissal: candidate.dismissal ? toDismissalReply(candidate.dismissal) : null,
  ...(candidate.waiting && { waiting_decision: toWaitingDecisionReply(candidate.waiting) }),
});
