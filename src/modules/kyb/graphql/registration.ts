import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { companyNotFound } from '../../../domain/company.ts';
import { Access, AnswersAsOf, Served } from '../../../graphql/access.ts';
import { check, FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { defineEnum, RegistrationStatusEnum, RegistryMirrorEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { DateScalar, DecimalScalar } from '../../../graphql/scalars.ts';
import type {
  ChamberRegistration,
  RegisteredAddress,
  RegistrationCategory,
  RegistrationRecord,
  RegistryTerm,
  TaxRegime,
} from '../domain/registration.ts';
import { registrationAsOfLoader, registrationLoader } from '../loaders/registration.ts';

@ObjectType('RegistryTerm', { description: 'A code of a registry and its words; at least one of them is given.', simpleResolvers: true })
export class RegistryTermType implements RegistryTerm {
  @Field(() => String, { nullable: true, description: 'Digits with left zeros; null when the registry prints words only.' }) code!:
    | string
    | null;
  @Field(() => String, { nullable: true, description: 'Null for a code that the published tables do not have.' }) text!: string | null;
}

@ObjectType('TaxRegime', { description: 'Membership of a tax regime.', simpleResolvers: true })
class TaxRegimeType implements TaxRegime {
  @Field(() => Boolean, { nullable: true, description: 'Null when the registry has no answer: the company never chose the regime.' })
  isMember!: boolean | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the last choice, which stays when the company leaves.' })
  since!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the exclusion.' }) until!: string | null;
}

@ObjectType('RegisteredAddress', {
  description: 'The address that a company registered. Telephone numbers and e-mail addresses are not published.',
  simpleResolvers: true,
})
class RegisteredAddressType implements RegisteredAddress {
  @Field(() => String, {
    nullable: true,
    description: 'Kind and name. Null for CL, and for a natural person (sole trader, MEI), whose address is a private home.',
  })
  street!: string | null;
  @Field(() => String, { nullable: true, description: 'Number, or S/N. Null like `street`.' }) number!: string | null;
  @Field(() => String, { nullable: true, description: 'Floor, room and the like. Null like `street`.' }) complement!: string | null;
  @Field(() => String, { nullable: true, description: 'Bairro; BR only.' }) district!: string | null;
  @Field(() => String, { nullable: true, description: 'BR: municipality in capitals. CL: commune. Null abroad.' })
  municipality!: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'BR: two letters of the state (UF). CL: name of the region. CO: name of the chamber of commerce. Null abroad.',
  })
  region!: string | null;
  @Field(() => String, { nullable: true, description: 'CEP, eight digits; BR only.' }) postalCode!: string | null;
  @Field(() => String, { nullable: true, description: 'City of an address abroad.' }) foreignCity!: string | null;
  @Field(() => String, { nullable: true, description: 'Country of an address abroad, as printed.' }) foreignCountry!: string | null;
}

const RegistrationCategoryEnum = defineEnum<RegistrationCategory>(
  'RegistrationCategory',
  'Category of a registration at a chamber of commerce.',
  {
    main: 'The company or non-profit itself.',
    branch: 'A branch (sucursal), also that of a foreign company.',
    agency: 'An agency.',
    establishment: 'An establishment.',
    other: 'Another category, or none: old cards and registrations that were never assigned.',
  },
);

@ObjectType('ChamberRegistration', {
  description: 'A registration (matrícula) of a Colombian company at a chamber of commerce.',
  simpleResolvers: true,
})
class ChamberRegistrationType implements ChamberRegistration {
  @Field(() => String, { nullable: true, description: 'Name of the chamber as printed.' }) chamber!: string | null;
  @Field(() => String, { nullable: true, description: 'Registration number, unique together with the chamber only.' }) number!:
    | string
    | null;
  @Field(() => String, { description: 'State in the words of the register, e.g. ACTIVA.' }) state!: string;
  @Field(() => RegistrationCategoryEnum, { description: 'Category.' }) category!: RegistrationCategory;
  @Field(() => DateScalar, { nullable: true, description: 'Date of the registration; null where it is missing or impossible.' })
  registeredOn!: string | null;
  @Field(() => Int, { nullable: true, description: 'Year of the last renewal.' }) lastRenewedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of cancellation as printed, which some registrations have that are not cancelled.',
  })
  cancelledOn!: string | null;
  @Field(() => Boolean, { description: 'True for the registration whose state is that of the company.' }) isChosen!: boolean;
}

