import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { RegistrationStatus } from '../../domain/company.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { RegistrationStatusEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import { Served } from '../../graphql/served.ts';
import { ownersLoader } from '../owners/loader.ts';
import { supplierNameLoader } from '../tenders/loaders/supplier.ts';
import type { Kyb } from './domain.ts';
import { kybLoader } from './loader.ts';

@ObjectType('KybCheck', { description: 'Legal registration of a company at its tax registry.', simpleResolvers: true })
export class KybCheckType implements Kyb {
  @Field(() => String, { nullable: true, description: 'Official legal name; null when the registry has no such company.' })
  companyName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'Standing at the registry.' }) status!: RegistrationStatus;
  @Field(() => Boolean, { description: 'True for an active registration only.' }) verified!: boolean;
  @Field(() => Int, { nullable: true, description: "Year of first tax registration (BR: of this establishment's); null when unknown." })
  foundedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of termination; null while registered, and for a suspension, which ends nothing.',
  })
  endDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description:
      "The registry's own word. BR: ATIVA, SUSPENSA, INAPTA, BAIXADA, NULA. CL: INICIO DE ACTIVIDADES while it goes on, SIN INICIO DE ACTIVIDADES for a company that never started, or how it ended as printed, e.g. TERMINO DE GIRO. Null when it has no such company.",
  })
  registration!: string | null;
  @Field(() => Boolean, {
    description:
      "True when the tax id is a branch's: its closing is not the company's. Never for CL, where branches have no id of their own.",
  })
  isBranch!: boolean;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally, and for CL.' }) specialSituation!:
    | string
    | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR) or SII (CL).' }) source!: Kyb['source'];
  @Field(() => FreshnessType, { description: 'How old the answer is.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class KybResolver {
  @Served(kybLoader.countries)
  @Access('kyb')
  @FieldResolver(() => KybCheckType, {
    nullable: true,
    description: 'Module kyb, BR and CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED or SOURCE_UNAVAILABLE.',
  })
  async kyb(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<KybCheckType> {
    return check(await ctx.ask(kybLoader, company));
  }

  @Access('any_key') // `ask` checks the module, which depends on the country
  @FieldResolver(() => String, {
    nullable: true,
    description:
      "Official legal name. BR, CL: KYB's, or the owners check's for a key that has that module and not kyb; null when the registry has none. CO: as SECOP II prints it in the newest contract; null for a company without contracts, and for a key without the module tenders.",
  })
  async name(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<string | null> {
    if (company.country === 'CO') return ctx.caller.modules.has('tenders') ? (await ctx.ask(supplierNameLoader, company)).value : null;
    if (!ctx.caller.modules.has('kyb') && ctx.caller.modules.has('owners')) {
      return (await ctx.ask(ownersLoader, company)).value?.companyName ?? null;
    }
    return (await ctx.ask(kybLoader, company)).value.companyName;
  }
}
