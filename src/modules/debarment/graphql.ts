import { Arg, Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { OPTIONAL_LIST_DESCRIPTIONS } from '../../domain/optional-lists.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { CnpjMatchKindEnum, defineEnum, ListingStatusEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar, DecimalScalar } from '../../graphql/scalars.ts';
import {
  type CheckedList,
  DEBARMENT_LISTS,
  type Debarment,
  type DebarmentRecord,
  type LeniencyAgreement,
  OPTIONAL_BAN_LISTS,
  OPTIONAL_DEBARMENT_LISTS,
  type OptionalDebarmentList,
} from './domain.ts';
import { debarmentLoader, debarmentLoaderOf } from './loader.ts';

const OptionalDebarmentListEnum = defineEnum<OptionalDebarmentList>(
  'OptionalDebarmentList',
  'A list that `debarment` reads only where the request or the account chooses it.',
  Object.fromEntries(OPTIONAL_DEBARMENT_LISTS.map((list) => [list, OPTIONAL_LIST_DESCRIPTIONS[list]])) as Record<
    OptionalDebarmentList,
    string
  >,
);

@ObjectType('DebarmentRecord', { description: 'One penalty, in force or ended.', simpleResolvers: true })
class DebarmentRecordType implements DebarmentRecord {
  @Field(() => ID, { description: cacheKey('records') }) id!: string;
  @Field(() => SourceNameEnum, { description: `${DEBARMENT_LISTS.join(' or ')}, or a chosen list: ${OPTIONAL_BAN_LISTS.join(', ')}.` })
  source!: DebarmentRecord['source'];
  @Field(() => String, { description: 'Kind of sanction in Portuguese capitals: INIDONEIDADE, IMPEDIMENTO, SUSPENSÃO, MULTA, …' })
  sanctionType!: string;
  @Field(() => String, { description: 'Body that issued it.' }) sanctioningBody!: string;
  @Field(() => DateScalar, { nullable: true, description: 'When it began; null where the registry does not say.' }) dateStart!:
    | string
    | null;
  @Field(() => DateScalar, { nullable: true, description: 'When it ends; null when indefinite, and where the list states no end.' })
  dateEnd!: string | null;
  @Field(() => String, { nullable: true, description: 'Administrative process number.' }) processId!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Fine in BRL; CNEP only. Null where none is stated.' }) fineAmount!:
    | number
    | null;
  @Field(() => ListingStatusEnum, {
    description: 'ENDED once its end date has passed. It still counts on CEIS and CNEP, and on no other list.',
  })
  status!: DebarmentRecord['status'];
  @Field(() => CnpjMatchKindEnum, { description: 'The part of the CNPJ that matches.' }) matchedOn!: DebarmentRecord['matchedOn'];
  @Field(() => String, { description: 'The establishment that the registry names.' }) cnpj!: string;
  @Field(() => String, {
    nullable: true,
    description:
      'Number besides that of the process: of the agreement (convênio) on CEPIM, of the decision (acórdão) on TCU_INIDONEOS. Else null.',
  })
  reference?: string | null;
  @Field(() => String, { nullable: true, description: 'Reason as printed, in Portuguese; CEPIM only. Null on other lists.' })
  reason?: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'The text that the list prints in place of an end date: `Consolidado` of BCB_PROIBIDOS says that the term was joined to that of another record. Else null.',
  })
  endText?: string | null;
}

@ObjectType('LeniencyEffect', { description: 'An effect of a leniency agreement, in Portuguese as printed.', simpleResolvers: true })
class LeniencyEffectType {
  @Field(() => String, { description: 'The effect.' }) effect!: string;
  @Field(() => String, { nullable: true, description: 'The text that the list adds to the effect; null for none.' }) complement!:
    | string
    | null;
}

@ObjectType('LeniencyAgreement', {
  description:
    'An agreement under the anti-corruption law between the company and a public body. The company confessed and cooperates; it is no ban.',
  simpleResolvers: true,
})
class LeniencyAgreementType implements LeniencyAgreement {
  @Field(() => ID, { description: cacheKey('agreements') }) id!: string;
  @Field(() => String, { description: 'Name of the company on the list.' }) companyName!: string;
  @Field(() => DateScalar, { nullable: true, description: 'When it began; null where the list does not say.' }) dateStart!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'When it ends; null where the list does not say.' }) dateEnd!: string | null;
  @Field(() => String, { description: 'Situation as printed, in Portuguese, such as `Em Execução`. The publisher defines no values.' })
  situation!: string;
  @Field(() => String, {
    nullable: true,
    description: 'Process number. The companies of a group have one agreement each, under one number.',
  })
  processId!: string | null;
  @Field(() => String, { description: 'Body that made the agreement.' }) body!: string;
  @Field(() => [LeniencyEffectType], { description: 'Effects, in the order of the list.' }) effects!: LeniencyAgreement['effects'];
  @Field(() => CnpjMatchKindEnum, { description: 'The part of the CNPJ that matches.' }) matchedOn!: LeniencyAgreement['matchedOn'];
  @Field(() => String, { description: 'The establishment that the list names.' }) cnpj!: string;
}

@ObjectType('DebarmentCheck', { description: 'Bans from public contracts and anti-corruption penalties in Brazil.', simpleResolvers: true })
export class DebarmentCheckType implements Omit<Debarment, 'lists'> {
  @Field(() => Boolean, {
    description: 'True for any record of CEIS or CNEP, including ended ones, and for one in force of a chosen list.',
  })
  isDebarred!: boolean;
  @Field(() => [DebarmentRecordType], { description: 'Records, newest start first.' }) records!: readonly DebarmentRecord[];
  @Field(() => [LeniencyAgreementType], {
    nullable: true,
    description: 'Leniency agreements, newest start first: information, and no ban. Null unless ACORDO_LENIENCIA was chosen and read.',
  })
  agreements?: readonly LeniencyAgreement[];
  @Field(() => [SourceNameEnum], {
    description:
      'Lists that were read: CEIS, CNEP and the chosen ones, unless one failed and another has a record by which the company is debarred.',
  })
  sourcesChecked!: readonly CheckedList[];
  @Field(() => FreshnessType, { description: 'Age of the answer: that of its oldest list.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class DebarmentResolver {
  @KeptText((_company, { include }, { caller }) =>
    debarmentLoaderOf((include as OptionalDebarmentList[] | null | undefined) ?? caller.lists.answers),
  )
  @Served(debarmentLoader.countries)
  @Access('debarment')
  @FieldResolver(() => DebarmentCheckType, {
    nullable: true,
    description:
      'Bans from public contracts. Module debarment, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  debarment(
    @Root() company: CompanyType,
    @Arg('include', () => [OptionalDebarmentListEnum], {
      nullable: true,
      description:
        'Lists to read besides CEIS and CNEP. Without it, those that the account has chosen, which are none unless the operator set some.',
    })
    include: readonly OptionalDebarmentList[] | null,
    @Ctx() ctx: RequestContext,
  ): FieldValue<DebarmentCheckType> {
    return companyField(debarmentLoaderOf(include ?? ctx.caller.lists.answers), company, ctx, check);
  }
}
