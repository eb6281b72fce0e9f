import { Args, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { type Answer, completenessOf } from '../../../domain/answer.ts';
import type { Country } from '../../../domain/company.ts';
import { requireFirst } from '../../../domain/paging.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs } from '../../../graphql/connection.ts';
import { ListCompletenessEnum, RegistrationStatusEnum } from '../../../graphql/enums.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import type { Language } from '../../../messages/message.ts';
import { parseHoldingCursor, toHoldingCursor } from '../domain/holding-cursors.ts';
import type { Holding, HoldingCursor, Holdings } from '../domain/holdings.ts';
import { NOT_FILED, type OwnershipShare } from '../domain/share.ts';
import { HOLDING_COUNTRIES, holdingsLoader } from '../loaders/holdings.ts';
import { OwnershipShareType } from './share.ts';

@ObjectType('Holding', { description: 'A company in which an owner is registered, with the role of the owner.', simpleResolvers: true })
class HoldingType implements Omit<Holding, 'taxId' | 'position'> {
  @Field(() => CompanyType, { description: 'The company, by the CNPJ of its head office or by its RUT.' }) company!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Legal name; null if the registry has none.' }) name!: string | null;
  @Field(() => RegistrationStatusEnum, {
    nullable: true,
    description: 'ACTIVE or INACTIVE: registration of the head office; null if the files of the registry have none.',
  })
  status!: Holding['status'];
  @Field(() => String, { description: "The registry's word for the role of the owner, e.g. `Sócio`; empty if it states none." })
  role!: string;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  since!: string | null;
  @Field(() => OwnershipShareType, { description: 'Share of the owner. CL: as declared to the tax registry; not filed elsewhere.' })
  share!: OwnershipShare;
}

@ObjectType('HoldingConnection', { description: 'Companies in which an owner is registered, by CNPJ.', simpleResolvers: true })
export class HoldingConnectionType extends connectionOf('Holding', HoldingType, 'companies of an owner') {
  @Field(() => Boolean, {
    description: 'False if the registry has no company with the tax id of the owner; a page without companies is then not counted.',
  })
  companyKnown!: boolean;
  @Field(() => ListCompletenessEnum, { description: 'PARTIAL if companies may be missing.' }) completeness!: 'complete' | 'partial';
  @Field(() => String, { nullable: true, description: 'Reason for which companies may be missing; null for a complete list.' })
  reason!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the answer; `dataAsOf` is the date of the extract of the registry.' })
  freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class HoldingsResolver {
  @Served(HOLDING_COUNTRIES)
  @Access('owners')
  @FieldResolver(() => HoldingConnectionType, {
    nullable: true,
    description:
      'Companies of which this company is an owner or officer, by CNPJ: one item for each role and date of entry. BR needs the own copy of the registry; CL is answered with shares from the file of owners. Module owners, BR and CL. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, SOURCE_NOT_CONFIGURED (the service has no copy) or SOURCE_UNAVAILABLE.',
  })
  async owns(
    @Root() company: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<HoldingConnectionType> {
    const request = { first: requireFirst(page.first), after: page.after ? parseHoldingCursor(company, page.after) : null };
    const { value, freshness } = await ctx.ask(holdingsLoader, { company, ...request });
    return toHoldingConnection({ value, freshness }, company.country, { after: page.after, language: ctx.language }, (position) =>
      toHoldingCursor(company, position),
    );
  }
}

/** @param after cursor of the request for the page */
export function toHoldingConnection(
  { value, freshness }: Answer<Holdings>,
  country: Country,
  { after, language }: { readonly after: string | null; readonly language: Language },
  cursorOf: (position: HoldingCursor) => string,
): HoldingConnectionType {
  const { items, hasMore, companyKnown, reason } = value;
  const connection = connect(items, {
    hasMore,
    after,
    nodeOf: (one) => toHoldingType(one, country),
    cursorOf: ({ position }) => cursorOf(position),
  });
  return Object.assign(connection, { companyKnown, completeness: completenessOf(reason), reason: reason?.in(language) ?? null, freshness });
}

const toHoldingType = ({ taxId, name, status, role, since, share = NOT_FILED }: Holding, country: Country): HoldingType => ({
  company: new CompanyType({ country, taxId }),
  name,
  status,
  role,
  since,
  share,
});
