import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, Info, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import { COMPLIANCE_MODULE_OF } from '../../domain/catalogue.ts';
import { COUNTRIES, type CompanyKey, type Country } from '../../domain/company.ts';
import type { CheckName, Completeness, RiskLevel } from '../../domain/compliance.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, sharedObject } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText, MomentOfRequest } from '../../graphql/company-field.ts';
import { defineEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { DateScalar, DateTimeScalar } from '../../graphql/scalars.ts';
import type { Language } from '../../messages/message.ts';
import { ContractFinesCheckType, toContractFinesCheck } from '../debarment/graphql/contract-fines.ts';
import { DebarmentCheckType } from '../debarment/graphql.ts';
import { KybCheckType } from '../kyb/graphql.ts';
import { LaborCheckType } from '../labor/graphql.ts';
import { loadOwners } from '../owners/graphql/screening.ts';
import { OwnersCheckType, toOwnersCheck } from '../owners/graphql.ts';
import { complianceOwnerScreenings } from '../owners/loaders/screening.ts';
import { SanctionsCheckType, toSanctionsCheck } from '../sanctions/graphql.ts';
import { complianceCandidatesLoaders } from '../sanctions/loaders/candidates.ts';
import { TaxHealthCheckType } from '../tax-health/graphql.ts';
import type { RiskReason } from './domain.ts';
import { type Compliance, complianceLoaderFor, requireAnswered } from './loader.ts';

export const RiskLevelEnum = defineEnum('RiskLevel', 'Risk level by fixed rules. LOW is no regulatory clearance.', {
  low: 'No record was found by the checks that answered; see `completeness`.',
  medium: 'A debarment record, a tax debt, or a registration that is not active.',
  high: 'A sanctions match or a forced-labour record.',
});
export const CompletenessEnum = defineEnum('Completeness', 'Share of the result that is based on answers of sources.', {
  complete: 'Every source answered.',
  partial: 'Some source failed.',
  insufficient: 'No source answered.',
});
export const ComplianceCheckEnum = defineEnum<CheckName>('ComplianceCheck', 'One of the checks of a consolidated check.', {
  kyb: 'Registration.',
  sanctions: 'Sanctions lists.',
  debarment: 'CEIS and CNEP.',
  labor: 'Forced-labour registry.',
  owners: 'Owners.',
  tax_health: 'Tax standing, of Chilean companies.',
  contract_fines: 'Contract fines, of Colombian companies.',
});
const RiskReasonCodeEnum = defineEnum<RiskReason['code']>('RiskReasonCode', 'Kind of a finding of a check.', {
  match: 'SANCTIONS: a listed party has the tax id.',
  listed: 'LABOR: the company is on the forced-labour registry, now or earlier.',
  record: 'DEBARMENT: a record of CEIS or CNEP, in force or ended, or one in force of a list that the account chose for its verdicts.',
  fine: 'CONTRACT_FINES: a Colombian public body fined the company as its contractor. It is reported and gives no level.',
  tax_debtor: 'TAX_HEALTH: the company is on the list of tax debtors.',
  inactive: 'KYB: registered, but not active.',
  not_renewed: 'KYB: the registration of a Colombian company was not renewed for two years or more. It is reported and gives no level.',
  not_found: 'KYB: the registry has no such company. Some kinds of Colombian legal persons are in no commercial register.',
});

@ObjectType('RiskReason', {
  description: 'One finding behind the risk level. Findings of a lower severity are included.',
  simpleResolvers: true,
})
class RiskReasonType implements Omit<RiskReason, 'text'> {
  @Field(() => RiskReasonCodeEnum, { description: 'Code of the finding; codes do not change.' })
  code!: RiskReason['code'];
  @Field(() => ComplianceCheckEnum, {
    description: 'The check that found it: SANCTIONS, LABOR, DEBARMENT, CONTRACT_FINES, TAX_HEALTH or KYB.',
  })
  check!: RiskReason['check'];
  @Field(() => RiskLevelEnum, { description: 'The risk level that this finding alone would give; LOW for one that is only reported.' })
  severity!: RiskReason['severity'];
  @Field(() => String, {
    description: 'A sentence, with the evidence; in the language of `Accept-Language`: English, Spanish or Portuguese.',
  })
  message!: string;
}

@ObjectType('ComplianceChecks', {
  description: 'The checks of a country; null where one failed, and for a check that the country does not have.',
  simpleResolvers: true,
})
class ComplianceChecksType {
  @Field(() => KybCheckType, { nullable: true, description: 'Registration; null when its source failed.' }) kyb!: KybCheckType | null;
  @Field(() => SanctionsCheckType, { nullable: true, description: 'Sanctions lists; null when a source failed.' })
  sanctions!: SanctionsCheckType | null;
  @Field(() => DebarmentCheckType, { nullable: true, description: 'CEIS and CNEP; null when a source failed.' })
  debarment!: DebarmentCheckType | null;
  @Field(() => LaborCheckType, { nullable: true, description: 'Forced-labour registry; null when its source failed.' })
  labor!: LaborCheckType | null;
  @Field(() => OwnersCheckType, {
    nullable: true,
    description: 'Owners; CO: the legal representative, because partners are not published. Null when their source failed.',
  })
  owners!: OwnersCheckType | null;
  @Field(() => TaxHealthCheckType, { nullable: true, description: 'Tax standing; null when its source failed.' })
  taxHealth!: TaxHealthCheckType | null;
  @Field(() => ContractFinesCheckType, { nullable: true, description: 'Contract fines; null when a list failed.' })
  contractFines!: ContractFinesCheckType | null;
}

@ObjectType('ComplianceResult', {
  description: 'The checks of a company and what they mean together, by the rules of its country.',
  simpleResolvers: true,
})
export class ComplianceResultType {
  @Field(() => RiskLevelEnum, { description: 'Level by the documented rules, from the checks that answered.' }) riskLevel!: RiskLevel;
  @Field(() => [RiskReasonType], {
    description: 'Every finding, in the order SANCTIONS, LABOR, DEBARMENT, CONTRACT_FINES, TAX_HEALTH, KYB.',
  })
  riskReasons!: readonly RiskReasonType[];
  @Field(() => ComplianceChecksType, { description: 'The checks.' }) checks!: ComplianceChecksType;
  @Field(() => [ComplianceCheckEnum], { description: 'Checks that failed for this request, in the order of the enum; empty for none.' })
  sourcesFailed!: readonly CheckName[];
  @Field(() => CompletenessEnum, { description: 'Extent to which the sources answered; interpret `riskLevel` together with it.' })
  completeness!: Completeness;
  @Field(() => DateScalar, { description: 'Version of the rules of the country: the date of their last change.' }) rulesVersion!: string;
  @MomentOfRequest
  @Field(() => DateTimeScalar, { description: 'When this result was made.' })
  generatedAt!: number;

  /** The company, of which fields of this type load more. */
  readonly company!: CompanyKey;
  /** The data that a receipt is written from; null unless a receipt was requested. */
  readonly forReceipt!: Compliance | null;
}

@Resolver(() => CompanyType)
export class ComplianceResolver {
  @KeptText(
    ({ country }, { receipt }, { caller }) => (receipt ? null : complianceLoaderFor(country, caller)),
    ({ value }: Answer<Compliance>) => value.risk, // each result has a risk of its own; the answer itself has the time of the request
  )
  @Cost(5)
  @Served(COUNTRIES)
  @Access(COMPLIANCE_MODULE_OF)
  @FieldResolver(() => ComplianceResultType, {
    nullable: true,
    description:
      'The consolidated check: the checks of the country and a risk level. Module compliance_br for BR, compliance for CL and CO. Null beside an error: MODULE_NOT_ENABLED, and SOURCE_UNAVAILABLE where no source answered and the key takes that as an error.',
  })
  compliance(
    @Root() company: CompanyType,
    @Arg('receipt', () => Boolean, { defaultValue: false, description: 'True: `evidence` writes a receipt of this verdict.' })
    receipt: boolean,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): FieldValue<ComplianceResultType> {
    const toObject = ({ value }: Answer<Compliance>) => {
      requireAnswered(value, ctx.caller);
      return toResult(value, company, receipt, ctx.language);
    };
    return loadOwners(ctx, info, () => companyField(complianceLoaderFor(company.country, ctx.caller), company, ctx, toObject));
  }
}

function toResult(compliance: Compliance, company: CompanyKey, receipt: boolean, language: Language): ComplianceResultType {
  const { risk, sourcesFailed, completeness, rulesVersion, generatedAt } = compliance;
  return {
    company,
    forReceipt: receipt ? compliance : null,
    riskLevel: risk.level,
    riskReasons: language === 'en' ? risk.reasons : risk.reasons.map((reason) => ({ ...reason, message: reason.text.in(language) })),
    checks: checksIn(compliance, company.taxId, language),
    sourcesFailed,
    completeness,
    rulesVersion,
    generatedAt,
  };
}

/** Converts the answers of the checks. It returns the same object for the same answers. */
const toChecks = sharedObject(
  (
    { kyb, sanctions, debarment, labor, owners, tax_health, contract_fines }: Compliance['checks'],
    country: Country,
    taxId: string,
    language: Language,
  ): ComplianceChecksType => ({
    kyb: kyb && check(kyb),
    sanctions: sanctions && toSanctionsCheck(sanctions, { country, taxId }, complianceCandidatesLoaders[COMPLIANCE_MODULE_OF[country]]),
    debarment: debarment && check(debarment),
    labor: labor && check(labor),
    owners: owners && toOwnersCheck(owners, country, taxId, complianceOwnerScreenings[COMPLIANCE_MODULE_OF[country]], null, language),
    taxHealth: tax_health && check(tax_health),
    contractFines: contract_fines && check(contract_fines),
  }),
);

/** Returns the object of the checks; in another language than English, one with the sentences on coverage in that language. */
function checksIn({ checks, country }: Compliance, taxId: string, language: Language): ComplianceChecksType {
  const shared = toChecks(checks, country, taxId, country === 'CL' ? language : 'en');
  const { contract_fines: fines } = checks;
  return language === 'en' || !fines ? shared : { ...shared, contractFines: toContractFinesCheck(fines, language) };
}
