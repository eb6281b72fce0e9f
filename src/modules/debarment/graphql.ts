import { Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue } from '../../graphql/company-field.ts';
import { CnpjMatchKindEnum, ListingStatusEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar, DecimalScalar } from '../../graphql/scalars.ts';
import { DEBARMENT_LISTS, type Debarment, type DebarmentList, type DebarmentRecord } from './domain.ts';
import { debarmentLoader } from './loader.ts';

@ObjectType('DebarmentRecord', { description: 'One penalty, in force or ended.', simpleResolvers: true })
class DebarmentRecordType implements DebarmentRecord {
  @Field(() => ID, { description: cacheKey('records') }) id!: string;
  @Field(() => SourceNameEnum, { description: `${DEBARMENT_LISTS.join(' or ')}.` }) source!: DebarmentList;
  @Field(() => String, { description: 'Kind of sanction in Portuguese capitals: INIDONEIDADE, IMPEDIMENTO, SUSPENSÃO, MULTA, …' })
  sanctionType!: string;
  @Field(() => String, { description: 'Body that issued it.' }) sanctioningBody!: string;
  @Field(() => DateScalar, { nullable: true, description: 'When it began; null where the registry does not say.' }) dateStart!:
    | string
    | null;
  @Field(() => DateScalar, { nullable: true, description: 'When it ends; null when indefinite.' }) dateEnd!: string | null;
  @Field(() => String, { nullable: true, description: 'Administrative process number.' }) processId!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Fine in BRL; CNEP only. Null where none is stated.' }) fineAmount!:
    | number
    | null;
  @Field(() => ListingStatusEnum, { description: 'ENDED once its end date has passed. It still counts.' })
  status!: DebarmentRecord['status'];
  @Field(() => CnpjMatchKindEnum, { description: 'The part of the CNPJ that matches.' }) matchedOn!: DebarmentRecord['matchedOn'];
  @Field(() => String, { description: 'The establishment that the registry names.' }) cnpj!: string;
}

@ObjectType('DebarmentCheck', { description: 'Bans from public contracts and anti-corruption penalties in Brazil.', simpleResolvers: true })
export class DebarmentCheckType implements Omit<Debarment, 'lists'> {
  @Field(() => Boolean, { description: 'True for any record, including ended ones.' }) isDebarred!: boolean;
  @Field(() => [DebarmentRecordType], { description: 'Records, newest start first.' }) records!: readonly DebarmentRecord[];
  @Field(() => [SourceNameEnum], { description: 'Registries that were checked: both, unless one failed and the other has a record.' })
  sourcesChecked!: readonly DebarmentList[];
  @Field(() => FreshnessType, { description: 'Age of the answer: that of its oldest list.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class DebarmentResolver {
  @Served(debarmentLoader.countries)
  @Access('debarment')
  @FieldResolver(() => DebarmentCheckType, {
    nullable: true,
    description:
      'Bans from public contracts. Module debarment, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  debarment(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<DebarmentCheckType> {
    return companyField(debarmentLoader, company, ctx, check);
  }
}
