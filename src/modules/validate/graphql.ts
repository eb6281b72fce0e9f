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
  'Verdict on the delivery of mail to an address. A DNS failure is an error, not a verdict.',
  {
    deliverable: 'Well formed, and its domain has an MX record that names a host with a public address.',
    deliverable_fallback:
      'Well formed; its domain has no MX record, but an address record, to which mail is sent instead (RFC 5321). Less certain than DELIVERABLE.',
    undeliverable: 'Well formed, but its domain accepts no mail: see `reason`.',
    malformed: 'Not an e-mail address.',
  },
);

const UndeliverableReasonEnum = defineEnum<UndeliverableReason>(
  'UndeliverableReason',
  'Reason for which mail cannot be delivered to a domain.',
  {
    no_such_domain: 'The domain does not exist.',
    refuses_mail: 'It has a null MX record (RFC 7505): it accepts no mail.',
    no_mail_server: 'Its MX records name no host that exists, or it has neither MX nor address records.',
    private_address: 'Its mail servers, or the domain itself if it has no MX record, have no addresses but private ones.',
    sends_no_mail: 'It has no MX record, and its SPF record states that it sends no mail.',
    reserved_name: 'Its name is reserved and never holds mailboxes: arpa, invalid, local, localhost, onion.',
    address_literal: 'An IP address in place of a domain: well formed, but not used for business mail.',
  },
);

@ObjectType('MailServer', { description: 'A mail server of a domain.', simpleResolvers: true })
class MailServerType implements MailServer {
  @Field(() => String, { description: 'Host name.' }) host!: string;
  @Field(() => Int, { description: 'MX preference: the lowest value is tried first.' }) preference!: number;
}

@ObjectType('EmailValidation', { description: 'Deliverability of an e-mail address, and its kind.', simpleResolvers: true })
class EmailValidationType implements EmailValidation {
  @Field(() => String, { description: 'The requested address in lower case, without surrounding blanks.' }) email!: string;
  @Field(() => Boolean, { description: 'True if the address is well formed and its domain accepts mail. This is the main result.' })
  valid!: boolean;
  @Field(() => Boolean, { description: 'Well formed by RFC 5321 and RFC 6531.' }) formatValid!: boolean;
  @Field(() => Boolean, {
    description:
      'An MX record of the domain names a host with a public address; or it has no MX record, and its own public address accepts mail instead (RFC 5321).',
  })
  mxValid!: boolean;
  @Field(() => EmailVerdictEnum, { description: 'Verdict on the delivery of mail to the address.' }) verdict!: EmailVerdict;
  @Field(() => UndeliverableReasonEnum, { nullable: true, description: 'Reason for which it is undeliverable; null for another verdict.' })
  reason!: UndeliverableReason | null;
  @Field(() => [MailServerType], {
    description: 'In order of preference. The domain itself if mail goes to its own address; empty if it accepts no mail.',
  })
  mailServers!: readonly MailServer[];
  @Field(() => Boolean, {
    description: 'The domain, or one above it, is a throwaway provider by two independent lists, or its mail goes to one.',
  })
  disposable!: boolean;
  @Field(() => Boolean, {
    description: 'The domain is a known provider of mailboxes for consumers, or its mail goes to one; never a throwaway one.',
  })
  freeProvider!: boolean;
  @Field(() => Boolean, { description: 'A mailbox of a function, such as ventas@ or no-reply@, not of a person.' }) roleAccount!: boolean;
  @Field(() => Boolean, { description: 'The part before the @ is not ASCII: only servers with SMTPUTF8 accept it.' }) smtpUtf8!: boolean;
  @Field(() => String, { description: 'The part after the last @, as people read it; empty where there is none.' }) domain!: string;
  @Field(() => String, { nullable: true, description: 'The domain in ASCII (A-labels); null where malformed or an IP address.' })
  asciiDomain!: string | null;
  @Field(() => String, {
    nullable: true,
    description: 'The domain that was probably meant; null if the domain has no typical typing error.',
  })
  suggestion!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the DNS answer.' }) freshness!: FreshnessType;
}

@Resolver()
export class EmailResolver {
  @Cost(5)
  @Access('validate')
  @Query(() => EmailValidationType, {
    nullable: true,
    description:
      'Validates an e-mail address. Module validate. A malformed address is an answer, not an error. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT or SOURCE_UNAVAILABLE.',
  })
  async validateEmail(
    @Arg('email', () => String, { description: 'E-mail address; blanks around it are trimmed.' }) email: string,
    @Ctx() ctx: RequestContext,
  ): Promise<EmailValidationType> {
    return check(await ctx.ask(emailLoader, email));
  }
}
