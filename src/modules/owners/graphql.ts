import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, Field, FieldResolver, ID, Info, Int, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../context.ts';
import type { Answer } from '../../domain/answer.ts';
import { asOfNotSupported, type CompanyKey, type Country, readCompanyKey } from '../../domain/company.ts';
import { requireFirst } from '../../domain/paging.ts';
import { Access, AnswersAsOf, Served } from '../../graphql/access.ts';
import { FreshnessType, sharedObject } from '../../graphql/check.ts';
import { CompanyType } from '../../graphql/company.ts';
import { companyField, type FieldValue, KeptText } from '../../graphql/company-field.ts';
import { PageArgs } from '../../graphql/connection.ts';
import { defineEnum, RegistryMirrorEnum, SourceNameEnum } from '../../graphql/enums.ts';
import { cacheKey } from '../../graphql/relay.ts';
import { DateScalar } from '../../graphql/scalars.ts';
import type { Language } from '../../messages/message.ts';
import { SANCTIONS_LISTS, type SanctionsList } from '../sanctions/domain.ts';
import { SanctionsListEnum } from '../sanctions/graphql.ts';
import { readChosenLists } from '../sanctions/loaders/candidates.ts';
import { type AnyOwners, NO_DECLARED_OWNERS } from './domain/declared.ts';
import { parseOtherCursor, toOtherCursor } from './domain/holding-cursors.ts';
import type { ProbableIdentity } from './domain/path.ts';
import { NOT_FILED, type OwnershipShare } from './domain/share.ts';
import { NO_OFFICERS, NO_OWNERS, type Owner, type Owners } from './domain.ts';
import { HoldingConnectionType, toHoldingConnection } from './graphql/holdings.ts';
import { ProbableIdentityType } from './graphql/path.ts';
import { loadOwners, OwnerScreeningType, toOwnerScreeningType } from './graphql/screening.ts';
import { OwnershipCompositionType, OwnershipShareType, toComposition } from './graphql/share.ts';
import { ownerIdOf } from './loader.ts';
import { identityLoader, knownOwner, otherCompaniesLoader } from './loaders/holdings.ts';
import { anyOwnersAsOfLoader, OWNERS_AS_OF_COUNTRIES, ownersOrOfficersLoader } from './loaders/officers.ts';
import { isScreened, screenOwner } from './loaders/screened-owners.ts';
import { type OwnerListScreening, ownerScreening } from './loaders/screening.ts';

/** An owner in the form of its country. */
type OwnerOfAnyCountry = AnyOwners['owners'][number];

export const OwnerEntityType = defineEnum('OwnerEntityType', 'Kind of an owner.', {
  individual: 'A natural person.',
  company: 'A legal entity.',
  natural_persons:
    'All natural persons among the owners of a Chilean company together, without a name or an id. They are one owner, and no identity.',
});

@ObjectType('Owner', { description: 'One registered owner or officer.', simpleResolvers: true })
class OwnerType implements Omit<Owner, 'entityType'> {
  @Field(() => ID, { description: cacheKey('owners') }) id!: string;
  @Field(() => String, {
    description: 'Full name; CL: the RUT of a company without a name in the registry, and empty for NATURAL_PERSONS.',
  })
  name!: string;
  @Field(() => String, { description: "The registry's word for the role, e.g. `Sócio-Administrador`; CO: `Representante legal`." })
  role!: string;
  @Field(() => OwnerEntityType, { description: 'Person or company.' }) entityType!: OwnerOfAnyCountry['entityType'];
  @Field(() => String, {
    nullable: true,
    description: 'Masked CPF for an individual, full CNPJ or RUT for a company; null for most foreigners, for NATURAL_PERSONS, and for CO.',
  })
  identifier!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null where the registry has none or an impossible one.' })
  entryDate!: string | null;
  @Field(() => String, {
    nullable: true,
    description: "Country of a foreign owner, in the registry's words; null for Brazilian residents.",
  })
  country!: string | null;
  @Field(() => String, { nullable: true, description: 'Legal representative, for company owners only.' }) legalRepName!: string | null;
  @Field(() => String, { nullable: true, description: 'Role of the legal representative.' }) legalRepRole!: string | null;
  @Field(() => OwnershipShareType, { description: 'Share in the company. CL: as declared to the tax registry; not filed elsewhere.' })
  share!: OwnershipShare;

