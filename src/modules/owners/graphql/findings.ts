import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { Country } from '../../../domain/company.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { CnpjMatchKindEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { Cost, CostOfAnswer } from '../../../graphql/limits/cost.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import type { GroupFinding } from '../domain/findings.ts';
import type { GroupDirection, GroupRelation } from '../domain/graph.ts';
import { companyNotFound } from '../domain.ts';
import { GRAPH_COUNTRIES } from '../loaders/upwards.ts';
import { findInGroup } from '../service/group-findings.ts';
import {
  costOfCompanies,
  GraphGapType,
  GroupDirectionEnum,
  GroupRelationEnum,
  OwnershipEdgeType,
  requireDepth,
  toEdgeType,
  toGapType,
} from './group.ts';
import { ListNotCheckedType } from './screening.ts';

@ObjectType('GroupFinding', {
  description: 'A record of a list that names a company of a group by its tax id, in force or ended.',
  simpleResolvers: true,
})
class GroupFindingType implements Omit<GroupFinding, 'company' | 'matchedOn' | 'path'> {
  @Field(() => CompanyType, { description: 'The company.' }) company!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Legal name; null where the record was not read.' }) companyName!: string | null;
  @Field(() => GroupRelationEnum, { description: 'Place of the company in the group.' }) relation!: GroupRelation;
  @Field(() => Int, { description: 'Distance from the requested company, which has 0.' }) depth!: number;
  @Field(() => SourceNameEnum, { description: 'The list.' }) list!: SourceName;
  @Field(() => String, { description: "The list's own id of the party or record." }) entityId!: string;
  @Field(() => String, { description: 'Name of the party, as listed.' }) entryName!: string;
  @Field(() => CnpjMatchKindEnum, {
    description: 'CNPJ: the record names this establishment; CL: it names the RUT of the company. ROOT: another branch.',
  })
  matchedOn!: 'cnpj' | 'root';
  @Field(() => [String], { description: 'Sanctions programmes; the kind of penalty on CEIS and CNEP.' }) programs!: readonly string[];
  @Field(() => DateScalar, { nullable: true, description: 'Start of the penalty or listing; null where the list has none.' })
  startsOn!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'End of the penalty or listing, which may have passed; null if none is stated.' })
  endsOn!: string | null;
  @Field(() => [OwnershipEdgeType], {
    description: 'Edges from the requested company to this one; empty for the requested company itself.',
  })
  path!: readonly OwnershipEdgeType[];
}

@ObjectType('GroupFindings', {
  description: 'Listed, debarred and forced-labour companies of a group. They change no check and no risk level.',
  simpleResolvers: true,
})
class GroupFindingsType {
  @Field(() => [GroupFindingType], {
    nullable: true,
    description:
      'Records about companies of the group, nearest companies first. Empty: the lists of `listsChecked` name none of the `companiesChecked`. Null: none was found, and a list could not be read; that is no clearance.',
  })
  findings!: readonly GroupFindingType[] | null;
  @Field(() => Int, { description: 'Number of companies of the group that the lists were searched for.' }) companiesChecked!: number;
  @Field(() => [SourceNameEnum], { description: 'The lists that were read.' }) listsChecked!: readonly SourceName[];
  @Field(() => [ListNotCheckedType], { description: 'The lists that were not read, each with the reason.' })
  listsNotChecked!: readonly ListNotCheckedType[];
  @Field(() => Boolean, { description: 'False if the group may have more companies; `notSeen` says why.' }) complete!: boolean;
  @Field(() => [GraphGapType], { description: 'Parts of the group that are not covered, each with its reason.' })
  notSeen!: readonly GraphGapType[];
  @Field(() => FreshnessType, { description: 'Age of its oldest part.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class GroupFindingsResolver {
  @Cost(50)
  @CostOfAnswer(({ companiesChecked }: GroupFindingsType) => costOfCompanies(companiesChecked))
  @Served(GRAPH_COUNTRIES)
  @Access('owners')
  @FieldResolver(() => GroupFindingsType, {
    nullable: true,
    description:
      'Records of lists about the companies of `group`, found by tax id, each with its path. Each list needs its module on the key besides owners: sanctions, debarment or labor; a Chilean group is looked up on the lists of sanctions. BR and CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED, COMPANY_NOT_FOUND, INVALID_INPUT, SOURCE_NOT_CONFIGURED or SOURCE_UNAVAILABLE.',
  })
  async groupFindings(
    @Root() company: CompanyType,
    @Arg('depth', () => Int, { nullable: true, defaultValue: 3, description: 'Levels to follow, 1 to 10.' }) depth: number | null,
    @Arg('direction', () => GroupDirectionEnum, { nullable: true, defaultValue: 'both', description: 'BOTH when null.' })
    direction: GroupDirection | null,
    @Ctx() ctx: RequestContext,
  ): Promise<GroupFindingsType> {
    const found = await findInGroup({ company, depth: requireDepth(depth), direction: direction ?? 'both' }, ctx);
    const { country } = company;
    if (!found) throw companyNotFound(country);
    const { findings, notSeen, listsNotChecked, ...rest } = found;
    return {
      ...rest,
      findings: findings?.map((finding) => toFinding(finding, country)) ?? null,
      notSeen: notSeen.map((gap) => toGapType(gap, country)),
      listsNotChecked: [...listsNotChecked],
    };
  }
}

const toFinding = ({ company, matchedOn, path, ...finding }: GroupFinding, country: Country): GroupFindingType => ({
  ...finding,
  company: new CompanyType({ country, taxId: company.taxId }),
  companyName: company.name,
  relation: company.relation,
  depth: company.depth,
  matchedOn: matchedOn === 'tax_id' ? 'cnpj' : 'root',
  path: path.map((edge) => toEdgeType(edge, country)),
});
