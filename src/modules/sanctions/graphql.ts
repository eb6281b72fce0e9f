import { Arg, Ctx, Field, FieldResolver, Float, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import { SOURCES } from '../../domain/catalogue.ts';
import type { CompanyKey, Country } from '../../domain/company.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType, sharedObject } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { defineEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar, DateTimeScalar } from '../../graphql/scalars.ts';
import { explainedIn } from '../../messages/names.ts';
import type { Candidate, CandidateDecision, NameKind } from './domain/candidate.ts';
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
  type SanctionsListVersion,
  type SanctionsMatch,
} from './domain.ts';
import { ListedPartyType } from './graphql/listed-party.ts';
import { ConfirmedMatchType, DismissedMatchType, WAITING_DECISION, WaitingDecisionType } from './graphql/review-types.ts';
import { chosenSanctionsLoader, sanctionsLoader } from './loader.ts';
import { type CandidatesLoader, readChosenLists, readScreenedName, sanctionsCandidatesLoader } from './loaders/candidates.ts';
import { screenCompany } from './loaders/reviews.ts';

const IdMatchKind = defineEnum('IdMatchKind', 'Part of the tax id that matched.', {
  tax_id: 'The tax id itself.',
  root: 'The CNPJ root: another branch of the same legal person is listed.',
});

export const SanctionsListEnum = defineEnum<SanctionsList>(
  'SanctionsList',
  'A sanctions list that a request can choose.',
  Object.fromEntries(ALL_SANCTIONS_LISTS.map((list) => [list, SOURCES[list]])) as Record<SanctionsList, string>,
);
const SanctionsEffectEnum = defineEnum<SanctionsEffect>('SanctionsEffect', 'Consequence of a listing.', SANCTIONS_EFFECTS);

const LIST = 'The list.';
const ENTITY_ID = "The list's own id of the party: OFAC uid, UN DATAID, the publisher's number on others.";

/** Fields of a match and of a candidate: the meaning of the listing, and its time. */
@ObjectType({ simpleResolvers: true })
abstract class ListingTermsType implements ListingTerms {
  @Field(() => SanctionsEffectEnum, {
    description: 'Consequence of the listing. BLOCKING on the lists that are searched without a choice.',
  })
  effect!: SanctionsEffect;
  @Field(() => [String], {
    description: 'Measures as the list prints them, or the list within the list; empty for lists that block every party.',
  })
  measures!: readonly string[];
  @Field(() => DateScalar, { nullable: true, description: 'Date from which it applies; null for a list that prints none.' })
  startsOn!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Last day on which it applies; null for no end, or none that is known.' })
  endsOn!: string | null;
}

@ObjectType('SanctionsMatch', { description: 'A listed party with the tax id of the company.', simpleResolvers: true })
class SanctionsMatchType extends ListingTermsType implements SanctionsMatch {
  @Field(() => ID, { description: cacheKey('matches') }) id!: string;
  @Field(() => SourceNameEnum, { description: LIST }) list!: SanctionsList;
  @Field(() => String, { description: ENTITY_ID }) entityId!: string;
  @Field(() => String, { description: 'Name as listed.' }) entryName!: string;
  @Field(() => IdMatchKind, { description: 'Part of the tax id that matched.' }) matchedOn!: SanctionsMatch['matchedOn'];
  @Field(() => String, { description: 'Kind of id as the list prints it: Tax ID No., NIT #, …' }) matchedIdType!: string;
  @Field(() => String, { description: 'The id as the list prints it.' }) matchedIdValue!: string;
  @Field(() => [String], { description: 'Sanctions programmes.' }) programs!: readonly string[];
}

@ObjectType('ListVersion', { description: 'The version of a sanctions list that was checked.', simpleResolvers: true })
class ListVersionType implements SanctionsListVersion {
  @Field(() => SourceNameEnum, { description: 'The list.' }) list!: SanctionsList;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the version, where the publisher states one.' }) publishedOn!:
    | string
    | null;
  @Field(() => DateTimeScalar, { description: 'When it was loaded.' }) loadedAt!: number;
  @Field(() => Int, { description: 'Entries in the version.' }) entries!: number;
  @Field(() => String, { description: 'SHA-256 of the file.' }) checksum!: string;
}

