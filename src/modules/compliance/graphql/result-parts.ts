import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import { check } from '../../../graphql/check.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { RegistrationType } from '../../kyb/graphql/registration.ts';
import { includedRegistration } from '../../kyb/loaders/registration.ts';
import { type OwnersToReview, ownersToReview } from '../../owners/domain/to-review.ts';
import { isScreened, screenOwner } from '../../owners/loaders/screened-owners.ts';
import { ComplianceResultType } from '../graphql.ts';

@ObjectType('OwnersToReview', {
  description: 'Number of owners for whom the lists have candidates that the account has not dismissed. They change no risk level.',
  simpleResolvers: true,
})
class OwnersToReviewType implements OwnersToReview {
  @Field(() => Int, { description: 'Owners with at least one candidate.' }) total!: number;
  @Field(() => Int, {
    description: 'Those of them whose own tax id is listed, or that of another branch of the same legal person.',
  })
  byTaxId!: number;
  @Field(() => Int, { description: 'Owners without a candidate that a list could not be read for; this is no clearance.' })
  notCompared!: number;
  @Field(() => Int, { description: 'Owners on record, without NATURAL_PERSONS.' }) owners!: number;
}

const REGISTRATIONS = { compliance_br: includedRegistration('compliance_br'), compliance: includedRegistration('compliance') };

/** Fields of a consolidated check that are loaded when they are selected. */
@Resolver(() => ComplianceResultType)
export class ResultPartsResolver {
  @Cost(5)
  @FieldResolver(() => OwnersToReviewType, {
    nullable: true,
    description:
      'Owners for whom the lists have candidates, by the comparison of `checks.owners.owners.screening`. It counts nothing more. CO: its officers. Null where their source failed.',
  })
  async ownersToReview(@Root() { checks }: ComplianceResultType, @Ctx() ctx: RequestContext): Promise<OwnersToReviewType | null> {
    if (!checks.owners) return null;
    const owners = checks.owners.owners.filter(isScreened);
    return ownersToReview(await Promise.all(owners.map((owner) => screenOwner(owner, ctx, { includeDismissed: false }))));
  }

  @FieldResolver(() => RegistrationType, {
    nullable: true,
    description:
      'The whole public record of which `checks.kyb` is a part, by the same call. It counts nothing more. Null where the registry failed, or has no such company.',
  })
  async registration(@Root() { company, checks }: ComplianceResultType, @Ctx() ctx: RequestContext): Promise<RegistrationType | null> {
    if (!checks.kyb) return null;
    const { value, freshness } = await ctx.ask(REGISTRATIONS[COMPLIANCE_MODULE_OF[company.country]], company);
    return value && check({ value, freshness });
  }
}
