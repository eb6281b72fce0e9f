import { Arg, Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import { Access } from '../../graphql/access.ts';
import { check, FreshnessType } from '../../graphql/check.ts';
import { defineEnum } from '../../graphql/enums.ts';
import { Cost } from '../../graphql/limits/cost.ts';
import type { EmailValidation, EmailVerdict, MailServer, UndeliverableReason } from './domain.ts';
import { emailLoader } from './loader.ts';

const EmailVerdictEnum = defineEnum<EmailVerdict>(
  'EmailVerdict',
  'Whether mail to an address can be delivered. A DNS failure is an error, not a verdict.',
  {
    deliverable: 'Well formed, and its domain names mail servers.',
    deliverable_fallback:
      'Well formed; its domain names no mail server, but has an address of its own, which mail goes to in their place (RFC 5321). Less sure.',
    undeliverable: 'Well formed, but its domain takes no mail: see the reason.',
    malformed: 'Not an e-mail address.',
  },
);

const UndeliverableReasonEnum = defineEnum<UndeliverableReason>('UndeliverableReason', 'Why no mail gets to a domain.', {
  no_such_domain: 'The domain does not exist.',
  refuses_mail: 'It says that it takes no mail (null MX, RFC 7505).',
  no_mail_server: 'It names no usable mail server and has no address of its own.',
  private_address: 'It names no mail server, and its own address is a private one.',
  sends_no_mail: 'It names no mail server, and says by SPF that no mail is sent in its name.',
  reserved_name: 'Its name is reserved and never holds mailboxes: arpa, invalid, local, localhost, onion.',
  address_literal: 'An IP address in place of a domain: well formed, but of no business use.',
});

@ObjectType('MailServer', { description: 'A server that takes mail for a domain.', simpleResolvers: true })
class MailServerType implements MailServer {
  @Field(() => String, { description: 'Host name.' }) host!: string;
  @Field(() => Int, { description: 'MX preference: the lowest value is tried first.' }) preference!: number;
}

@ObjectType('EmailValidation', { description: 'Whether an e-mail address can be written to, and what kind it is.', simpleResolvers: true })
class EmailValidationType implements EmailValidation {
  @Field(() => String, { description: 'The requested address in lower case, without surrounding blanks.' }) email!: string;
  @Field(() => Boolean, { description: 'Well formed, and its domain takes mail: the primary signal.' }) valid!: boolean;
  @Field(() => Boolean, { description: 'Well formed by RFC 5321 and RFC 6531.' }) formatValid!: boolean;
  @Field(() => Boolean, {
    description: 'The domain has a usable MX record, or no MX record and an address that accepts mail instead (RFC 5321).',
  })
  mxValid!: boolean;
  @Field(() => EmailVerdictEnum, { description: 'Whether mail to the address can be delivered.' }) verdict!: EmailVerdict;
  @Field(() => UndeliverableReasonEnum, { nullable: true, description: 'Why it is undeliverable; null for another verdict.' })
  reason!: UndeliverableReason | null;
  @Field(() => [MailServerType], {
    description: 'In order of preference. The domain itself if mail goes to its own address; empty if it accepts no mail.',
  })
  mailServers!: readonly MailServer[];
  @Field(() => Boolean, { description: 'The domain, or one above it, is a known throwaway provider.' }) disposable!: boolean;
  @Field(() => Boolean, { description: 'The domain is a known provider of mailboxes for consumers; never a throwaway one.' })
  freeProvider!: boolean;
  @Field(() => Boolean, { description: 'A mailbox of a function, such as ventas@ or no-reply@, not of a person.' }) roleAccount!: boolean;
  @Field(() => Boolean, { description: 'The part before the @ is not ASCII: only servers with SMTPUTF8 take it.' }) smtpUtf8!: boolean;
  @Field(() => String, { description: 'What is after the last @, as people read it; empty where there is none.' }) domain!: string;
  @Field(() => String, { nullable: true, description: 'The domain in ASCII (A-labels); null where malformed or an IP address.' })
  asciiDomain!: string | null;
  @Field(() => String, { nullable: true, description: 'The domain that was probably meant; null where nothing looks wrong.' })
  suggestion!: string | null;
  @Field(() => FreshnessType, { description: "How old the DNS's answer is." }) freshness!: FreshnessType;
}

@Resolver()
export class EmailResolver {
  @Cost(5)
  @Access('validate')
  @Query(() => EmailValidationType, {
    nullable: true,
    description: 'Module validate. Malformed is an answer. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT or SOURCE_UNAVAILABLE.',
  })
  async validateEmail(
    @Arg('email', () => String, { description: 'E-mail address; blanks around it are trimmed.' }) email: string,
    @Ctx() ctx: RequestContext,
  ): Promise<EmailValidationType> {
    return check(await ctx.ask(emailLoader, email));
  }
}