  /** The requested company, and the lists for its owners, which depend on the modules under which the company was checked. */
  readonly ofCompany!: CompanyKey;
  readonly screenedBy!: OwnerListScreening;
  /** ISO date of the requested company; null for today. */
  readonly asOf!: string | null;
}

@ObjectType('OwnersCheck', { description: 'Registered owners and officers of a company.', simpleResolvers: true })
export class OwnersCheckType implements Omit<AnyOwners, 'companyName' | 'source' | 'owners'> {
  @Field(() => String, {
    nullable: true,
    description: 'Official legal name; null when the registry has no such company, or no name of it.',
  })
  companyName!: string | null;
  @Field(() => Boolean, {
    description: 'False if the registry has no such company: `owners` is then empty, and the answer is not counted.',
  })
  companyKnown!: boolean;
  @Field(() => Boolean, {
    description:
      'False for CO, where nobody publishes the partners of companies: `owners` has the legal representative, who is an officer and not an owner, or is empty. CL: false if the file of the tax registry has no composition of the company.',
  })
  partnersPublished!: boolean;
  @Field(() => Int, { description: 'Number of owners on record; CO: of officers.' }) count!: number;
  @Field(() => [OwnerType], {
    description:
      'Owners in the order of the registry; empty when none is on record, see `companyKnown`. Of a branch without owners in its record: those of its head office.',
  })
  owners!: readonly OwnerType[];
  @Field(() => SourceNameEnum, { description: 'The registry that answered: RECEITA_FEDERAL (BR), CL_OWNERSHIP (CL) or RUES (CO).' })
  source!: AnyOwners['source'];
  @Field(() => RegistryMirrorEnum, {
    nullable: true,
    description: 'The mirror of the registry that has them; null if the registry has no such company.',
  })
  mirror!: Owners['mirror'];
  @Field(() => OwnershipCompositionType, { nullable: true, description: 'The owners as a whole, CL only; null for other countries.' })
  composition!: OwnershipCompositionType | null;
  @Field(() => FreshnessType, { description: 'Age of the answer.' }) freshness!: FreshnessType;
}

@Resolver(() => OwnerType)
export class OwnerResolver {
  @Access('any_key')
  @FieldResolver(() => CompanyType, {
    nullable: true,
    description: 'The owner as a company, if it has a CNPJ or a RUT, so that a query can select its fields; null otherwise.',
  })
  company(@Root() { entityType, identifier, ofCompany, asOf }: OwnerType): CompanyType | null {
    const key = entityType === 'company' && identifier ? readCompanyKey(ofCompany.country, identifier) : null;
    return key === null || 'problem' in key ? null : new CompanyType({ ...key, asOf });
  }

  @FieldResolver(() => OwnerScreeningType, {
    nullable: true,
    description:
      'Listed parties that may be this owner: candidates for manual review, without those that the account has dismissed. They change no check and no risk level of the company. Each list needs its module on the key: sanctions, debarment or labor. Within the consolidated check compliance_br (BR) or compliance (CL, CO) covers all. Null for NATURAL_PERSONS, who have no name to compare, and beside MODULE_NOT_ENABLED when the key has none of them.',
  })
  async screening(
    @Root() owner: OwnerType,
    @Arg('includeDismissed', () => Boolean, {
      defaultValue: false,
      description: 'True: also the candidates that the account has dismissed, each with its `dismissal`.',
    })
    includeDismissed: boolean,
    @Arg('lists', () => [SanctionsListEnum], {
      nullable: true,
      description: `The sanctions lists to compare with; without it those of the account beside ${SANCTIONS_LISTS.join(' and ')}. The other lists stay as they are. At least one, otherwise INVALID_INPUT.`,
    })
    lists: readonly SanctionsList[] | null,
    @Ctx() ctx: RequestContext,
  ): Promise<OwnerScreeningType | null> {
    if (owner.asOf !== null) throw asOfNotSupported('screening');
    const chosen = lists && readChosenLists(lists, ctx.caller.lists);
    return isScreened(owner) ? toOwnerScreeningType(await screenOwner(owner, ctx, { includeDismissed, chosen }), ctx.language) : null;
  }

