import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { RegistrationStatus } from '../../domain/company.ts';
import { Access, AnswersAsOf, Served } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue } from '../../graphql/company-field.ts';
import { RegistrationStatusEnum, RegistryMirrorEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Kyb } from './domain.ts';
import { kybAsOfLoader, kybLoader } from './loader.ts';

@ObjectType('KybCheck', { description: 'Registration of a company at its tax registry.', simpleResolvers: true })
export class KybCheckType implements Kyb {
  @Field(() => String, {
    nullable: true,
    description: 'Official legal name; null when the registry has no such company, or no name of it.',
  })
  companyName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'Registration status at the registry.' }) status!: RegistrationStatus;
  @Field(() => Boolean, { description: 'True for an active registration only.' }) verified!: boolean;
  @Field(() => Int, { nullable: true, description: "Year of first tax registration (BR: of this establishment's); null when unknown." })
  foundedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of termination; null while registered, and for a suspended company, whose registration has not ended.',
  })
  endDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      'Status in the words of the registry. BR: ATIVA, ATIVA NÃO REGULAR (active, with an obligation open), SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES for an active company, SIN INICIO DE ACTIVIDADES for one that never started, otherwise the kind of end as printed, e.g. TERMINO DE GIRO. Null if the registry has no such company.',
  })
  registration!: string | null;
  @Field(() => Boolean, {
    description:
      'True for the tax id of a branch: a closed branch does not mean that the company is closed. Always false for CL, where branches have no tax id of their own.',
  })
  isBranch!: boolean;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally, and for CL.' }) specialSituation!:
    | string
    | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR) or SII (CL).' }) source!: Kyb['source'];
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description: 'BR: the mirror of the registry that answered; null for CL, and for NOT_FOUND, which both mirrors must state.',
  })
  mirror!: Kyb['mirror'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class KybResolver {
  @AnswersAsOf
  @Served(kybLoader.countries)
  @Access('kyb')
  @FieldResolver(() => KybCheckType, {
    nullable: true,
    description:
      'Registration at the tax registry. Module kyb, BR and CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  kyb(@Root() company: CompanyType, @Ctx() ctx: RequestContext): FieldValue<KybCheckType> {
    const { asOf } = company;
    return asOf === null ? companyField(kybLoader, company, ctx, check) : companyField(kybAsOfLoader, { ...company, asOf }, ctx, check);
  }
}
