import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country } from '../../../domain/company.ts';
import { unlessWebhook } from '../../../domain/roles.ts';
import { Access } from '../../../graphql/access.ts';
import { CountryEnum, ModuleEnum } from '../../../graphql/enums.ts';
import { toGraphqlField } from '../../../graphql/errors.ts';
import { DateTimeScalar, UrlScalar } from '../../../graphql/scalars.ts';
import { RESEND } from '../../../webhooks/service/messages.ts';
import { rowsOfList } from '../service/portfolio-file.ts';
import { screeningService } from '../service/screening.ts';
import { START } from '../service/screenings.ts';
import { ScreeningType } from './types.ts';

@InputType('StartScreeningInput', { description: 'A portfolio and the modules that check its companies.' })
class StartScreeningInput {
  @Field(() => [String], {
    description:
      '1 to 100,000 tax ids, with or without punctuation. GraphQL bodies are limited to 1 MiB, which is about 60,000 tax ids; REST takes 4 MiB. Invalid and repeated tax ids become rejected rows.',
  })
  identifiers!: string[];
  @Field(() => CountryEnum, { nullable: true, description: 'Country of all tax ids; detected from the form of each tax id when omitted.' })
  country?: Country | null;
  @Field(() => String, { nullable: true, description: 'A name for display, at most 200 characters.' }) name?: string | null;
  @Field(() => [ModuleEnum], {
    nullable: true,
    description:
      'One or more of COMPLIANCE_BR, COMPLIANCE, KYB, OWNERS, DEBARMENT, SANCTIONS, LABOR and TAX_HEALTH; the key needs each of them. Each answer is counted for its module. COMPLIANCE_BR includes KYB, OWNERS, DEBARMENT, SANCTIONS and LABOR of a Brazilian company, COMPLIANCE includes KYB, SANCTIONS, OWNERS and TAX_HEALTH of a Chilean one, KYB, SANCTIONS and OWNERS of a Colombian one. When omitted: those of COMPLIANCE_BR, COMPLIANCE, KYB, SANCTIONS and TAX_HEALTH that the key has.',
  })
  modules?: string[] | null;
  @Field(() => UrlScalar, { nullable: true, description: 'URL to which the end of the screening is sent, signed; none when omitted.' })
  webhookUrl?: string | null;
}

@InputType('CancelScreeningInput', { description: 'The screening to cancel.' })
class CancelScreeningInput {
  @Field(() => ID, { description: '`scr_…`.' }) id!: string;
}

@InputType('RedeliverScreeningInput', { description: 'The screening whose webhook is sent again.' })
class RedeliverScreeningInput {
  @Field(() => ID, { description: '`scr_…`.' }) id!: string;
}

@InputType('RotateScreeningSecretInput', { description: 'The screening whose secret is replaced.' })
class RotateScreeningSecretInput {
  @Field(() => ID, { description: '`scr_…`.' }) id!: string;
}

@ObjectType('StartScreeningPayload', { description: 'A new screening.', simpleResolvers: true })
class StartScreeningPayloadType {
  @Field(() => ScreeningType, { description: 'The screening.' }) screening!: ScreeningType;
  @Field(() => String, {
    nullable: true,
    description: 'Secret that signs its webhook, `whsec_…`; null without one. It is returned only once.',
  })
  secret!: string | null;
}

@ObjectType('CancelScreeningPayload', { description: 'A cancelled screening.', simpleResolvers: true })
class CancelScreeningPayloadType {
  @Field(() => ScreeningType, { description: 'The screening.' }) screening!: ScreeningType;
}

@ObjectType('RedeliverScreeningPayload', { description: 'A screening whose webhook is sent again.', simpleResolvers: true })
class RedeliverScreeningPayloadType {
  @Field(() => ScreeningType, { description: 'The screening; its `deliveries` have the delivery.' }) screening!: ScreeningType;
}

