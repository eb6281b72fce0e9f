import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { keepByParts } from '../../domain/answer.ts';
import type { CompanyKey } from '../../domain/company.ts';
import { Access } from '../../graphql/access.ts';
import { check } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { allowKeptText } from '../../graphql/compiled/write.ts';
import { defineEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import { DateTimeScalar } from '../../graphql/scalars.ts';
import { Served } from '../../graphql/served.ts';
import { DebarmentCheckType } from '../debarment/graphql.ts';
import { KybCheckType } from '../kyb/graphql.ts';
import { LaborCheckType } from '../labor/graphql.ts';
import { OwnersCheckType, toOwnersCheck } from '../owners/graphql.ts';
import { SanctionsCheckType, toSanctionsCheck } from '../sanctions/graphql.ts';
import { complianceCandidatesLoader } from '../sanctions/loaders/candidates.ts';
import type { CheckName, Completeness, RiskLevel, RiskReason } from './domain.ts';
import { type Compliance, complianceBrLoader } from './loader.ts';

export const RiskLevelEnum = defineEnum('RiskLevel', 'Risk level by fixed rules. LOW is no regulatory clearance.', {
  low: 'No record was found by the checks that answered; see `completeness`.',
  medium: 'A debarment record, or a registration that is not active.',
  high: 'A sanctions match or a forced-labour record.',
});
export const CompletenessEnum = defineEnum('Completeness', 'How much of the result is based on answers of sources.', {
  complete: 'Every source answered.',
  partial: 'Some source failed.',
  insufficient: 'No source answered.',
});
const ComplianceCheckEnum = defineEnum<CheckName>('ComplianceCheck', 'One of the five checks of a consolidated check.', {
  kyb: 'Registration.',
  sanctions: 'Sanctions lists.',
  debarment: 'CEIS and CNEP.',
  labor: 'Forced-labour registry.',
  owners: 'Owners.',
});
const RiskReasonCodeEnum = defineEnum<RiskReason['code']>('RiskReasonCode', 'What a check found.', {
  match: 'SANCTIONS: a listed party has the tax id.',
  listed: 'LABOR: the company is on the forced-labour registry, now or earlier.',
  record: 'DEBARMENT: a record of CEIS or CNEP, in force or ended.',
  inactive: 'KYB: registered, but not active.',
  not_found: 'KYB: the registry has no such company.',
});

@ObjectType('RiskReason', { description: 'One signal behind the level, overridden ones included.', simpleResolvers: true })
class RiskReasonType implements RiskReason {
  @Field(() => RiskReasonCodeEnum, { description: 'What was found; stable.' })
  code!: RiskReason['code'];
  @Field(() => ComplianceCheckEnum, { description: 'The check that found it: SANCTIONS, LABOR, DEBARMENT or KYB.' })
  check!: RiskReason['check'];
  @Field(() => RiskLevelEnum, { description: 'The level it asks for by itself.' }) severity!: RiskReason['severity'];
  @Field(() => String, { description: 'A sentence, with the evidence.' }) message!: string;
}

@ObjectType('ComplianceChecks', { description: 'The five checks; null where one failed.', simpleResolvers: true })
class ComplianceChecksType {
  @Field(() => KybCheckType, { nullable: true, description: 'Registration; null when its source failed.' }) kyb!: KybCheckType | null;
  @Field(() => SanctionsCheckType, { nullable: true, description: 'Sanctions lists; null when a source failed.' })
  sanctions!: SanctionsCheckType | null;
  @Field(() => DebarmentCheckType, { nullable: true, description: 'CEIS and CNEP; null when a source failed.' })
  debarment!: DebarmentCheckType | null;
  @Field(() => LaborCheckType, { nullable: true, description: 'Forced-labour registry; null when its source failed.' })
  labor!: LaborCheckType | null;
  @Field(() => OwnersCheckType, { nullable: true, description: 'Owners; null when its source failed.' }) owners!: OwnersCheckType | null;
}

@ObjectType('ComplianceResult', { description: 'Five checks of a Brazilian company and what they mean together.', simpleResolvers: true })
class ComplianceResultType {
  @Field(() => RiskLevelEnum, { description: 'Level by the documented rules, from the checks that answered.' }) riskLevel!: RiskLevel;
  @Field(() => [RiskReasonType], { description: 'Every signal, in the order SANCTIONS, LABOR, DEBARMENT, KYB.' })
  riskReasons!: readonly RiskReason[];
  @Field(() => ComplianceChecksType, { description: 'The five checks.' }) checks!: ComplianceChecksType;
  @Field(() => [ComplianceCheckEnum], { description: 'Checks that failed for this request, in the order of the enum; empty for none.' })
  sourcesFailed!: readonly CheckName[];
  @Field(() => CompletenessEnum, { description: 'How many of the sources answered; interpret `riskLevel` together with it.' })
  completeness!: Completeness;
  @Field(() => DateTimeScalar, { description: 'When this result was made.' }) generatedAt!: number;
}

@Resolver(() => CompanyType)
export class ComplianceBrResolver {
  @Cost(5)
  @Served(complianceBrLoader.countries)
  @Access('compliance_br')
  @FieldResolver(() => ComplianceResultType, {
    nullable: true,
    description: 'Module compliance_br, BR: the consolidated check. Null for other countries, and beside an error: MODULE_NOT_ENABLED.',
  })
  async compliance(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<ComplianceResultType> {
    return toResult((await ctx.ask(complianceBrLoader, company)).value, company);
  }
}

function toResult({ risk, checks, sourcesFailed, completeness, generatedAt }: Compliance, company: CompanyKey): ComplianceResultType {
  return {
    riskLevel: risk.level,
    riskReasons: risk.reasons,
    checks: toChecks(checks, company.taxId),
    sourcesFailed,
    completeness,
    generatedAt,
  };
}

/** The same answers give the same object. */
const toChecks = keepByParts(
  ({ kyb, sanctions, debarment, labor, owners }: Compliance['checks'], taxId: string): ComplianceChecksType =>
    allowKeptText({
      kyb: kyb && check(kyb),
      sanctions: sanctions && toSanctionsCheck(sanctions, { country: 'BR', taxId }, complianceCandidatesLoader),
      debarment: debarment && check(debarment),
      labor: labor && check(labor),
      owners: owners && toOwnersCheck(owners, taxId),
    }),
);
