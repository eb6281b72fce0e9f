import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Answer } from '../../../domain/answer.ts';
import type { Country } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { defineEnum } from '../../../graphql/enums.ts';
import { Cost, CostOfAnswer } from '../../../graphql/limits/cost.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import {
  GAP_REASONS,
  type GapReason,
  type GraphGap,
  type GroupDirection,
  type GroupRelation,
  type OwnershipEdge,
  type OwnershipGraph,
} from '../domain/graph.ts';
import { NOT_FILED, type OwnershipShare } from '../domain/share.ts';
import { groupLoader } from '../loaders/group.ts';
import { GRAPH_COUNTRIES, ownershipGraphLoader } from '../loaders/upwards.ts';
import { OwnershipShareType } from './share.ts';

export const GroupDirectionEnum = defineEnum<GroupDirection>('GroupDirection', 'Direction in which the edges of a group are followed.', {
  both: 'Up from the company and down from it, and never sideways: a sibling through a common owner is not part of the graph.',
  up: 'To its owners, like `ownershipGraph`.',
  down: 'To the companies of which it is an owner or officer. It needs the own copy of the registry.',
});

export const GroupRelationEnum = defineEnum<GroupRelation>('GroupRelation', 'Place of a company in a graph.', {
  self: 'The requested company.',
  owner: 'It owns the requested company, directly or through others.',
  owned: 'The requested company owns it, directly or through others.',
});

const GapReasonEnum = defineEnum<GapReason>('GraphGapReason', 'Reason for which a graph does not show a part of a group.', GAP_REASONS);

@ObjectType('OwnershipNode', { description: 'A company of an ownership graph.', simpleResolvers: true })
class OwnershipNodeType {
  @Field(() => CompanyType, { description: 'The company.' }) company!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Legal name; null where the record was not read.' }) name!: string | null;
  @Field(() => Int, { description: 'Distance from the requested company, which has 0.' }) depth!: number;
  @Field(() => GroupRelationEnum, { description: 'Place of the company; the nearer one if it has two.' }) relation!: GroupRelation;
}

@ObjectType('OwnershipEdge', { description: 'Ownership of a company by another company.', simpleResolvers: true })
export class OwnershipEdgeType {
  @Field(() => CompanyType, { description: 'The owner.' }) owner!: CompanyType;
  @Field(() => CompanyType, { description: 'The company owned.' }) owned!: CompanyType;
  @Field(() => String, { description: "The registry's word for the role." }) role!: string;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  since!: string | null;
  @Field(() => OwnershipShareType, { description: 'Share of the owner. CL: as declared to the tax registry; not filed elsewhere.' })
  share!: OwnershipShare;
}

@ObjectType('GraphGap', { description: 'A part of a group that the graph does not show.', simpleResolvers: true })
export class GraphGapType {
  @Field(() => GapReasonEnum, { description: 'Reason.' }) reason!: GapReason;
  @Field(() => Int, { description: 'Number of companies, owners or lines that it applies to, as far as known; 0 if unknown.' })
  count!: number;
  @Field(() => [CompanyType], { description: 'Companies at which the graph stops, at most 10.' }) companies!: readonly CompanyType[];
}

@ObjectType('OwnershipGraph', {
  description: 'Companies that own a company or are owned by it, directly or through other companies. A cycle is returned once.',
  simpleResolvers: true,
})
class OwnershipGraphType {
  @Field(() => [OwnershipNodeType], { description: 'Each company once, nearest first.' }) nodes!: readonly OwnershipNodeType[];
  @Field(() => [OwnershipEdgeType], { description: 'Ownership relations.' }) edges!: readonly OwnershipEdgeType[];
  @Field(() => Boolean, {
    description:
      'False when companies were omitted because of the depth, the limit of 200 companies (500 downwards) or a failed source; `notSeen` says why.',
  })
  complete!: boolean;
  @Field(() => [GraphGapType], {
    description: 'Parts of the group that are not shown, each with its reason. Foreign owners leave `complete` true.',
  })
  notSeen!: readonly GraphGapType[];
  @Field(() => FreshnessType, { description: 'Age of its oldest part; `dataAsOf` is the date of the extract, if the copy answered.' })
  freshness!: FreshnessType;
}