@ObjectType('Registration', {
  description:
    'The public record of a company at its tax registry; CO: in the commercial register. A field is null where the registry publishes no value.',
  simpleResolvers: true,
})
export class RegistrationType implements RegistrationRecord {
  @Field(() => String, { nullable: true, description: 'Official legal name.' }) companyName!: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'BR: trade name (nome fantasia) of the establishment. CO: acronym (sigla). Null for CL.',
  })
  tradeName!: string | null;
  @Field(() => RegistryTermType, {
    nullable: true,
    description: 'BR: natureza jurídica. CL: kind of company, CO: legal organisation, both without a code.',
  })
  legalNature!: RegistryTerm | null;
  @Field(() => String, { nullable: true, description: 'MICRO EMPRESA, EMPRESA DE PEQUENO PORTE or DEMAIS; BR only.' }) size!: string | null;
  @Field(() => DecimalScalar, { nullable: true, description: 'Capital in BRL; BR only. From MINHA_RECEITA without cents above 131,072.' })
  capital!: string | null;
  @Field(() => Boolean, { description: 'True if the mirror rounds the capital to about seven digits, as it does above 16 million.' })
  isCapitalRounded!: boolean;
  @Field(() => DateScalar, {
    nullable: true,
    description: "First tax registration (BR: of this establishment's). CO: first registration at a chamber of commerce.",
  })
  openedOn!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'ACTIVE or INACTIVE.' }) status!: RegistrationRecord['status'];
  @Field(() => String, { description: 'Status in the words of the registry, like `KybCheck.registration`.' }) statusText!: string;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Since when the status is valid. CL: end of activities, CO: last cancellation; both null while active.',
  })
  statusSince!: string | null;
  @Field(() => RegistryTermType, { nullable: true, description: 'Reason of the status; null for none, and for CL and CO.' })
  statusReason!: RegistryTerm | null;
  @Field(() => Boolean, { description: 'True for a branch, false for a head office, and for CL. CO: true for a branch or an agency.' })
  isBranch!: boolean;
  @Field(() => RegistryTermType, {
    nullable: true,
    description:
      'Main activity. BR: CNAE, seven digits. CL: CIIU4.CL, six digits. CO: CIIU, four digits (older registrations: a letter and digits), without words.',
  })
  mainActivity!: RegistryTerm | null;
  @Field(() => [RegistryTermType], {
    nullable: true,
    description: 'Other activities, at most 99. Null if they are not published: always for CL.',
  })
  otherActivities!: readonly RegistryTerm[] | null;
  @Field(() => RegisteredAddressType, { description: 'Registered address.' }) address!: RegisteredAddress;
  @Field(() => TaxRegimeType, { nullable: true, description: 'Simples Nacional; null for CL.' }) simples!: TaxRegime | null;
  @Field(() => TaxRegimeType, { nullable: true, description: 'Individual micro-entrepreneurs (MEI); null for CL.' }) mei!: TaxRegime | null;
  @Field(() => String, { nullable: true, description: 'Federative entity to which a public body belongs; BR only.' })
  federativeEntity!: string | null;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally, and for CL.' }) specialSituation!:
    | string
    | null;
  @Field(() => DateScalar, { nullable: true, description: 'Start of the special situation.' }) specialSituationSince!: string | null;
  @Field(() => [ChamberRegistrationType], {
    nullable: true,
    description: 'CO: all registrations at chambers of commerce, at most 200, the chosen one first. Null for BR and CL.',
  })
  chamberRegistrations!: readonly ChamberRegistration[] | null;
  @Field(() => Int, { nullable: true, description: 'CO: year of the last renewal, like `KybCheck.lastRenewedYear`.' })
  lastRenewedYear!: number | null;
  @Field(() => Int, { nullable: true, description: 'CO: like `KybCheck.notRenewedSince`.' }) notRenewedSince!: number | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR), SII (CL) or RUES (CO).' })
  source!: RegistrationRecord['source'];
  @Field(() => RegistryMirrorEnum, { nullable: true, description: 'BR: the mirror that answered; null for CL and CO.' })
  mirror!: RegistrationRecord['mirror'];
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class RegistrationResolver {
  @AnswersAsOf(['BR'])
  @Served(registrationLoader.countries)
  @Access('kyb')
  @FieldResolver(() => RegistrationType, {
    nullable: true,
    description:
      'The whole public record of the company at its tax registry, or in the commercial register (CO), by the call that `kyb` makes. Module kyb. Null beside an error: MODULE_NOT_ENABLED, COMPANY_NOT_FOUND or SOURCE_UNAVAILABLE.',
  })
  async registration(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<RegistrationType> {
    const { asOf } = company;
    const { value, freshness } = await (asOf === null
      ? ctx.ask(registrationLoader, company)
      : ctx.ask(registrationAsOfLoader, { ...company, asOf }));
    if (!value) throw companyNotFound(company.country, freshness.dataAsOf);
    return check({ value, freshness });
  }
}
