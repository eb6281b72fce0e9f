import { Arg, Ctx, Field, Float, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { type Country, detectCompanyKey, parseCompanyKey } from '../../../domain/company.ts';
import { Access } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { CountryEnum, defineEnum } from '../../../graphql/enums.ts';
import { Cost, CostOfAnswer } from '../../../graphql/limits/cost.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import {
  type CompanyPath,
  DEFAULT_PATH_DEPTH,
  lengthOf,
  PATH_STATUSES,
  type PathEdge,
  type PathStatus,
  type PathStop,
  type ProbableIdentity,
  requirePathDepth,
  STOP_REASONS,
} from '../domain/path.ts';
import { NOT_FILED, type OwnershipShare } from '../domain/share.ts';
import { pathLoader } from '../loaders/path.ts';
import { OwnershipShareType } from './share.ts';

@InputType('CompanyRef', { description: 'A company by its tax id.' })
export class CompanyRef {
  @Field(() => String, { description: 'Tax id in any spelling that `company` takes.' }) identifier!: string;
  @Field(() => CountryEnum, { nullable: true, description: 'Detected from the form of the tax id when omitted.' }) country!: Country | null;
}

const PathStatusEnum = defineEnum<PathStatus>('CompanyPathStatus', 'Result of the search for a path between two companies.', PATH_STATUSES);
const PathStopEnum = defineEnum<PathStop>('CompanyPathStop', 'Reason for which a search was stopped.', STOP_REASONS);

@ObjectType('ProbableIdentity', {
  description:
    'A person as the registry shows one: by the six visible digits of the CPF and the name. Two records with the same identity are probably, and not certainly, one person.',
  simpleResolvers: true,
})
export class ProbableIdentityType implements ProbableIdentity {
  @Field(() => String, { description: 'Masked CPF, e.g. `***456789**`.' }) identifier!: string;
  @Field(() => String, { description: 'Normalised name: capitals and digits without accents.' }) name!: string;
  @Field(() => Int, { description: 'Number of different masked CPFs in the registry with this name and the region of this CPF.' })
  namesakes!: number;
  @Field(() => Float, {
    description:
      'Expected number of other people in the registry with this name and the same visible digits, from `namesakes`. Below 0.01 for nearly every name.',
  })
  expectedOthers!: number;
}

@ObjectType('CompanyPathEdge', {
  description: 'An edge of a path: an owner, which is a company or a person, and a company.',
  simpleResolvers: true,
})
class PathEdgeType {
  @Field(() => CompanyType, { nullable: true, description: 'The owner; null for a person.' }) owner!: CompanyType | null;
  @Field(() => String, { nullable: true, description: 'Name of the owner; null if the registry has none.' }) ownerName!: string | null;
  @Field(() => ProbableIdentityType, { nullable: true, description: 'Identity of an owner that is a person; null for a company.' })
  ownerIdentity!: ProbableIdentity | null;
  @Field(() => CompanyType, { description: 'The company owned.' }) owned!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Legal name of the company owned; null if the registry has none.' })
  ownedName!: string | null;
  @Field(() => String, { description: "The registry's word for the role of the owner; empty if it states none." }) role!: string;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  since!: string | null;
  @Field(() => OwnershipShareType, { description: 'Share of the owner. CL: as declared to the tax registry; not filed elsewhere.' })
  share!: OwnershipShare;
}

@ObjectType('CompanyPath', { description: 'Path between two companies, and the extent of the search for it.', simpleResolvers: true })
class CompanyPathType implements Omit<CompanyPath, 'edges' | 'reason'> {
  @Field(() => PathStatusEnum, { description: 'Result of the search.' }) status!: PathStatus;
  @Field(() => PathStopEnum, { nullable: true, description: 'Reason of STOPPED; null otherwise.' }) stoppedBy!: PathStop | null;
  @Field(() => Int, { nullable: true, description: 'Number of edges; null without a path, and 0 for one company.' }) length!: number | null;
  @Field(() => [PathEdgeType], { description: 'Edges in the order from the first company to the second one.' })
  edges!: readonly PathEdgeType[];
  @Field(() => Int, { description: 'Number of companies that the search has seen.' }) visitedCompanies!: number;
  @Field(() => Int, { description: 'Number of people that the search has seen.' }) visitedPeople!: number;
  @Field(() => Boolean, { description: 'False if the registry has no company `from`.' }) fromKnown!: boolean;
  @Field(() => Boolean, { description: 'False if the registry has no company `to`.' }) toKnown!: boolean;
  @Field(() => String, { nullable: true, description: 'Reason for which edges may be missing in the copy; null if none is known to be.' })
  reason!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the answer; `dataAsOf` is the date of the extract of the registry.' })
  freshness!: FreshnessType;
}

/** Number of companies and people for which a search costs a point. The largest search has seen about 20,000. */
const VISITED_PER_POINT = 200;

@Resolver()
export class PathResolver {
  @Cost(100)
  @CostOfAnswer((path: CompanyPathType) => Math.ceil((path.visitedCompanies + path.visitedPeople) / VISITED_PER_POINT))
  @Access('owners')
  @Query(() => CompanyPathType, {
    nullable: true,
    description:
      'Shortest path between two companies of Brazil, or of Chile, through owners and the companies that they own, in any direction. The search ends after 20,000 companies and people or a second. BR needs the own copy of the registry; CL is answered from the file of owners, which names no people. Owners abroad have no id, so no path goes through them. Module owners. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, UNSUPPORTED_COUNTRY, SOURCE_NOT_CONFIGURED (the service has no copy) or SOURCE_UNAVAILABLE.',
  })
  async connection(
    @Arg('from', () => CompanyRef, { description: 'First company.' }) from: CompanyRef,
    @Arg('to', () => CompanyRef, { description: 'Second company.' }) to: CompanyRef,
    @Arg('maxDepth', () => Int, {
      nullable: true,
      defaultValue: DEFAULT_PATH_DEPTH,
      description: 'Maximum number of edges, 1 to 6; 4 when null.',
    })
    maxDepth: number | null,
    @Arg('people', () => Boolean, {
      nullable: true,
      defaultValue: true,
      description: 'True or null: the path may go through people, who are known by their `ownerIdentity` only.',
    })
    people: boolean | null,
    @Ctx() ctx: RequestContext,
  ): Promise<CompanyPathType> {
    const request = {
      from: keyOf(from, 'from'),
      to: keyOf(to, 'to'),
      maxDepth: requirePathDepth(maxDepth, 'maxDepth'),
      people: people ?? true,
    };
    const { value, freshness } = await ctx.ask(pathLoader, request);
    const { edges, reason, ...path } = value;
    return {
      ...path,
      reason: reason?.in(ctx.language) ?? null,
      length: lengthOf(value),
      edges: edges.map((edge) => toEdge(edge, request.from.country)),
      freshness,
    };
  }
}

/** @throws AppError INVALID_INPUT */
const keyOf = ({ identifier, country }: CompanyRef, field: string) =>
  country ? parseCompanyKey(country, identifier, `${field}.identifier`) : detectCompanyKey(identifier, `${field}.identifier`);

const toEdge = ({ owner, person, owned, role, since, share = NOT_FILED }: PathEdge, country: Country): PathEdgeType => ({
  owner: owner && new CompanyType({ country, taxId: owner.taxId }),
  ownerName: owner?.name ?? (person?.name || null),
  ownerIdentity: person?.identity ?? null,
  owned: new CompanyType({ country, taxId: owned.taxId }),
  ownedName: owned.name,
  role,
  since,
  share,
});
