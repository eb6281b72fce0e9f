import { Arg, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { defineEnum } from '../../../graphql/enums.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { DateScalar, DecimalScalar } from '../../../graphql/scalars.ts';
import { type BeneficialOwner, type OwnershipShare, SHARE_BASES, type ShareBasis } from '../domain/beneficial.ts';
import { companyNotFound } from '../domain.ts';
import { ownersLoader } from '../loader.ts';
import { beneficialOwnersLoader } from '../loaders/beneficial.ts';
import { GraphGapType, OwnershipEdgeType, toEdgeType, toGapType } from './group.ts';

const ShareBasisEnum = defineEnum<ShareBasis>('OwnershipShareBasis', 'Basis of a share.', SHARE_BASES);

@ObjectType('OwnershipShare', { description: 'The share of an owner in a company, directly or through others.', simpleResolvers: true })
class OwnershipShareType implements OwnershipShare {
  @Field(() => DecimalScalar, { nullable: true, description: 'Percentage; null if it is not known.' }) percent!: string | null;
  @Field(() => ShareBasisEnum, { description: 'Basis of the percentage, or reason for which there is none.' }) basis!: ShareBasis;
}

@ObjectType('BeneficialOwner', { description: 'A natural person at the end of a path of owners.', simpleResolvers: true })
class BeneficialOwnerType implements Omit<BeneficialOwner, 'registeredIn' | 'path'> {
  @Field(() => String, { description: 'Full name.' }) name!: string;
  @Field(() => String, { nullable: true, description: 'Masked CPF; null for most foreigners.' }) identifier!: string | null;
  @Field(() => String, { description: "The registry's word for the role." }) role!: string;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  entryDate!: string | null;
  @Field(() => String, { nullable: true, description: 'Country of a foreign owner; null for Brazilian residents.' }) country!:
    | string
    | null;
  @Field(() => CompanyType, { description: 'The company that names the person: the requested one for a direct owner.' })
  registeredIn!: CompanyType;
  @Field(() => [OwnershipEdgeType], {
    description: 'Edges from the requested company to the company that names the person; empty for a direct owner.',
  })
  path!: readonly OwnershipEdgeType[];
  @Field(() => OwnershipShareType, { description: 'Share in the requested company.' }) share!: OwnershipShare;
}

@ObjectType('BeneficialOwners', { description: 'Natural persons who own a company, directly or through others.', simpleResolvers: true })
class BeneficialOwnersType {
  @Field(() => [BeneficialOwnerType], {
    description: 'Nearest owners first. A person whose share is not known is included, whatever `minShare` is.',
  })
  owners!: readonly BeneficialOwnerType[];
  @Field(() => Boolean, { description: 'False if a person may be missing; `notSeen` says why.' }) complete!: boolean;
  @Field(() => [GraphGapType], {
    description: 'Gaps: foreign owners, companies without owners on record, the depth and others.',
  })
  notSeen!: readonly GraphGapType[];
  @Field(() => FreshnessType, { description: 'Age of its oldest part.' }) freshness!: FreshnessType;
}

const DEFAULT_SHARE = 25;

@Resolver(() => CompanyType)
export class BeneficialOwnersResolver {
  @Cost(20)
  @Served(ownersLoader.countries)
  @Access('owners')
  @FieldResolver(() => BeneficialOwnersType, {
    nullable: true,
    description:
      'Natural persons at the ends of the paths of owners, up to 10 levels and 200 companies. The registry of Brazil publishes no shares, so the path of control is known and the share is not, unless every owner on the path is the only partner. Officers are no owners. Module owners, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, COMPANY_NOT_FOUND or SOURCE_UNAVAILABLE.',
  })
  async beneficialOwners(
    @Root() company: CompanyType,
    @Arg('minShare', () => DecimalScalar, {
      nullable: true,
      defaultValue: DEFAULT_SHARE,
      description: 'Minimum share in percent, 0 to 100; 25 when null.',
    })
    given: number | string | null,
    @Ctx() ctx: RequestContext,
  ): Promise<BeneficialOwnersType> {
    const minShare = Number(given ?? DEFAULT_SHARE);
    if (!(minShare >= 0 && minShare <= 100)) throw invalidInput('minShare', 'Give a percentage from 0 to 100.');
    const { value, freshness } = await ctx.ask(beneficialOwnersLoader, { company, minShare });
    if (!value) throw companyNotFound();
    const { owners, complete, notSeen } = value;
    return { owners: owners.map(toOwner), complete, notSeen: notSeen.map(toGapType), freshness };
  }
}

const toOwner = ({ registeredIn, path, ...owner }: BeneficialOwner): BeneficialOwnerType => ({
  ...owner,
  registeredIn: new CompanyType({ country: 'BR', taxId: registeredIn }),
  path: path.map(toEdgeType),
});
