import { Args, Ctx, Field, FieldResolver, ID, Int, ObjectType, Query, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Country } from '../../../domain/company.ts';
import { parseCursor, toCursor } from '../../../domain/paging.ts';
import { Access } from '../../../graphql/access.ts';
import { SourceStatusType } from '../../../graphql/account.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { defineEnum, SourceNameEnum } from '../../../graphql/enums.ts';
import { cacheKey } from '../../../graphql/relay.ts';
import { DateTimeScalar } from '../../../graphql/scalars.ts';
import { type HeldChange, observationKey, type QuarantineReason } from '../domain/change.ts';
import { CONFIRM_AFTER_MS } from '../domain/mass-change.ts';
import { heldChangesLoader } from '../loader.ts';
import { FieldChangeType, inEnumWords } from './types.ts';

const HeldReasonEnum = defineEnum<QuarantineReason>('HeldReason', 'Reason for which a change is held.', {
  share: 'Too many companies changed in the same way: an operator decides.',
  blank: 'A known value was lost: a second check decides, an hour later at the earliest.',
});

@ObjectType('HeldChange', {
  description: 'A change of a company that was observed and is not reported yet. It may be an error of the source.',
  simpleResolvers: true,
})
class HeldChangeType {
  @Field(() => ID, { description: cacheKey('held changes') }) readonly id: string;
  @Field(() => CompanyType, { description: 'The company.' }) readonly company: CompanyType;
  @Field(() => SourceNameEnum, { description: 'The registry or list that said so.' }) readonly source: HeldChange['source'];
  @Field(() => HeldReasonEnum, { description: 'Reason for which it is held.' }) readonly reason: QuarantineReason;
  @Field(() => [FieldChangeType], { description: 'The fields that would change, at least one.' })
  readonly changedFields: readonly FieldChangeType[];
  @Field(() => DateTimeScalar, { description: 'When it was first observed.' }) readonly heldAt: number;
  @Field(() => DateTimeScalar, { nullable: true, description: 'From when a check may confirm it; null where an operator decides.' })
  readonly confirmableAt: number | null;

  constructor({ company, source, kind, reason, fields, heldAt }: HeldChange) {
    this.id = [company.country, company.taxId, observationKey({ source, kind })].join('/');
    this.company = new CompanyType(company);
    this.source = source;
    this.reason = reason;
    this.changedFields = fields.map(inEnumWords);
    this.heldAt = heldAt;
    this.confirmableAt = reason === 'blank' ? heldAt + CONFIRM_AFTER_MS : null;
  }
}

@ObjectType('HeldChangeConnection', { description: 'Held changes, by company and source.', simpleResolvers: true })
class HeldChangeConnectionType extends connectionOf('HeldChange', HeldChangeType, 'held changes') {}

@Resolver(() => SourceStatusType)
export class HeldChangesResolver {
  @Access('monitor')
  @Query(() => HeldChangeConnectionType, {
    nullable: true,
    description:
      "Held changes of the companies that the key's active monitors watch, by company and source. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.",
  })
  async heldChanges(@Args(() => PageArgs) page: PageArgs, @Ctx() ctx: RequestContext): Promise<HeldChangeConnectionType> {
    const request = pageRequestOf(page, (cursor) => {
      const [country, taxId, source] = parseCursor('held', 3, cursor);
      return { country: country as Country, taxId: taxId ?? '', source: source ?? '' };
    });
    const { items, hasMore } = await ctx.read(heldChangesLoader, { keyId: ctx.caller.keyId, ...request });
    return connect(items, {
      hasMore,
      after: page.after,
      nodeOf: (held: HeldChange) => new HeldChangeType(held),
      cursorOf: ({ company, ...of }: HeldChange) => toCursor('held', [company.country, company.taxId, observationKey(of)]),
    });
  }

  /** Adds the number of held changes to the report of a source. */
  @FieldResolver(() => Int, {
    name: 'heldChanges',
    description:
      'Changes of watched companies that this source reported and that are held: values that became empty, until a second check confirms them; changes of too many companies, until an operator decides.',
  })
  heldChangesOfSource(@Root() { extras }: SourceStatusType): number {
    return extras.heldChanges ?? 0;
  }
}
