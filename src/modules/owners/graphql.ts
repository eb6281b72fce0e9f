import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, ID, Info, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import type { CompanyKey } from '../../domain/company.ts';
import { invalidInput } from '../../domain/errors.ts';
import { isProblem, readCnpj } from '../../domain/tax-id.ts';
import { Access, AnswersAsOf, asOfNotSupported, Served } from '../../graphql/access.ts';
import { FreshnessType, sharedObject } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue } from '../../graphql/company-field.ts';
import { defineEnum, RegistryMirrorEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import { NO_OWNERS, type Owner, type Owners, type OwnershipGraph } from './domain.ts';
import { loadOwners, OwnerScreeningType, toOwnerScreeningType } from './graphql/screening.ts';
import { ownerIdOf, ownersAsOfLoader, ownershipGraphLoader, ownersLoader } from './loader.ts';
import { screenOwner } from './loaders/screened-owners.ts';
import { type OwnerListScreening, ownerScreening } from './loaders/screening.ts';

export const OwnerEntityType = defineEnum('OwnerEntityType', 'Kind of an owner.', {
  individual: 'A natural person.',
  company: 'A legal entity.',
});

@ObjectType('Owner', { description: 'One registered owner or officer.', simpleResolvers: true })
export class OwnerType implements Owner {
  @Field(() => ID, { description: cacheKey('owners') }) id!: string;
  @Field(() => String, { description: 'Full name.' }) name!: string;
  @Field(() => String, { description: "The registry's word for the role, e.g. `Sócio-Administrador`." }) role!: string;
  @Field(() => OwnerEntityType, { description: 'Person or company.' }) entityType!: Owner['entityType'];
  @Field(() => String, { nullable: true, description: 'Masked CPF for an individual, full CNPJ for a company; null for most foreigners.' })
  identifier!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  entryDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Country of a foreign owner, in the registry's words; null for Brazilian residents.",
  })
  country!: string | null;
  @Field(() => String, { nullable: true, description: 'Legal representative, for company owners only.' }) legalRepName!: string | null;
  @Field(() => String, { nullable: true, description: 'Role of the legal representative.' }) legalRepRole!: string | null;

  /** The requested company, and the lists for its owners, which depend on the modules under which the company was checked. */
  readonly ofCompany!: CompanyKey;
  readonly screenedBy!: OwnerListScreening;
  /** ISO date of the requested company; null for today. */
  readonly asOf!: string | null;
}