  @FieldResolver(() => HoldingConnectionType, {
    nullable: true,
    description:
      'Other companies in which this owner is registered, by tax id, from the own copy of the registry (CL: from the file of owners). A person is found by the six visible digits of the CPF and the name, so the list is probable and not certain: see `identity`. Module owners. Null for an owner without an id in the registry, as most foreigners, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, SOURCE_NOT_CONFIGURED (the service has no copy) or SOURCE_UNAVAILABLE.',
  })
  async otherCompanies(
    @Root() owner: OwnerType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<HoldingConnectionType | null> {
    if (owner.asOf !== null) throw asOfNotSupported('otherCompanies');
    const known = knownOwner(owner, owner.ofCompany.country);
    if (!known) return null;
    const request = { first: requireFirst(page.first), after: page.after ? parseOtherCursor(owner.id, page.after) : null };
    const answer = await ctx.ask(otherCompaniesLoader, { company: owner.ofCompany, owner: known, ...request });
    return toHoldingConnection(answer, owner.ofCompany.country, { after: page.after, language: ctx.language }, (position) =>
      toOtherCursor(owner.id, position),
    );
  }

  @FieldResolver(() => ProbableIdentityType, {
    nullable: true,
    description:
      'Identity by which other records of a person are found, from the own copy of the registry. Module owners. Null for a company and for an owner without an id or a name, and beside an error: MODULE_NOT_ENABLED, SOURCE_NOT_CONFIGURED (the service has no copy) or SOURCE_UNAVAILABLE.',
  })
  async identity(@Root() owner: OwnerType, @Ctx() ctx: RequestContext): Promise<ProbableIdentity | null> {
    if (owner.asOf !== null) throw asOfNotSupported('identity');
    const known = knownOwner(owner, owner.ofCompany.country);
    return known && 'document' in known ? (await ctx.ask(identityLoader, known)).value : null;
  }
}

@Resolver(() => CompanyType)
export class OwnersResolver {
  @KeptText(() => ownersOrOfficersLoader)
  @AnswersAsOf(OWNERS_AS_OF_COUNTRIES)
  @Served(ownersOrOfficersLoader.countries)
  @Access('owners')
  @FieldResolver(() => OwnersCheckType, {
    nullable: true,
    description:
      'Registered owners and officers; CL: owners as declared to the tax registry, with their shares; CO: the legal representative, because partners are not published. As of an earlier date: BR, and CL by the yearly file of owners. Module owners, BR, CL and CO. Null beside an error: MODULE_NOT_ENABLED, NO_RECORD_THEN or SOURCE_UNAVAILABLE.',
  })
  owners(@Root() company: CompanyType, @Ctx() ctx: RequestContext, @Info() info: GraphQLResolveInfo): FieldValue<OwnersCheckType> {
    const { asOf } = company;
    const toObject = (answer: Answer<AnyOwners | null>) =>
      toOwnersCheck(answer, company.country, company.taxId, ownerScreening, asOf, company.country === 'CL' ? ctx.language : 'en');
    if (asOf !== null) return companyField(anyOwnersAsOfLoader, { ...company, asOf }, ctx, toObject);
    return loadOwners(ctx, info, () => companyField(ownersOrOfficersLoader, company, ctx, toObject));
  }
}

/** Owners of a company that no registry has, by country. */
const NOBODY: Readonly<Record<Country, AnyOwners>> = { BR: NO_OWNERS, CL: NO_DECLARED_OWNERS, CO: NO_OFFICERS };

/**
 * Converts owners to their GraphQL object. It returns the same object for the same answer.
 * @param language that of the sentence on coverage, which owners of CL have
 */
export const toOwnersCheck = sharedObject(
  (
    answer: Answer<AnyOwners | null>,
    country: Country,
    taxId: string,
    screenedBy: OwnerListScreening,
    asOf: string | null,
    language: Language,
  ): OwnersCheckType => {
    const ofCompany = { country, taxId };
    const idOf = (owner: OwnerOfAnyCountry) => (asOf === null ? ownerIdOf(taxId, owner) : `${ownerIdOf(taxId, owner)}:${asOf}`);
    const found = answer.value ?? NOBODY[country];
    const { owners, source, mirror, companyName } = found;
    const composition = 'composition' in found ? found.composition : null;
    return {
      owners: owners.map((owner) => ({ share: NOT_FILED, ...owner, id: idOf(owner), ofCompany, screenedBy, asOf })),
      companyName: companyName || null,
      companyKnown: found !== NOBODY[country],
      partnersPublished: source !== 'rues' && composition?.status !== 'not_published',
      count: owners.length,
      source,
      mirror,
      composition: composition && toComposition(composition, answer.freshness, language),
      freshness: answer.freshness,
    };
  },
);
