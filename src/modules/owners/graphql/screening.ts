import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { Field, Float, ObjectType } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import type { FieldValue } from '../../../graphql/company-field.ts';
import { defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import { explainedIn } from '../../../messages/names.ts';
import { DismissedMatchType, WAITING_DECISION, WaitingDecisionType } from '../../sanctions/graphql/review-types.ts';
import { CandidateDecisionEnum } from '../../sanctions/graphql.ts';
import type { NotCheckedReason, OwnerCandidate, OwnerMatchKind, OwnerScreening } from '../domain.ts';
import { announceOwners } from '../loaders/screened-owners.ts';

const OwnerMatchKindEnum = defineEnum<OwnerMatchKind>('OwnerMatchKind', 'The data of a listed party that agree with those of an owner.', {
  tax_id: 'The tax id of a company.',
  root: 'The CNPJ root of a company: another branch of the same legal person is listed.',
  name_and_cpf: 'The name of a person and the six visible digits of the CPF.',
  name: 'The main name only.',
  alias: 'Only another name, a former one, or one in another spelling.',
  weak_alias: 'Only a name that the list marks as too short or too common to decide by: never a MATCH.',
});

@ObjectType('OwnerCandidate', {
  description: 'A listed party that may be the owner, for manual review: similar names are no proof of one identity.',
  simpleResolvers: true,
})
class OwnerCandidateType implements Omit<OwnerCandidate, 'recordDigest' | 'sentences'> {
  @Field(() => SourceNameEnum, { description: 'The list.' }) list!: SourceName;
  @Field(() => String, { description: "The list's own id of the party or record: OFAC uid, UN DATAID." }) entityId!: string;
  @Field(() => String, { description: 'Main name of the party, as listed.' }) entryName!: string;
  @Field(() => String, { description: 'The listed name that was compared, as printed on the list.' }) matchedName!: string;
  @Field(() => OwnerMatchKindEnum, { description: 'The data that agree with those of the owner.' }) matchedOn!: OwnerMatchKind;
  @Field(() => CandidateDecisionEnum, {
    description: 'Decision about the names; MATCH for a tax id. It does not state whether both are the same party.',
  })
  decision!: OwnerCandidate['decision'];
  @Field(() => Float, { description: 'Similarity of the names, 0 to 1; 1 for a tax id.' }) score!: number;
  @Field(() => String, { description: 'Explanation of the score: the words that agree, differ or were ignored.' }) explanation!: string;
  @Field(() => [String], { description: 'Sanctions programmes; the kind of penalty on CEIS and CNEP.' }) programs!: readonly string[];
  @Field(() => [String], { description: "English names of the countries of the party's addresses; empty where the list has none." })
  countries!: readonly string[];
  @Field(() => [String], {
    description: 'English names of the countries that a listed person is a national of; empty where the list has none.',
  })
  nationalities!: readonly string[];
  @Field(() => [String], {
    description:
      'Dates of birth of a listed person as the list prints them, whole or in part, e.g. `02 Feb 1980`, `circa 1980`; empty where it has none. The registry has no date of birth of owners to compare.',
  })
  datesOfBirth!: readonly string[];
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Start of the penalty or listing on a Brazilian list; null where the list has none.',
  })
  startsOn!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'End of the penalty or listing, which may have passed; null if none is stated.' })
  endsOn!: string | null;
  @Field(() => DismissedMatchType, {
    nullable: true,
    description: 'The dismissal of it by the account; null for a candidate that is not dismissed. Only with `includeDismissed`.',
  })
  dismissal!: DismissedMatchType | null;
  @Field(() => WaitingDecisionType, { nullable: true, description: WAITING_DECISION }) waitingDecision!: WaitingDecisionType | null;
}

const NotCheckedReasonEnum = defineEnum<NotCheckedReason>('NotCheckedReason', 'Reason for which an owner was not compared with a list.', {
  source_unavailable: 'The list was never loaded, is overdue or cannot be read.',
  module_not_enabled: 'The key does not have the module of the list.',
  no_name: 'The name of the owner has no letter that can be compared.',
  no_tax_id: 'The list is searched by tax id, and the registry states none for this owner, as for most foreigners.',
  companies_only: 'The owner is a person, and only the companies on the list are read.',
});

@ObjectType('ListNotChecked', { description: 'A list that an owner was not compared with.', simpleResolvers: true })
export class ListNotCheckedType {
  @Field(() => SourceNameEnum, { description: 'The list.' }) list!: SourceName;
  @Field(() => NotCheckedReasonEnum, { description: 'Reason for which the list was not compared.' }) reason!: NotCheckedReason;
}

@ObjectType('OwnerScreening', {
  description: 'Comparison of one owner with published lists. It gives candidates, no verdict.',
  simpleResolvers: true,
})
export class OwnerScreeningType implements Omit<OwnerScreening, 'candidates'> {
  @Field(() => [OwnerCandidateType], {
    nullable: true,
    description:
      'Listed parties that may be the owner, best first, at most 20. Empty: the lists of `listsChecked` have none. Null: none was found, and a list could not be read or none was compared; that is no clearance.',
  })
  candidates!: readonly OwnerCandidateType[] | null;
  @Field(() => [SourceNameEnum], { description: 'The lists that the owner was compared with.' }) listsChecked!: readonly SourceName[];
  @Field(() => [ListNotCheckedType], { description: 'The lists that the owner was not compared with, each with the reason.' })
  listsNotChecked!: OwnerScreening['listsNotChecked'];
  @Field(() => FreshnessType, { nullable: true, description: 'Age of the oldest of the lists; null where none was compared.' })
  freshness!: FreshnessType | null;
}

export const toOwnerScreeningType = ({ candidates, ...screening }: OwnerScreening, language: Language): OwnerScreeningType => ({
  ...screening,
  candidates:
    candidates?.map(({ dismissal, waiting, ...candidate }) => ({
      ...explainedIn(candidate, language),
      dismissal: dismissal ? new DismissedMatchType(dismissal) : null,
      waitingDecision: waiting ? new WaitingDecisionType(waiting) : null,
    })) ?? null,
});

/**
 * Loads owners for a field, and announces them to the screenings of the request if the field selects any. If no owner is screened, nothing
 * waits.
 */
export function loadOwners<T>(ctx: RequestContext, info: GraphQLResolveInfo, load: () => FieldValue<T>): FieldValue<T> {
  const owners = load();
  return owners instanceof Promise && info.fieldNodes.some((node) => selectsScreening(node, info)) ? announceOwners(ctx, owners) : owners;
}

/** Fields that compare owners with the lists. */
const SCREENING_FIELDS: ReadonlySet<string> = new Set(['screening', 'ownersToReview']);

/** Field node → true if such a field is selected below it. A node is parsed once for many requests. */
const selecting = new WeakMap<FieldNode, boolean>();

function selectsScreening(node: FieldNode, { fragments }: GraphQLResolveInfo): boolean {
  const isSelectedIn = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD) return isSelectedIn(fragments[one.name.value]?.selectionSet);
      return (one.kind === Kind.FIELD && SCREENING_FIELDS.has(one.name.value)) || isSelectedIn(one.selectionSet);
    }) ?? false;
  const known = selecting.get(node) ?? isSelectedIn(node.selectionSet);
  selecting.set(node, known);
  return known;
}