@ObjectType('SanctionsCheck', {
  description: 'International sanctions lists, compared by tax id and, on request, by name.',
  simpleResolvers: true,
})
export class SanctionsCheckType implements Sanctions {
  @Field(() => Boolean, {
    description:
      'True only if a listed party has the tax id (of a CNPJ the root, because another branch is the same legal person) and its property is blocked. Names are not considered.',
  })
  isSanctioned!: boolean;
  @Field(() => [SanctionsMatchType], { description: 'Listed parties with the tax id.' }) matches!: readonly SanctionsMatch[];
  @Field(() => [SourceNameEnum], {
    description: 'Lists that were checked: all chosen ones, or both without a choice, unless one failed and another has a match.',
  })
  sourcesChecked!: readonly SanctionsList[];
  @Field(() => [ListVersionType], { description: 'Versions of the lists that were checked.' }) lists!: readonly SanctionsListVersion[];
  @Field(() => FreshnessType, { description: 'Age of the answer: that of its oldest list.' }) freshness!: FreshnessType;

  /** The checked company, and the loader that screens its names, which belongs to the requested module. */
  readonly company!: CompanyKey;
  readonly byName!: CandidatesLoader;
  /** Lists that the request has chosen; null without a choice. */
  readonly chosen!: readonly SanctionsList[] | null;
}

/** Converts the answer about a company to a GraphQL object. It returns the same object for the same answer. */
export const toSanctionsCheck = (
  answer: Answer<Sanctions>,
  { country, taxId }: CompanyKey,
  byName: CandidatesLoader,
  chosen: readonly SanctionsList[] | null = null,
): SanctionsCheckType => sharedCheck(answer, country, taxId, byName, chosen);

const sharedCheck = sharedObject(
  (
    answer: Answer<Sanctions>,
    country: Country,
    taxId: string,
    byName: CandidatesLoader,
    chosen: readonly SanctionsList[] | null,
  ): SanctionsCheckType => ({
    ...check(answer),
    company: { country, taxId },
    byName,
    chosen,
  }),
);

const NameMatchKind = defineEnum<NameKind>('NameMatchKind', 'Kind of a name of a listed party.', {
  name: 'Its main name.',
  alias: 'Another name, a former one, or one in another spelling.',
  weak_alias: 'A name that the list marks as too short or too common to decide by: never a MATCH.',
});
export const CandidateDecisionEnum = defineEnum<CandidateDecision>('CandidateDecision', 'Decision about two compared names.', {
  match: 'A person would read both as the same name.',
  review: 'The names are similar: a person should review them.',
});

@ObjectType('PossibleSanctionsMatch', {
  description: 'A listed party with a name similar to the name of the company, for manual review.',
  simpleResolvers: true,
})
class PossibleSanctionsMatchType extends ListingTermsType {
  @Field(() => SourceNameEnum, { description: LIST }) list!: SanctionsList;
  @Field(() => String, { description: ENTITY_ID }) entityId!: string;
  @Field(() => String, { description: 'Main name of the party, as listed.' }) entryName!: string;
  @Field(() => String, { description: 'The listed name that was compared, as printed on the list.' }) matchedName!: string;
  @Field(() => NameMatchKind, { description: 'Kind of the listed name that was compared.' }) matchedOn!: NameKind;
  @Field(() => String, { description: 'The name of the company that resembles it.' }) screenedName!: string;
  @Field(() => CandidateDecisionEnum, { description: 'Decision about the names. It does not state whether the companies are the same.' })
  decision!: CandidateDecision;
  @Field(() => Float, { description: 'Similarity of the names, 0 to 1. 1 for the same words with the same legal form.' }) score!: number;
  @Field(() => String, { description: 'Explanation of the score: the words that agree, differ or were ignored.' }) explanation!: string;
  @Field(() => [String], { description: 'Sanctions programmes.' }) programs!: readonly string[];
  @Field(() => [String], { description: "English names of the countries of the party's addresses; empty where the list has none." })
  countries!: readonly string[];
  @Field(() => ListedPartyType, { description: 'Facts that the list prints about the party, to compare it with the company.' })
  party!: ListedPartyType;
  @Field(() => Boolean, {
    description: 'True for a party that is in `matches`, too: the tax id decides, and no review is needed.',
  })
  matchedById!: boolean;
  @Field(() => DismissedMatchType, {
    nullable: true,
    description: 'The dismissal of it by the account; null for a candidate that is not dismissed. Only with `includeDismissed`.',
  })
  dismissal!: DismissedMatchType | null;
  @Field(() => ConfirmedMatchType, {
    nullable: true,
    description: 'The confirmation by the account that it is the company; null for a candidate that is not confirmed.',
  })
  confirmation!: ConfirmedMatchType | null;
  @Field(() => WaitingDecisionType, { nullable: true, description: WAITING_DECISION }) waitingDecision!: WaitingDecisionType | null;
}