@ObjectType('RotateScreeningSecretPayload', { description: 'A screening with a new secret.', simpleResolvers: true })
class RotateScreeningSecretPayloadType {
  @Field(() => ScreeningType, { description: 'The screening.' }) screening!: ScreeningType;
  @Field(() => String, { description: 'New secret that signs its webhook, `whsec_…`. It is returned only once.' }) secret!: string;
  @Field(() => DateTimeScalar, { description: 'Until then the webhook is signed with the secret before this one, too.' })
  oldSecretValidUntil!: number;
}

@Resolver()
export class ScreeningMutations {
  @Access('screening', unlessWebhook('webhookUrl'))
  @Mutation(() => StartScreeningPayloadType, {
    nullable: true,
    description:
      'Checks up to 100,000 companies in the background. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, also for a module of `modules`, INVALID_INPUT, RATE_LIMITED after 10 in a minute, or PLAN_LIMIT_REACHED when the account stores too many rows.',
  })
  async startScreening(
    @Arg('input', () => StartScreeningInput, { description: 'The portfolio and its modules.' }) {
      identifiers,
      country,
      name,
      modules,
      webhookUrl,
    }: StartScreeningInput,
    @Ctx() ctx: RequestContext,
  ): Promise<StartScreeningPayloadType> {
    const { screenings } = ctx.open(screeningService);
    await ctx.limitAction(START);
    const readRows = rowsOfList(identifiers, country ?? null);
    const input = { name: name ?? null, modules: modules ?? null, webhookUrl: webhookUrl ?? null, readRows };
    const { screening, secret } = await screenings.start(ctx.caller, input).catch(toGraphqlField);
    return { screening: new ScreeningType(screening), secret };
  }

  @Access('screening', 'decide')
  @Mutation(() => CancelScreeningPayloadType, {
    nullable: true,
    description:
      'Cancels a screening; its results so far are kept. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED or SCREENING_NOT_FOUND, also for one that has ended.',
  })
  async cancelScreening(
    @Arg('input', () => CancelScreeningInput, { description: 'Id of the screening.' }) { id }: CancelScreeningInput,
    @Ctx() ctx: RequestContext,
  ): Promise<CancelScreeningPayloadType> {
    return { screening: new ScreeningType(await ctx.open(screeningService).screenings.cancel(ctx.caller, id)) };
  }

  @Access('screening', 'administer')
  @Mutation(() => RedeliverScreeningPayloadType, {
    nullable: true,
    description:
      'Sends the webhook of a screening again, under the same event id. A delivery that waits or is being sent is not changed. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, SCREENING_NOT_FOUND, RATE_LIMITED after 30 in a minute, or INVALID_INPUT for a screening that is not done or has no webhook.',
  })
  async redeliverScreening(
    @Arg('input', () => RedeliverScreeningInput, { description: 'Id of the screening.' }) { id }: RedeliverScreeningInput,
    @Ctx() ctx: RequestContext,
  ): Promise<RedeliverScreeningPayloadType> {
    const { screenings } = ctx.open(screeningService);
    await ctx.limitAction(RESEND);
    return { screening: new ScreeningType(await screenings.redeliver(ctx.caller, id)) };
  }

  @Access('screening', 'administer')
  @Mutation(() => RotateScreeningSecretPayloadType, {
    nullable: true,
    description:
      'Replaces the secret that signs the webhook of a screening; it is signed with both secrets for 24 h. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, SCREENING_NOT_FOUND, or INVALID_INPUT for a screening without a webhook.',
  })
  async rotateScreeningSecret(
    @Arg('input', () => RotateScreeningSecretInput, { description: 'Id of the screening.' }) { id }: RotateScreeningSecretInput,
    @Ctx() ctx: RequestContext,
  ): Promise<RotateScreeningSecretPayloadType> {
    const { screening, ...rotated } = await ctx.open(screeningService).screenings.rotateSecret(ctx.caller, id);
    return { screening: new ScreeningType(screening), ...rotated };
  }
}