/** Returns the points of a graph: 20 for the 200 companies above that it can have at most, and 50 for the 500 of a group. */
export const costOfCompanies = (count: number): number => Math.ceil(count / 10);

@Resolver(() => CompanyType)
export class GroupResolver {
  @Cost(20)
  @CostOfAnswer(({ nodes }: OwnershipGraphType) => costOfCompanies(nodes.length))
  @Served(GRAPH_COUNTRIES)
  @Access('owners')
  @FieldResolver(() => OwnershipGraphType, {
    nullable: true,
    description:
      'Companies that own this company, directly or through other companies, up to `depth` levels. Module owners, BR and CL. Each company is returned once, also in a cycle. Empty for a company that is not in the registry; null in the same cases as `owners`.',
  })
  async ownershipGraph(
    @Root() company: CompanyType,
    @Arg('depth', () => Int, { nullable: true, defaultValue: 3, description: 'Levels to follow, 1 to 10.' }) given: number | null,
    @Ctx() ctx: RequestContext,
  ): Promise<OwnershipGraphType> {
    return toGraph(await ctx.ask(ownershipGraphLoader, { company, depth: requireDepth(given) }), company.country);
  }

  @Cost(50)
  @CostOfAnswer(({ nodes }: OwnershipGraphType) => costOfCompanies(nodes.length))
  @Served(GRAPH_COUNTRIES)
  @Access('owners')
  @FieldResolver(() => OwnershipGraphType, {
    nullable: true,
    description:
      'Companies that own this company and those that it owns, directly or through other companies, up to `depth` levels and 500 companies. UP is `ownershipGraph`. Downwards BR needs the own copy of the registry: without it BOTH has the owners and a gap with the reason NO_COPY, and DOWN is null beside SOURCE_NOT_CONFIGURED. Module owners, BR and CL. Empty for a company that is not in the registry; null in the same cases as `owners`.',
  })
  async group(
    @Root() company: CompanyType,
    @Arg('depth', () => Int, { nullable: true, defaultValue: 3, description: 'Levels to follow, 1 to 10.' }) given: number | null,
    @Arg('direction', () => GroupDirectionEnum, { nullable: true, defaultValue: 'both', description: 'BOTH when omitted.' })
    direction: GroupDirection | null,
    @Ctx() ctx: RequestContext,
  ): Promise<OwnershipGraphType> {
    return toGraph(await ctx.ask(groupLoader, { company, depth: requireDepth(given), direction: direction ?? 'both' }), company.country);
  }
}

/** @throws AppError INVALID_INPUT */
export function requireDepth(given: number | null): number {
  const depth = given ?? 3;
  if (depth < 1 || depth > 10) throw invalidInput('depth', fieldMessages.depth());
  return depth;
}

const NO_GRAPH: OwnershipGraph = { nodes: [], edges: [], complete: true, notSeen: [] };

export const toEdgeType = ({ owner, owned, ...edge }: OwnershipEdge, country: Country): OwnershipEdgeType => ({
  owner: new CompanyType({ country, taxId: owner }),
  owned: new CompanyType({ country, taxId: owned }),
  share: NOT_FILED,
  ...edge,
});

export const toGapType = ({ companies, ...gap }: GraphGap, country: Country): GraphGapType => ({
  ...gap,
  companies: companies.map((taxId) => new CompanyType({ country, taxId })),
});

function toGraph({ value, freshness }: Answer<OwnershipGraph | null>, country: Country): OwnershipGraphType {
  const { nodes, edges, complete, notSeen } = value ?? NO_GRAPH;
  return {
    nodes: nodes.map(({ taxId, ...node }) => ({ company: new CompanyType({ country, taxId }), ...node })),
    edges: edges.map((edge) => toEdgeType(edge, country)),
    complete,
    notSeen: notSeen.map((gap) => toGapType(gap, country)),
    freshness,
  };
}
