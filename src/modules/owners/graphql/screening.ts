import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { Field, Float, ObjectType } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Awaitable } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import { RequestSlices } from '../../../scheduling/slices.ts';
import { DismissedMatchType } from '../../sanctions/graphql/reviews.ts';
import { CandidateDecisionEnum } from '../../sanctions/graphql.ts';
import { decisionsOf } from '../../sanctions/loaders/reviews.ts';
import {
  type NotCheckedReason,
  type OwnerCandidate,
  type OwnerListing,
  type OwnerMatchKind,
  type OwnerScreening,
  type ScreenedOwner,
  toOwnerScreening,
} from '../domain.ts';
import type { OwnerListLoader, OwnerListScreening } from '../loaders/screening.ts';

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
class OwnerCandidateType implements Omit<OwnerCandidate, 'recordDigest'> {
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
}

const NotCheckedReasonEnum = defineEnum<NotCheckedReason>('NotCheckedReason', 'Reason for which an owner was not compared with a list.', {
  source_unavailable: 'The list was never loaded, is overdue or cannot be read.',
  module_not_enabled: 'The key does not have the module of the list.',
  no_name: 'The name of the owner has no letter that can be compared.',
  no_tax_id: 'The list is searched by tax id, and the registry states none for this owner, as for most foreigners.',
});

@ObjectType('ListNotChecked', { description: 'A list that an owner was not compared with.', simpleResolvers: true })
class ListNotCheckedType {
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

export const toOwnerScreeningType = ({ candidates, ...screening }: OwnerScreening): OwnerScreeningType => ({
  ...screening,
  candidates:
    candidates?.map(({ dismissal, ...candidate }) => ({ ...candidate, dismissal: dismissal ? new DismissedMatchType(dismissal) : null })) ??
    null,
});

/**
 * Cost of comparing one owner with the lists, in values of an answer. The 250 owners of one slice are looked up in one batch of each list.
 */
const SCREENING_VALUES = 12;

/** Slices of the screenings of a request. They are separate, because the batches of the lists do not wait for other slices. */
const slices = new WeakMap<RequestContext, RequestSlices>();

function slicesOf(ctx: RequestContext): RequestSlices {
  const known = slices.get(ctx) ?? new RequestSlices();
  slices.set(ctx, known);
  return known;
}

/** An owner of a company, and the lists that the owner is compared with. */
export interface OwnerOfCompany extends ScreenedOwner {
  readonly id: string;
  readonly ofCompany: CompanyKey;
  readonly screenedBy: OwnerListScreening;
}

/**
 * Compares an owner with each list, and omits candidates that the account has dismissed.
 * @throws AppError MODULE_NOT_ENABLED when the key has none of the lists' modules
 */
export async function screenOwner(
  owner: OwnerOfCompany,
  ctx: RequestContext,
  options: { readonly includeDismissed: boolean },
): Promise<OwnerScreening> {
  const { id: ownerId, ofCompany: company, screenedBy } = owner;
  await ownersKnown(ctx);
  await slicesOf(ctx).reserve(SCREENING_VALUES);
  const [outcomes, decisions] = await Promise.all([
    Promise.allSettled(screenedBy.lists.map((loader) => ctx.ask(loader, owner))),
    decisionsOf(ctx, screenedBy.module, { company, ownerId }),
  ]);
  const listings = outcomes.map((outcome, i): OwnerListing => {
    const { list } = screenedBy.lists[i] as OwnerListLoader;
    if (outcome.status === 'rejected') return { list, reason: reasonOf(outcome.reason) };
    const { value, freshness } = outcome.value;
    return typeof value === 'string' ? { list, reason: value } : { list, candidates: value, freshness };
  });
  const [first] = outcomes;
  const hasNoModule = listings.every((one) => 'reason' in one && one.reason === 'module_not_enabled');
  if (hasNoModule && first?.status === 'rejected') throw first.reason;
  return toOwnerScreening(listings, decisions, options);
}

/**
 * Returns the reason of a failure.
 * @throws every error that is not about the list or the key, because it ends the request or is a defect
 */
function reasonOf(error: unknown): NotCheckedReason {
  const code = error instanceof AppError ? error.code : null;
  if (code === 'SOURCE_UNAVAILABLE') return 'source_unavailable';
  if (code === 'MODULE_NOT_ENABLED') return 'module_not_enabled';
  throw error;
}

interface PendingOwners {
  count: number;
  readonly none: PromiseWithResolvers<void>;
}

/** Owners that a request is still loading. */
const pending = new WeakMap<RequestContext, PendingOwners>();

/**
 * Loads owners for a field. Because the registry answers one company at a time, screenings wait until the request has all owners of a
 * level, and then read each list once. If no owner is screened, nothing waits.
 */
export function loadOwners<T>(ctx: RequestContext, info: GraphQLResolveInfo, load: () => Awaitable<T>): Awaitable<T> {
  const owners = load();
  return owners instanceof Promise && info.fieldNodes.some((node) => selectsScreening(node, info)) ? countedAsPending(ctx, owners) : owners;
}

/** Counts owners as pending until they are loaded. The last ones of a request resume its screenings. */
async function countedAsPending<T>(ctx: RequestContext, owners: Promise<T>): Promise<T> {
  const known = pending.get(ctx) ?? { count: 0, none: Promise.withResolvers<void>() };
  pending.set(ctx, known);
  known.count += 1;
  try {
    return await owners;
  } finally {
    known.count -= 1;
    if (known.count === 0) {
      pending.delete(ctx);
      known.none.resolve();
    }
  }
}

/** Field node → true if `screening` is selected below it. A node is parsed once for many requests. */
const selecting = new WeakMap<FieldNode, boolean>();

function selectsScreening(node: FieldNode, { fragments }: GraphQLResolveInfo): boolean {
  const isSelectedIn = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD) return isSelectedIn(fragments[one.name.value]?.selectionSet);
      return (one.kind === Kind.FIELD && one.name.value === 'screening') || isSelectedIn(one.selectionSet);
    }) ?? false;
  const known = selecting.get(node) ?? isSelectedIn(node.selectionSet);
  selecting.set(node, known);
  return known;
}

/** Waits until no owners are being loaded for the request. */
async function ownersKnown(ctx: RequestContext): Promise<void> {
  for (let known = pending.get(ctx); known; known = pending.get(ctx)) await known.none.promise;
}
