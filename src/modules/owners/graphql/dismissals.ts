import { Arg, Ctx, Field, ID, InputType, Mutation, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { Access } from '../../../graphql/access.ts';
import { parseCompany } from '../../../graphql/company.ts';
import { reviewMessages } from '../../../messages/reviews.ts';
import { MAX_REASON } from '../../sanctions/domain/review.ts';
import {
  CandidateInput,
  DismissedMatchType,
  DismissMatchPayload,
  NO_SUCH_CANDIDATE,
  NULL_BESIDE_DECISION,
} from '../../sanctions/graphql/reviews.ts';
import { COMPLIANCE_MODULE_OF, listsOfDecision, readScreenedName, sanctionsCandidatesLoader } from '../../sanctions/loaders/candidates.ts';
import { requireCandidate, screenCompany } from '../../sanctions/loaders/reviews.ts';
import { type JudgedCandidate, REVIEW, reviewService } from '../../sanctions/service/reviews.ts';
import { ownerIdOf } from '../loader.ts';
import { knownOwnersLoaders } from '../loaders/officers.ts';
import { isScreened, screenOwner } from '../loaders/screened-owners.ts';
import { complianceOwnerScreenings, ownerScreening } from '../loaders/screening.ts';

@InputType('DismissMatchInput', { description: 'A candidate that is not the company, or not the owner.' })
class DismissMatchInput extends CandidateInput {
  @Field(() => ID, { nullable: true, description: '`id` of the owner, for a candidate of `Owner.screening`. Not together with `name`.' })
  ownerId?: string | null;
  @Field(() => String, { description: `Reason for which it is another party: 1 to ${MAX_REASON} characters.` }) reason!: string;
}

/** The mutation is here because owners import the module of sanctions, which does not import owners. */
@Resolver()
export class DismissMatchResolver {
  @Access('sanctions')
  @Mutation(() => DismissMatchPayload, {
    nullable: true,
    description: `Dismisses a candidate of a company, or of an owner of it: it is hidden from all keys of the account until the record of the list changes. Dismissing it again replaces the reason; a confirmation of it is deleted. Module sanctions; for an owner also owners or the module of the consolidated check of the country. ${NULL_BESIDE_DECISION}`,
  })
  async dismissMatch(
    @Arg('input', () => DismissMatchInput, { description: 'Company, candidate and reason.' }) input: DismissMatchInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DismissMatchPayload> {
    const company = parseCompany(input.identifier, input.country ?? null);
    const ownerId = input.ownerId ?? null;
    const name = readScreenedName(input.name);
    if (ownerId !== null && name !== null) throw invalidInput('name', reviewMessages.ownerByName());
    await ctx.limitAction(REVIEW);
    const candidates =
      ownerId === null
        ? await screenCompany(sanctionsCandidatesLoader, { company, name, lists: listsOfDecision(input.list as SourceName) }, ctx, {
            includeDismissed: true,
          })
        : await candidatesOfOwner(company, ownerId, ctx);
    const candidate = requireCandidate(candidates, input, ownerId === null ? NO_SUCH_CANDIDATE : NO_SUCH_CANDIDATE_OF_OWNER);
    const dismissal = await ctx.open(reviewService).decide(ctx.caller, 'dismissed', { ...candidate, company, ownerId }, input.reason);
    return { dismissedMatch: new DismissedMatchType(dismissal) };
  }
}

/**
 * Loads the candidates of an owner; null for an owner that the company does not have.
 * @throws AppError MODULE_NOT_ENABLED, UNSUPPORTED_COUNTRY, SOURCE_UNAVAILABLE
 */
async function candidatesOfOwner(
  company: CompanyKey,
  ownerId: string,
  ctx: RequestContext,
): Promise<readonly Omit<JudgedCandidate, 'company' | 'ownerId'>[] | null> {
  const module = COMPLIANCE_MODULE_OF[company.country];
  const screenedBy = ctx.caller.modules.has(module) ? complianceOwnerScreenings[module] : ownerScreening;
  const { value } = await ctx.ask(knownOwnersLoaders[screenedBy.module], company);
  const owner = value?.owners.find((one) => ownerIdOf(company.taxId, one) === ownerId);
  if (!owner || !isScreened(owner)) return null;
  return (await screenOwner({ ...owner, id: ownerId, ofCompany: company, screenedBy }, ctx, { includeDismissed: true })).candidates;
}

const NO_SUCH_CANDIDATE_OF_OWNER = reviewMessages.noCandidateOfOwner();
