import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { RegistrationStatus } from '../../domain/company.ts';
import { Access, AnswersAsOf, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { RegisterAbsenceEnum, RegistrationStatusEnum, RegistryMirrorEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Kyb } from './domain.ts';
import { kybAsOfLoader, kybLoader } from './loader.ts';

@ObjectType('KybCheck', {
  description: 'Registration of a company at its tax registry; CO: in the commercial register.',
  simpleResolvers: true,
})
export class KybCheckType implements Kyb {
  @Field(() => String, {
    nullable: true,
    description: 'Official legal name; null when the registry has no such company, or no name of it.',
  })
  companyName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'Registration status at the registry.' }) status!: RegistrationStatus;
  @Field(() => Boolean, {
    description: 'True for an active registration only. CO: false for an active branch of a company whose own registration is not active.',
  })
  verified!: boolean;
  @Field(() => Int, {
    nullable: true,
    description:
      "Year of first tax registration (BR: of this establishment's; CO: of the first registration at a chamber of commerce, which may be later than the constitution); null when unknown.",
  })
  foundedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of termination; null while registered, and for a suspended company, whose registration has not ended.',
  })
  endDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Status in the words of the registry. BR: ATIVA, ATIVA NÃO REGULAR (active, with an obligation open), SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES for an active company, SIN INICIO DE ACTIVIDADES for one that never started, otherwise the kind of end as printed, e.g. TERMINO DE GIRO. CO: state of the registration (matrícula), e.g. ACTIVA or CANCELADA; ACTIVA does not mean that it was renewed, see `notRenewedSince`. Null if the registry has no such company.',
  })
  registration!: string | null;
  @Field(() => Boolean, {
    description:
      'True for the tax id of a branch: a closed branch does not mean that the company is closed. Always false for CL, where branches have no tax id of their own. CO: true if the registration is that of a branch or an agency, as for foreign companies.',
  })
  isBranch!: boolean;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally, and for CL and CO.' }) specialSituation!:
    | string
    | null;
  @Field(() => RegisterAbsenceEnum, {
    nullable: true,
    description: 'CO: reason for NOT_FOUND. Null for a company that is registered, and for BR and CL, whose registries have every company.',
  })
  absence!: Kyb['absence'];
  @Field(() => Int, { nullable: true, description: 'CO: year of the last renewal; null when unknown, and for BR and CL.' })
  lastRenewedYear!: number | null;
  @Field(() => Int, {
    nullable: true,
    description:
      'CO: year of the last renewal, if an active registration was not renewed by 31 March of the year of the data; the status stays ACTIVE. Null otherwise.',
  })
  notRenewedSince!: number | null;
  @Field(() => Int, { nullable: true, description: 'CO: number of yearly renewals that were due since `notRenewedSince`; null with it.' })
  renewalsMissed!: number | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR), SII (CL) or RUES (CO).' })
  source!: Kyb['source'];
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description: 'BR: the mirror of the registry that answered; null for CL and CO, and for NOT_FOUND, which both mirrors must state.',
  })
  mirror!: Kyb['mirror'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class KybResolver {
  @KeptText(() => kybLoader)
  @AnswersAsOf(['BR'])
  @Served(kybLoader.countries)
  @Access('kyb')
  @FieldResolver(() => KybCheckType, {
    nullable: true,
    description:
      'Registration at the tax registry; CO: in the commercial register. Module kyb. Null beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  kyb(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<KybCheckType> {
    const { asOf } = company;
    return asOf === null ? companyField(kybLoader, company, ctx, check) : companyField(kybAsOfLoader, { ...company, asOf }, ctx, check);
  }
}
