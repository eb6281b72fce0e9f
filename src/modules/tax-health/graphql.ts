import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { RegistrationStatus } from '../../domain/company.ts';
import { Access, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { defineEnum, RegistrationStatusEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { DateScalar, DecimalScalar } from '../../graphql/scalars.ts';
import type { RevenueTier, RiskSignal, SalesBracket, TaxHealth } from './domain.ts';
import { taxHealthLoader } from './loader.ts';

const RevenueTierEnum = defineEnum<RevenueTier>('RevenueTier', 'Size by yearly sales, as the Chilean tax registry classes companies.', {
  micro: 'Up to 2,400 UF: brackets 2 to 4.',
  small: 'Up to 25,000 UF: brackets 5 to 7.',
  medium: 'Up to 100,000 UF: brackets 8 and 9.',
  large: 'More than 100,000 UF: brackets 10 to 13.',
});

const RiskSignalEnum = defineEnum<RiskSignal>('TaxRiskSignal', 'Risk flag of the tax standing of a company.', {
  tax_debtor: 'It is on the list of tax debtors.',
  inactive_company: 'It has no activities in force: ended, or never started.',
  recently_deregistered: 'It ended its activities 365 days ago or less.',
  new_company: 'Its first tax registration is less than 365 days old.',
  micro_revenue_tier: 'Its revenue tier is MICRO.',
});

@ObjectType('SalesBracket', { description: 'A class of yearly sales of the Chilean tax registry.', simpleResolvers: true })
class SalesBracketType implements SalesBracket {
  @Field(() => Int, { description: "The registry's own number, 2 to 13 (1 is sales not informed)." }) number!: number;
  @Field(() => DecimalScalar, { description: 'Yearly sales are more than this many UF.' }) overUf!: number;
  @Field(() => DecimalScalar, { nullable: true, description: 'Yearly sales are up to this many UF; null for the highest bracket.' })
  upToUf!: number | null;
}

@ObjectType('TaxHealthCheck', {
  description: 'Tax standing of a Chilean company. For a company that the registry does not have, all but status is null or empty.',
  simpleResolvers: true,
})
export class TaxHealthCheckType implements TaxHealth {
  @Field(() => String, { nullable: true, description: 'Official legal name; null when the registry has no such company.' })
  companyName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'Registration status at the tax registry.' }) status!: RegistrationStatus;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True if it is on the list of tax debtors. Null if no list could be checked (see debtorsChecked), which is not "no debts", and for an unknown company.',
  })
  taxDebtor!: boolean | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'Sum of its debts on the list, in CLP; null if it is not on the list or the list states no amount.',
  })
  taxDebtAmount!: number | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date that the list gives for the newest debt; null where it gives none.' })
  taxDebtAsOf!: string | null;
  @Field(() => Boolean, {
    description:
      'True when a list of tax debtors was checked. No public list exists: the operator provides it, and it may be off, overdue or broken.',
  })
  debtorsChecked!: boolean;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the list of debtors; null if it was not checked or has no date.' })
  debtorsAsOf!: string | null;
  @Field(() => Int, {
    nullable: true,
    description: 'Whole years since the first tax registration, by the date in Chile, ended or not; null where none is stated.',
  })
  companyAgeYears!: number | null;
  @Field(() => DateScalar, { nullable: true, description: 'End of its activities; null while it is active.' }) deregisteredAt!:
    | string
    | null;
  @Field(() => RevenueTierEnum, {
    nullable: true,
    description: 'Size by yearly sales; null where they are not informed, which is not zero.',
  })
  revenueTier!: RevenueTier | null;
  @Field(() => SalesBracketType, {
    nullable: true,
    description: 'The bracket behind the tier, of the newest year in the registry; null where sales are not informed.',
  })
  salesBracket!: SalesBracket | null;
  @Field(() => [RiskSignalEnum], {
    description:
      'In the order TAX_DEBTOR, INACTIVE_COMPANY, RECENTLY_DEREGISTERED (365 days or less), NEW_COMPANY (less than 365 days), MICRO_REVENUE_TIER; empty for none.',
  })
  riskSignals!: readonly RiskSignal[];
  @Field(() => SourceNameEnum, { description: 'SII.' }) source!: TaxHealth['source'];
  @Field(() => FreshnessType, { description: 'Age of the answer: that of the older of registry and list; dated by the registry.' })
  freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class TaxHealthResolver {
  @KeptText(() => taxHealthLoader)
  @Served(taxHealthLoader.countries)
  @Access('tax_health')
  @FieldResolver(() => TaxHealthCheckType, {
    nullable: true,
    description:
      'Tax standing of a Chilean company. Module tax_health, CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  taxHealth(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<TaxHealthCheckType> {
    return companyField(taxHealthLoader, company, ctx, check);
  }
}