/** Converts the fields that have another form in GraphQL. */
const toPossibleMatch = (candidate: Reviewed<Candidate>, matches: readonly SanctionsMatch[]): PossibleSanctionsMatchType => ({
  ...candidate,
  matchedById: isMatchedById(matches, candidate),
  dismissal: candidate.dismissal ? new DismissedMatchType(candidate.dismissal) : null,
  confirmation: candidate.confirmation ? new ConfirmedMatchType(candidate.confirmation) : null,
  waitingDecision: candidate.waiting ? new WaitingDecisionType(candidate.waiting) : null,
});

@Resolver(() => CompanyType)
export class SanctionsResolver {
  @KeptText((_company, { lists }, { caller }) => (lists == null && readChosenLists(null, caller.lists) === null ? sanctionsLoader : null))
  @Access('sanctions')
  @FieldResolver(() => SanctionsCheckType, {
    nullable: true,
    description:
      'Matches on international sanctions lists. Module sanctions. Each choice of lists is an answer of its own. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT or SOURCE_UNAVAILABLE.',
  })
  sanctions(
    @Root() company: CompanyType,
    @Arg('lists', () => [SanctionsListEnum], {
      nullable: true,
      description: `The lists to search, by tax id and by name; without it those of the account beside ${SANCTIONS_LISTS.join(' and ')}. A verdict is not affected.`,
    })
    lists: readonly SanctionsList[] | null,
    @Ctx() ctx: RequestContext,
  ): FieldValue<SanctionsCheckType> {
    const chosen = readChosenLists(lists, ctx.caller.lists);
    const toCheck = (answer: Answer<Sanctions>) => toSanctionsCheck(answer, company, sanctionsCandidatesLoader, chosen);
    if (chosen === null) return companyField(sanctionsLoader, company, ctx, toCheck);
    return companyField(chosenSanctionsLoader, { country: company.country, taxId: company.taxId, lists: chosen }, ctx, toCheck);
  }
}

/** Cost of a comparison of a name with the lists, in points. It takes about as long as a hundred checks in memory. */
const POINTS_OF_NAME = 100;

@Resolver(() => SanctionsCheckType)
export class PossibleMatchesResolver {
  @Cost(1, { name: POINTS_OF_NAME })
  @FieldResolver(() => [PossibleSanctionsMatchType], {
    nullable: true,
    description:
      "Parties of the chosen lists whose names resemble the company's, best first, at most 20, without those that the account has dismissed. They change neither isSanctioned nor a risk level. Null without an error when no name is known (CO, or a company that the registry does not have): give `name`. Null beside SOURCE_UNAVAILABLE when the registry or a list cannot be read. An empty list means that names were compared.",
  })
  async possibleMatches(
    @Root() { company, byName, chosen, matches }: SanctionsCheckType,
    @Arg('name', () => String, {
      nullable: true,
      description:
        "Compared instead of the registry's legal and trade names; up to 500 characters. The first name that a request gives for a company is part of its check; each further one counts as an answer of the module. Each costs 100 points.",
    })
    name: string | null,
    @Arg('includeDismissed', () => Boolean, {
      defaultValue: false,
      description: 'True: also the candidates that the account has dismissed, each with its `dismissal`.',
    })
    includeDismissed: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly PossibleSanctionsMatchType[] | null> {
    const request = { company, name: readScreenedName(name), lists: chosen };
    const candidates = await screenCompany(byName, request, ctx, { includeDismissed });
    return candidates?.map((candidate) => toPossibleMatch(explainedIn(candidate, ctx.language), matches)) ?? null;
  }
}
