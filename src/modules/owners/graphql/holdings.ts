import { Args, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import type { Answer } from '../../../domain/answer.ts';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import { isIsoDate } from '../../../domain/time.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs, parseCursor, requireFirst, toCursor } from '../../../graphql/connection.ts';
import { ListCompletenessEnum, RegistrationStatusEnum } from '../../../graphql/enums.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import type { Language, Localized } from '../../../messages/message.ts';
import { operationMessages } from '../../../messages/operations.ts';
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

export const completenessOf = (reason: Localized | null): 'complete' | 'partial' => (reason === null ? 'complete' : 'partial');

/** Encodes a position in the list of a company. */
export const toHoldingCursor = ({ taxId }: CompanyKey, position: HoldingCursor): string =>
  toListCursor('holding', cnpjRoot(taxId), position);

/** @throws AppError INVALID_INPUT for a text that is no cursor of the list of this company */
export const parseHoldingCursor = ({ taxId }: CompanyKey, cursor: string): HoldingCursor =>
  parseListCursor('holding', cnpjRoot(taxId), cursor);

/** Encodes a position in the other companies of an owner. @param ownerId public id of the owner */
export const toOtherCursor = (ownerId: string, position: HoldingCursor): string => toListCursor('other_company', ownerId, position);

/** @throws AppError INVALID_INPUT for a text that is no cursor of the list of this owner */
export const parseOtherCursor = (ownerId: string, cursor: string): HoldingCursor => parseListCursor('other_company', ownerId, cursor);

/** Encodes a position in a list. @param list identifies the list among those of its kind */
const toListCursor = (kind: string, list: string, { root, role, since }: HoldingCursor): string =>
  toCursor(kind, [list, root, role === null ? null : String(role), since]);

/** @throws AppError INVALID_INPUT for a text that is no cursor of this list */
function parseListCursor(kind: string, list: string, cursor: string): HoldingCursor {
  const [ofList, root, role = null, since = null] = parseCursor(kind, 4, cursor);
  const isValid =
    ofList === list && /^[\dA-Z]{8}$/.test(root ?? '') && /^\d{1,2}$/.test(role ?? '0') && (since === null || isIsoDate(since));
  if (!isValid || !root) throw invalidInput('after', operationMessages.notACursor());
  return { root, role: role === null ? null : Number(role), since };
}
