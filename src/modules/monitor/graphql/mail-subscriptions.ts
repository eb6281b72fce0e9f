import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { Access } from '../../../graphql/access.ts';
import { LanguageEnum } from '../../../graphql/enums.ts';
import { toGraphqlField } from '../../../graphql/errors.ts';
import { cacheKey } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import type { MailSubscription } from '../domain/mail-subscription.ts';
import { mailSubscriptionsLoader } from '../loader.ts';
import { SUBSCRIBE } from '../service/mail-subscriptions.ts';
import { monitorService } from '../service/monitor.ts';

@ObjectType('MailSubscription', {
  description: 'A person who receives an e-mail a day about the changes of the companies that the account watches.',
  simpleResolvers: true,
})
class MailSubscriptionType implements Omit<MailSubscription, 'id' | 'accountId'> {
  @Field(() => ID, { description: cacheKey('mail subscriptions') }) readonly id: string;
  @Field(() => String, { description: 'E-mail address.' }) readonly email: string;
  @Field(() => LanguageEnum, { description: 'Language of the mails.' }) readonly language: Language;
  @Field(() => String, { description: 'Time zone by its name in the IANA database, such as `America/Bogota`.' })
  readonly timeZone: string;
  @Field(() => Int, { description: 'Hour of the day, 0 to 23 in the time zone, from which the mail is sent.' }) readonly hour: number;
  @Field(() => Boolean, { description: 'True: a mail is sent also on days without a change.' }) readonly everyDay: boolean;
  @Field(() => DateTimeScalar, { description: 'When it was created.' }) readonly createdAt: number;
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When the person confirmed the address by the link of the first mail; null before. No other mail is sent before.',
  })
  readonly confirmedAt: number | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When the next mail is due; null before the confirmation.' })
  readonly nextAt: number | null;
  @Field(() => DateTimeScalar, { nullable: true, description: 'When the last mail was sent; null before the first one.' })
  readonly lastSentAt: number | null;
  @Field(() => String, {
    nullable: true,
    description: 'Codes of the failure if the last mail could not be sent, such as `EENVELOPE 550`; null after a success.',
  })
  readonly lastError: string | null;

  constructor(subscription: MailSubscription) {
    this.id = toPublicId('mailSubscription', subscription.id);
    this.email = subscription.email;
    this.language = subscription.language;
    this.timeZone = subscription.timeZone;
    this.hour = subscription.hour;
    this.everyDay = subscription.everyDay;
    this.createdAt = subscription.createdAt;
    this.confirmedAt = subscription.confirmedAt;
    this.nextAt = subscription.nextAt;
    this.lastSentAt = subscription.lastSentAt;
    this.lastError = subscription.lastError;
  }
}

@InputType('SaveMailSubscriptionInput', { description: 'Address of a person, and settings of the daily mail.' })
class SaveMailSubscriptionInput {
  @Field(() => String, { description: 'E-mail address. The settings of an address that is subscribed already are replaced.' })
  email!: string;
  @Field(() => LanguageEnum, { description: 'Language of the mails.' }) language!: Language;
  @Field(() => String, { description: 'Time zone by its name in the IANA database, such as `America/Bogota`.' }) timeZone!: string;
  @Field(() => Int, { defaultValue: 7, description: 'Hour of the day, 0 to 23 in the time zone, from which the mail is sent.' })
  hour!: number;
  @Field(() => Boolean, { defaultValue: false, description: 'True: a mail is sent also on days without a change.' }) everyDay!: boolean;
}

@InputType('DeleteMailSubscriptionInput', { description: 'The mail subscription to delete.' })
class DeleteMailSubscriptionInput {
  @Field(() => ID, { description: '`mls_…`.' }) id!: string;
}

@ObjectType('SaveMailSubscriptionPayload', { description: 'A saved mail subscription.', simpleResolvers: true })
class SaveMailSubscriptionPayloadType {
  @Field(() => MailSubscriptionType, { description: 'The mail subscription.' }) mailSubscription!: MailSubscriptionType;
}

@ObjectType('DeleteMailSubscriptionPayload', { description: 'A deleted mail subscription.', simpleResolvers: true })
class DeleteMailSubscriptionPayloadType {
  @Field(() => ID, { description: 'Its id.' }) id!: string;
}

@Resolver()
export class MailSubscriptionsResolver {
  @Access('monitor')
  @Query(() => [MailSubscriptionType], {
    nullable: true,
    description: 'People who receive the daily mail of the account, at most 50, oldest first. Null beside an error: MODULE_NOT_ENABLED.',
  })
  async mailSubscriptions(@Ctx() ctx: RequestContext): Promise<readonly MailSubscriptionType[]> {
    const subscriptions = await ctx.read(mailSubscriptionsLoader, { accountId: ctx.caller.accountId });
    return subscriptions.map((subscription) => new MailSubscriptionType(subscription));
  }

  @Access('monitor', 'administer')
  @Mutation(() => SaveMailSubscriptionPayloadType, {
    nullable: true,
    description:
      'Sends a person a mail a day about the changes of the companies that the account watches, once the person has confirmed the address by a link. For an address that is subscribed already it changes the settings. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED, INVALID_INPUT, also if the service sends no mails, PLAN_LIMIT_REACHED or RATE_LIMITED after 10 in a minute.',
  })
  async saveMailSubscription(
    @Arg('input', () => SaveMailSubscriptionInput, { description: 'Address and settings.' }) input: SaveMailSubscriptionInput,
    @Ctx() ctx: RequestContext,
  ): Promise<SaveMailSubscriptionPayloadType> {
    await ctx.limitAction(SUBSCRIBE);
    const saved = await ctx.open(monitorService).mailSubscriptions.save(ctx.caller, input).catch(toGraphqlField);
    return { mailSubscription: new MailSubscriptionType(saved) };
  }

  @Access('monitor', 'administer')
  @Mutation(() => DeleteMailSubscriptionPayloadType, {
    nullable: true,
    description:
      'Ends the daily mail to a person, and deletes the address. Null beside an error: MODULE_NOT_ENABLED, ROLE_NOT_ALLOWED or MAIL_SUBSCRIPTION_NOT_FOUND.',
  })
  async deleteMailSubscription(
    @Arg('input', () => DeleteMailSubscriptionInput, { description: 'Id of the mail subscription.' }) { id }: DeleteMailSubscriptionInput,
    @Ctx() ctx: RequestContext,
  ): Promise<DeleteMailSubscriptionPayloadType> {
    await ctx.open(monitorService).mailSubscriptions.delete(ctx.caller, id);
    return { id };
  }
}
