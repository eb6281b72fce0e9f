import { Ctx, Field, FieldResolver, ID, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Answer } from '../../../domain/answer.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { check, FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../../graphql/company-field.ts';
import { SourceNameEnum } from '../../../graphql/enums.ts';
import { cacheKey } from '../../../graphql/relay.ts';
import { DateScalar, DecimalScalar, UrlScalar } from '../../../graphql/scalars.ts';
import { type Language, translated } from '../../../messages/message.ts';
import { type ContractFine, type ContractFines, FINE_LISTS, type FineList } from '../domain/contract-fines.ts';
import { contractFinesLoader } from '../loaders/contract-fines.ts';

@ObjectType('ContractFine', {
  description: 'A fine or penalty that a Colombian public body imposed on its contractor. It is no ban. Texts are in Spanish, as printed.',
  simpleResolvers: true,
})
class ContractFineType implements ContractFine {
  @Field(() => ID, { description: cacheKey('records') }) id!: string;
  @Field(() => SourceNameEnum, { description: `The list: ${FINE_LISTS.join(' or ')}.` }) source!: FineList;
  @Field(() => String, { description: 'The public body.' }) entity!: string;
  @Field(() => String, { nullable: true, description: 'NIT of the public body, as printed.' }) entityTaxId!: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'Kind of the penalty, such as `Multa` or `Clausula Penal`. Null on SECOP I, which states none.',
  })
  kind!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Amount in COP; 0 is printed at times. Null where none can be read.' })
  amount!: number | null;
  @Field(() => String, { nullable: true, description: 'Number of the resolution or act.' }) resolution!: string | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'SECOP I: when it became final, else when it was published. SECOP II: when it was imposed.',
  })
  date!: string | null;
  @Field(() => String, { nullable: true, description: 'Number of the contract.' }) contract!: string | null;
  @Field(() => String, { nullable: true, description: 'Id of the procedure; SECOP II only.' }) processId!: string | null;
  @Field(() => UrlScalar, { nullable: true, description: 'Address of the procedure.' }) processUrl!: string | null;
  @Field(() => Boolean, { description: 'True if the date is more than five years ago.' }) isHistorical!: boolean;
}

@ObjectType('ContractFinesCheck', { description: 'Contract fines of a Colombian company on SECOP I and SECOP II.', simpleResolvers: true })
export class ContractFinesCheckType implements Omit<ContractFines, 'lists'> {
  @Field(() => Boolean, { description: 'Always false: a contract fine is no ban.' }) isDebarred!: false;
  @Field(() => [ContractFineType], { description: 'Fines, newest first.' }) records!: readonly ContractFine[];
  @Field(() => [SourceNameEnum], { description: 'Lists that were read: both, unless one failed and the other has a record.' })
  sourcesChecked!: readonly FineList[];
  @Field(() => Boolean, {
    description:
      'True if the names of the company in the commercial register were compared with those of fines that no company is known for, and none is similar. Otherwise a fine may be missing: the register has no name of the company, or the company has a record by its NIT. Without both the answer is SOURCE_UNAVAILABLE.',
  })
  namesCompared!: boolean;
  @Field(() => Int, { description: 'Number of fines on these lists that cannot be assigned to any company.' }) unassignedFines!: number;
  @Field(() => String, { description: 'A sentence on the coverage of the lists. Their coverage is small.' }) coverage!: string;
  @Field(() => FreshnessType, { description: 'Age of the answer: that of its oldest list.' }) freshness!: FreshnessType;
}

/** Converts an answer. Requests in English share its object; others have one of their own, with the coverage in their language. */
export function toContractFinesCheck(answer: Answer<ContractFines>, language: Language): ContractFinesCheckType {
  if (language === 'en') return check(answer);
  const { value, freshness } = answer;
  return { ...value, coverage: translated(value.coverage, language), freshness };
}

@Resolver(() => CompanyType)
export class ContractFinesResolver {
  @KeptText(() => contractFinesLoader)
  @Served(contractFinesLoader.countries)
  @Access('debarment')
  @FieldResolver(() => ContractFinesCheckType, {
    nullable: true,
    description:
      'Contract fines of a Colombian company. Module debarment, CO. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  contractFines(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<ContractFinesCheckType> {
    return companyField(contractFinesLoader, company, ctx, (answer) => toContractFinesCheck(answer, ctx.language));
  }
}
