import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { defineEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import { ownersLoader } from '../owners/loaders/owners.ts';
import type { Kyb, KybStatus } from './domain.ts';
import { kybLoader } from './loader.ts';

const RegistrationStatus = defineEnum('RegistrationStatus', 'Standing at the tax registry.', {
  active: 'Registered and active.',
  inactive: 'Registered, and closed, suspended, unfit or void.',
  not_found: 'The registry has no such company.',
});

@ObjectType('KybCheck', { description: 'Legal registration of a company at its tax registry.', simpleResolvers: true })
export class KybCheckType implements Kyb {
  @Field(() => String, { nullable: true, description: 'Official legal name; null when the registry has no such company.' })
  companyName!: string | null;
  @Field(() => RegistrationStatus, { description: 'Standing at the registry.' }) status!: KybStatus;
  @Field(() => Boolean, { description: 'True for an active registration only.' }) verified!: boolean;
  @Field(() => Int, { nullable: true, description: "Year of this establishment's first registration; null when unknown." })
  foundedYear!: number | null;
  @Field(() => DateScalar, {
    nullable: true,
    description: 'Date of termination; null while registered, and for a suspension, which ends nothing.',
  })
  endDate!: string | null;
  @Field(() => String, { nullable: true, description: "The registry's own word: ATIVA, SUSPENSA, INAPTA, BAIXADA, NULA." })
  registration!: string | null;
  @Field(() => Boolean, { description: "True when the tax id is a branch's: its closing is not the company's." }) isBranch!: boolean;
  @Field(() => String, { nullable: true, description: 'E.g. RECUPERACAO JUDICIAL; null normally.' }) specialSituation!: string | null;
  @Field(() => SourceNameEnum, { description: 'The registry that answered.' }) source!: Kyb['source'];
  @Field(() => FreshnessType, { description: 'How old the answer is.' }) freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class KybResolver {
  @Access('kyb')
  @FieldResolver(() => KybCheckType, {
    nullable: true,
    description: 'Module kyb, BR. Null beside an error: MODULE_NOT_ENABLED, UNSUPPORTED_COUNTRY or SOURCE_UNAVAILABLE.',
  })
  async kyb(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<KybCheckType> {
    return check(await ctx.ask(kybLoader, company));
  }

  @Access('kyb')
  @FieldResolver(() => String, {
    nullable: true,
    description: "Official legal name: KYB's, or the owners check's for a key that has only that module; null when the registry has none.",
  })
  async name(@Root() company: CompanyType, @Ctx() ctx: RequestContext): Promise<string | null> {
    if (!ctx.caller.modules.has('kyb') && ctx.caller.modules.has('owners')) {
      return (await ctx.ask(ownersLoader, company)).value?.companyName ?? null;
    }
    return (await ctx.ask(kybLoader, company)).value.companyName;
  }
}
