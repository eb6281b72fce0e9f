import { Arg, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { Cost } from '../../../graphql/limits/cost.ts';
import { DateScalar, DecimalScalar } from '../../../graphql/scalars.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import type { BeneficialOwner } from '../domain/beneficial.ts';
import type { OwnershipShare } from '../domain/share.ts';
import { companyNotFound } from '../domain.ts';
import { beneficialOwnersLoader } from '../loaders/beneficial.ts';
import { GRAPH_COUNTRIES } from '../loaders/upwards.ts';
import { GraphGapType, OwnershipEdgeType, toEdgeType, toGapType } from './group.ts';
import { OwnershipShareType } from './share.ts';

@ObjectType('BeneficialOwner', {
  description: 'A natural person at the end of a path of owners; CL: all natural persons of a company together.',
  simpleResolvers: true,
})
class BeneficialOwnerType implements Omit<BeneficialOwner, 'registeredIn' | 'path'> {
  @Field(() => String, { description: 'Full name; empty for an aggregate.' }) name!: string;
  @Field(() => Boolean, {
    description: 'True for all natural persons of a Chilean company together, of whom the registry names none. It is no identity.',
  })
  isAggregate!: boolean;
  @Field(() => String, { nullable: true, description: 'Masked CPF; null for most foreigners.' }) identifier!: string | null;
  @Field(() => String, { description: "The registry's word for the role; the first one of several." }) role!: string;
  @Field(() => [String], {
    description: "The registry's words for all roles of the person in the company, each once, also those of an officer.",
  })
  roles!: readonly string[];
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of the first entry; null where the registry has none or an impossible one.',
  })
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
  @Served(GRAPH_COUNTRIES)
  @Access('owners')
  @FieldResolver(() => BeneficialOwnersType, {
    nullable: true,
    description:
      'Natural persons at the ends of the paths of owners, up to 10 levels and 200 companies. The registry of Brazil publishes no shares, so the path of control is known and the share is not, unless every owner on the path is the only partner. The registry of Chile publishes shares and names no people: the natural persons of each company are one aggregate, whose share is the sum of the products along all paths, and `minShare` leaves out none, because a person may belong to several. Officers are no owners. Module owners, BR and CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, COMPANY_NOT_FOUND or SOURCE_UNAVAILABLE.',
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
    if (!(minShare >= 0 && minShare <= 100)) throw invalidInput('minShare', fieldMessages.percentage());
    const { value, freshness } = await ctx.ask(beneficialOwnersLoader, { company, minShare });
    const { country } = company;
    if (!value) throw companyNotFound(country);
    const { owners, complete, notSeen } = value;
    return {
      owners: owners.map((owner) => toOwner(owner, country)),
      complete,
      notSeen: notSeen.map((gap) => toGapType(gap, country)),
      freshness,
    };
  }
}

const toOwner = ({ registeredIn, path, ...owner }: BeneficialOwner, country: Country): BeneficialOwnerType => ({
  ...owner,
  registeredIn: new CompanyType({ country, taxId: registeredIn }),
  path: path.map((edge) => toEdgeType(edge, country)),
});
