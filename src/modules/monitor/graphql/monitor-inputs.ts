import { Field, ID, InputType } from 'type-graphql';
import type { Country } from '../../../domain/company.ts';
import { CountryEnum, LanguageEnum } from '../../../graphql/enums.ts';
import { UrlScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import type { WebhookFormat } from '../../../webhooks/domain/chat-message.ts';
import type { RetryPolicy } from '../../../webhooks/domain/delivery.ts';
import { WebhookFormatEnum } from '../../../webhooks/graphql.ts';
import { RetryPolicyEnum } from './types.ts';

@InputType('CreateMonitorInput', { description: 'Settings of a new monitor.' })
export class CreateMonitorInput {
  @Field(() => [String], { description: '1 to 500 tax ids, with or without punctuation. A company that is named twice is watched once.' })
  identifiers!: string[];
  @Field(() => CountryEnum, { description: 'Country of all tax ids.' }) country!: Country;
  @Field(() => UrlScalar, {
    nullable: true,
    description: 'Webhook URL: https, on a public host. When omitted, changes are available by query and subscription only.',
  })
  webhookUrl?: string | null;
  @Field(() => WebhookFormatEnum, {
    defaultValue: 'standard',
    description: 'Format of the events that are sent to the webhook.',
  })
  webhookFormat!: WebhookFormat;
  @Field(() => LanguageEnum, { defaultValue: 'en', description: 'Language of the events if people read them: `SLACK` and `TEAMS`.' })
  webhookLanguage!: Language;
  @Field(() => RetryPolicyEnum, { defaultValue: 'none', description: 'Retries when the receiver does not accept an event.' })
  retryPolicy!: RetryPolicy;
  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: changes of sanctions, debarment and labour lists are sent to the webhook, too.',
  })
  listNews!: boolean;
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True: changes of name, owners, capital, address, special situation and year of the last renewal are sent to the webhook, too. Queries and subscriptions always return them.',
  })
  recordNews!: boolean;
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'True: the monitor also reports new and changed records of sanctions lists with a name similar to that of a company. They are list changes: a webhook receives them only with `listNews`.',
  })
  candidateNews!: boolean;
}

@InputType('UpdateMonitorInput', {
  description: 'Changes to a monitor. An omitted field is not changed. The update is idempotent.',
})
export class UpdateMonitorInput {
  @Field(() => ID, { description: '`mon_…`.' }) id!: string;
  @Field(() => [String], { nullable: true, description: 'Tax ids to add; tax ids that are watched already are ignored.' })
  addIdentifiers?: string[] | null;
  @Field(() => [String], { nullable: true, description: 'Tax ids to remove; tax ids that are not watched are ignored.' })
  removeIdentifiers?: string[] | null;
  @Field(() => UrlScalar, {
    nullable: true,
    description: 'New webhook URL, also for deliveries that wait to be sent. Null removes the webhook.',
  })
  webhookUrl?: string | null;
  @Field(() => WebhookFormatEnum, {
    nullable: true,
    description: 'Format of the events that are sent to the webhook. Deliveries that wait keep the format in which they were written.',
  })
  webhookFormat?: WebhookFormat | null;
  @Field(() => LanguageEnum, { nullable: true, description: 'Language of the events if people read them: `SLACK` and `TEAMS`.' })
  webhookLanguage?: Language | null;
  @Field(() => RetryPolicyEnum, { nullable: true, description: 'Retries when the receiver does not accept an event.' })
  retryPolicy?: RetryPolicy | null;
  @Field(() => Boolean, { nullable: true, description: 'True if changes of lists are sent to the webhook, too.' }) listNews?:
    | boolean
    | null;
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True if changes of name, owners, capital, address, special situation and year of the last renewal are sent to the webhook, too.',
  })
  recordNews?: boolean | null;
  @Field(() => Boolean, { nullable: true, description: 'True if the monitor also reports list records with similar names.' })
  candidateNews?: boolean | null;
}
