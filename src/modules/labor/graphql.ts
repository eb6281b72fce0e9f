import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { CnpjMatchKindEnum, ListingStatusEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Labor, LaborRecord } from './domain.ts';
import { laborLoader } from './loader.ts';

@ObjectType('LaborRecord', { description: 'One listing of an employer found using labour analogous to slavery.', simpleResolvers: true })
class LaborRecordType implements LaborRecord {
  @Field(() => ID, { description: cacheKey('records') }) id!: string;
  @Field(() => SourceNameEnum, { description: 'TRABALHO_ESCRAVO.' }) source!: LaborRecord['source'];
  @Field(() => String, { description: 'Employer as listed.' }) employer!: string;
  @Field(() => Int, { description: 'Year of the inspection.' }) year!: number;
  @Field(() => Int, { description: 'Workers involved.' }) workersRescued!: number;
  @Field(() => String, { description: 'State (UF) of the inspection.' }) state!: string;
  @Field(() => String, { nullable: true, description: 'Municipality, where the listing names one.' }) municipality!: string | null;
  @Field(() => String, { description: 'CNAE class as printed, e.g. 0134-2/00.' }) activity!: string;
  @Field(() => String, { nullable: true, description: 'Date of the decision, because the registry does not number decisions.' })
  decisionId!: string | null;
  @Field(() => String, { nullable: true, description: 'Place of the inspection; null for a private home.' }) establishment!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Start of the listing in force, or of the last one.' }) listedOn!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'End of the listing; null while listed.' }) removedOn!: string | null;
  @Field(() => ListingStatusEnum, { description: 'ACTIVE for a listing in force. An ended listing still counts.' })
  status!: LaborRecord['status'];
  @Field(() => CnpjMatchKindEnum, { description: 'The part of the CNPJ that matches.' }) matchedOn!: LaborRecord['matchedOn'];
}

@ObjectType('LaborCheck', {
  description: 'The Brazilian registry of employers found using labour analogous to slavery.',
  simpleResolvers: true,
})
export class LaborCheckType implements Omit<Labor, 'lists'> {
  @Field(() => Boolean, { description: 'True for any record, including ended ones.' }) hasViolations!: boolean;
  @Field(() => [LaborRecordType], { description: 'Listings of any branch of the company.' }) records!: readonly LaborRecord[];
  @Field(() => [SourceNameEnum], { description: 'Registries that were checked.' }) sourcesChecked!: Labor['sourcesChecked'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class LaborResolver {
  @KeptText(() => laborLoader)
  @Served(laborLoader.countries)
  @Access('labor')
  @FieldResolver(() => LaborCheckType, {
    nullable: true,
    description:
      'Records on the Brazilian forced-labour list. Module labor, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  labor(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<LaborCheckType> {
    return companyField(laborLoader, company, ctx, check);
  }
}