@ObjectType('OwnersCheck', { description: 'Registered owners and officers of a company.', simpleResolvers: true })
export class OwnersCheckType implements Omit<Owners, 'companyName'> {
  @Field(() => String, {
    nullable: true,
    description: 'Official legal name; null when the registry has no such company, or no name of it.',
  })
  companyName!: string | null;
  @Field(() => Boolean, {
    description: 'False if the registry has no such company: `owners` is then empty, and the answer is not counted.',
  })
  companyKnown!: boolean;
  @Field(() => Int, { description: 'Number of owners on record.' }) count!: number;
  @Field(() => [OwnerType], {
    description:
      'Owners in the order of the registry; empty when none is on record, see `companyKnown`. Of a branch without owners in its record: those of its head office.',
  })
  owners!: readonly OwnerType[];
  @Field(() => SourceNameEnum, { description: 'The registry that answered.' }) source!: Owners['source'];
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description: 'The mirror of the registry that has them; null if the registry has no such company.',
  })
  mirror!: Owners['mirror'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@ObjectType('OwnershipNode', { description: 'A company of an ownership graph.', simpleResolvers: true })
class OwnershipNodeType {
  @Field(() => CompanyType, { description: 'The company.' }) company!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Legal name; null where it was not looked up.' }) name!: string | null;
  @Field(() => Int, { description: 'Distance from the requested company, which has 0.' }) depth!: number;
}

@ObjectType('OwnershipEdge', { description: 'Ownership of a company by another company.', simpleResolvers: true })
class OwnershipEdgeType {
  @Field(() => CompanyType, { description: 'The owner.' }) owner!: CompanyType;
  @Field(() => CompanyType, { description: 'The company owned.' }) owned!: CompanyType;
  @Field(() => String, { description: "The registry's word for the role." }) role!: string;
}

@ObjectType('OwnershipGraph', {
  description: 'Companies that own a company, directly or through other companies. A cycle is returned once.',
  simpleResolvers: true,
})
class OwnershipGraphType {
  @Field(() => [OwnershipNodeType], { description: 'Each company once, nearest first.' }) nodes!: readonly OwnershipNodeType[];
  @Field(() => [OwnershipEdgeType], { description: 'Ownership relations.' }) edges!: readonly OwnershipEdgeType[];
  @Field(() => Boolean, {
    description: 'False when owners were omitted because of the depth, the limit of 200 companies or a failed source.',
  })
  complete!: boolean;
  @Field(() => FreshnessType, { description: 'Age of its oldest part.' }) freshness!: FreshnessType;
}

@Resolver(() => OwnerType)
export class OwnerResolver {
  @Access('any_key')
  @FieldResolver(() => CompanyType, {
    nullable: true,
    description: 'The owner as a company, if it has a CNPJ, so that a query can select its fields; null otherwise.',
  })
  company(@Root() { entityType, identifier, asOf }: OwnerType): CompanyType | null {
    const cnpj = entityType === 'company' && identifier ? readCnpj(identifier) : null;
    return cnpj === null || isProblem(cnpj) ? null : new CompanyType({ country: 'BR', taxId: cnpj, asOf });
  }

  @FieldResolver(() => OwnerScreeningType, {
    nullable: true,
    description:
      'Listed parties that may be this owner: candidates for manual review, without those that the account has dismissed. They change no check and no risk level of the company. Each list needs its module on the key: sanctions, debarment or labor. Within the consolidated check compliance_br covers all. Null beside MODULE_NOT_ENABLED when the key has none of them.',
  })
  async screening(
    @Root() owner: OwnerType,
    @Arg('includeDismissed', () => Boolean, {
      defaultValue: false,
      description: 'True: also the candidates that the account has dismissed, each with its `dismissal`.',
    })
    includeDismissed: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<OwnerScreeningType> {
    if (owner.asOf !== null) throw asOfNotSupported('screening');
    return toOwnerScreeningType(await screenOwner(owner, ctx, { includeDismissed }));
  }
}

@Resolver(() => CompanyType)
export class OwnersResolver {
  @AnswersAsOf
  @Served(ownersLoader.countries)
  @Access('owners')
  @FieldResolver(() => OwnersCheckType, {
    nullable: true,
    description:
      'Registered owners and officers. Module owners, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  owners(@Root() company: CompanyType, @Ctx() ctx: RequestContext, @Info() info: GraphQLResolveInfo): FieldValue<OwnersCheckType> {
    const { asOf, taxId } = company;
    const toObject = (answer: Answer<Owners | null>) => toOwnersCheck(answer, taxId, ownerScreening, asOf);
    if (asOf !== null) return companyField(ownersAsOfLoader, { ...company, asOf }, ctx, toObject);
    return loadOwners(ctx, info, () => companyField(ownersLoader, company, ctx, toObject));
  }

  @Cost(20)
  @Served(ownersLoader.countries)
  @Access('owners')
  @FieldResolver(() => OwnershipGraphType, {
    nullable: true,
    description:
      'Companies that own this company, directly or through other companies, up to `depth` levels. Module owners, BR. Each company is returned once, also in a cycle. Empty for a company that is not in the registry; null in the same cases as `owners`.',
  })
  async ownershipGraph(
    @Root() company: CompanyType,
    @Arg('depth', () => Int, { nullable: true, defaultValue: 3, description: 'Levels to follow, 1 to 10.' }) given: number | null,
    @Ctx() ctx: RequestContext,
  ): Promise<OwnershipGraphType> {
    const depth = given ?? 3;
    if (depth < 1 || depth > 10) throw invalidInput('depth', 'Give a depth from 1 to 10.');
    const { value, freshness } = await ctx.ask(ownershipGraphLoader, { company, depth });
    return { ...toGraph(value ?? NO_GRAPH), freshness };
  }
}

const NO_GRAPH: OwnershipGraph = { nodes: [], edges: [], complete: true };

/** Converts owners to their GraphQL object. It returns the same object for the same answer. */
export const toOwnersCheck = sharedObject(
  (answer: Answer<Owners | null>, taxId: string, screenedBy: OwnerListScreening, asOf: string | null): OwnersCheckType => {
    const ofCompany = { country: 'BR', taxId } as const;
    const idOf = (owner: Owner) => (asOf === null ? ownerIdOf(taxId, owner) : `${ownerIdOf(taxId, owner)}:${asOf}`);
    const found = answer.value ?? NO_OWNERS;
    const { owners, source, mirror, companyName } = found;
    return {
      owners: owners.map((owner) => ({ ...owner, id: idOf(owner), ofCompany, screenedBy, asOf })),
      companyName: companyName || null,
      companyKnown: found !== NO_OWNERS,
      count: owners.length,
      source,
      mirror,
      freshness: answer.freshness,
    };
  },
);

function toGraph({ nodes, edges, complete }: OwnershipGraph): Omit<OwnershipGraphType, 'freshness'> {
  const companies = new Map(nodes.map(({ taxId }) => [taxId, new CompanyType({ country: 'BR', taxId })]));
  const company = (taxId: string) => companies.get(taxId) ?? new CompanyType({ country: 'BR', taxId });
  return {
    nodes: nodes.map(({ taxId, name, depth }) => ({ company: company(taxId), name, depth })),
    edges: edges.map(({ owner, owned, role }) => ({ owner: company(owner), owned: company(owned), role })),
    complete,
  };
}
