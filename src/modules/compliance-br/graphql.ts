import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Field, FieldResolver, Info, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { type Awaitable, keepByParts, whenKnown } from '../../domain/answer.ts';
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
import { loadOwners } from '../owners/graphql/screening.ts';
import { OwnersCheckType, toOwnersCheck } from '../owners/graphql.ts';
import { complianceOwnerListLoaders } from '../owners/loaders/screening.ts';
import { SanctionsCheckType, toSanctionsCheck } from '../sanctions/graphql.ts';
import { complianceCandidatesLoader } from '../sanctions/loaders/candidates.ts';
import type { CheckName, Completeness, RiskLevel, RiskReason } from './domain.ts';
import { CompletenessEnum, ComplianceCheckEnum, RiskLevelEnum } from './graphql/enums.ts';
import { EvidenceType } from './graphql/evidence.ts';
import { type Compliance, complianceBrLoader } from './loader.ts';
import { evidenceService } from './service/evidence.ts';

const RiskReasonCodeEnum = defineEnum<RiskReason['code']>('RiskReasonCode', 'What a check found.', {
  match: 'SANCTIONS: a listed party has the tax id.',
  listed: 'LABOR: the company is on the forced-labour registry, now or earlier.',
  record: 'DEBARMENT: a record of CEIS or CNEP, in force or ended.',
  inactive: 'KYB: registered, but not active.',
  not_found: 'KYB: the registry has no such company.',
});

@ObjectType('RiskReason', {
  description: 'One finding behind the risk level. Findings of a lower severity are included.',
  simpleResolvers: true,
})
class RiskReasonType implements RiskReason {
  @Field(() => RiskReasonCodeEnum, { description: 'Code of the finding; codes do not change.' })
  code!: RiskReason['code'];
  @Field(() => ComplianceCheckEnum, { description: 'The check that found it: SANCTIONS, LABOR, DEBARMENT or KYB.' })
  check!: RiskReason['check'];
  @Field(() => RiskLevelEnum, { description: 'The risk level that this finding alone would give.' }) severity!: RiskReason['severity'];
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
  @Field(() => [RiskReasonType], { description: 'Every finding, in the order SANCTIONS, LABOR, DEBARMENT, KYB.' })
  riskReasons!: readonly RiskReason[];
  @Field(() => ComplianceChecksType, { description: 'The five checks.' }) checks!: ComplianceChecksType;
  @Field(() => [ComplianceCheckEnum], { description: 'Checks that failed for this request, in the order of the enum; empty for none.' })
  sourcesFailed!: readonly CheckName[];
  @Field(() => CompletenessEnum, { description: 'How many of the sources answered; interpret `riskLevel` together with it.' })
  completeness!: Completeness;
  @Field(() => DateTimeScalar, { description: 'When this result was made.' }) generatedAt!: number;

  /** What its receipt is written from; null unless one was requested. */
  readonly forReceipt!: { readonly company: CompanyKey; readonly compliance: Compliance } | null;
}

@Resolver(() => CompanyType)
export class ComplianceBrResolver {
  @Cost(5)
  @Served(complianceBrLoader.countries)
  @Access('compliance_br')
  @FieldResolver(() => ComplianceResultType, {
    nullable: true,
    description:
      'The consolidated check: five checks and a risk level. Module compliance_br, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED.',
  })
  compliance(
    @Root() company: CompanyType,
    @Arg('receipt', () => Boolean, { defaultValue: false, description: 'True: `evidence` writes a receipt of this verdict.' })
    receipt: boolean,
    @Ctx() ctx: RequestContext,
    @Info() info: GraphQLResolveInfo,
  ): Awaitable<ComplianceResultType> {
    const answer = loadOwners(ctx, info, () => ctx.ask(complianceBrLoader, company));
    return whenKnown(answer, ({ value }) => toResult(value, company, receipt));
  }
}

@Resolver(() => ComplianceResultType)
export class EvidenceResolver {
  @Cost(5)
  @FieldResolver(() => EvidenceType, {
    nullable: true,
    description:
      'Receipt of this verdict: signed, kept, fetchable again. Null unless requested with `receipt: true`; it counts nothing more. Null beside SERVICE_UNAVAILABLE when it cannot be written.',
  })
  async evidence(@Root() { forReceipt }: ComplianceResultType, @Ctx() ctx: RequestContext): Promise<EvidenceType | null> {
    if (!forReceipt) return null;
    return new EvidenceType(await ctx.open(evidenceService).issue(ctx, forReceipt.company, forReceipt.compliance));
  }
}

function toResult(compliance: Compliance, company: CompanyKey, receipt: boolean): ComplianceResultType {
  const { risk, checks, sourcesFailed, completeness, generatedAt } = compliance;
  return {
    forReceipt: receipt ? { company, compliance } : null,
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
      owners: owners && toOwnersCheck(owners, taxId, complianceOwnerListLoaders),
    }),
);
