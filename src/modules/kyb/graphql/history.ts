import { Args, ArgsType, Ctx, Field, FieldResolver, ID, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { companyNotFound, requireCountry } from '../../../domain/company.ts';
import { parseNumberCursor, toNumberCursor } from '../../../domain/paging.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { defineEnum } from '../../../graphql/enums.ts';
import { cacheKey } from '../../../graphql/relay.ts';
import { DateScalar, DecimalScalar } from '../../../graphql/scalars.ts';
import { OwnerEntityType } from '../../owners/graphql.ts';
import {
  HISTORY_COUNTRIES,
  type HistoryChange,
  type HistoryCountry,
  type HistoryField,
  type HistoryPartner,
  historyLoader,
} from '../loaders/history.ts';
import { historyFields } from '../service/history-fields.ts';

const RegistryFieldEnum = defineEnum<HistoryField>(
  'RegistryField',
  'A field of which differences between two extracts, or files, are kept. CL: owners only.',
  {
    name: 'Legal name.',
    size: 'Size class (porte).',
    capital: 'Share capital in BRL.',
    nature: 'Legal nature.',
    status: 'Registration status of the establishment; the end of a branch is BRANCH_CLOSED.',
    activity: 'Main activity of the establishment.',
    address: 'Municipality and state of the establishment.',
    special_situation: 'Special situation, e.g. RECUPERACAO JUDICIAL.',
    partner_joined: 'A partner or officer that joined. Needs the module owners, too.',
    partner_left: 'A partner or officer that left. Needs the module owners, too.',
    partner_share: 'CL: an owner whose share of the capital changed. Needs the module owners, too.',
    branch_opened: 'An establishment of the same legal person that was opened.',
    branch_closed: 'A branch of the same legal person that was closed.',
    registered: 'The first extract with the company; CL: the first file with owners of the company.',
    removed: 'The first extract without the company; CL: the first file without owners of it, which does not say that it has none.',
  },
);

@ObjectType('RegistryPartner', { description: 'A partner or officer that joined or left, or whose share changed.', simpleResolvers: true })
class RegistryPartnerType implements HistoryPartner {
  @Field(() => String, { description: 'Name as the registry prints it, with any CPF masked; CL: empty for NATURAL_PERSONS.' })
  name!: string;
  @Field(() => String, { description: "The registry's word for the role." }) role!: string;
  @Field(() => OwnerEntityType, { description: 'Person or company.' }) entityType!: HistoryPartner['entityType'];
  @Field(() => String, { nullable: true, description: 'Masked CPF of a person, CNPJ or RUT of a company; null for most foreigners.' })
  identifier!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'Date of entry; null when the registry has none.' }) entryDate!: string | null;
  @Field(() => String, { nullable: true, description: 'Country of a foreign partner; null otherwise.' }) country!: string | null;
  @Field(() => DecimalScalar, {
    nullable: true,
    description: 'CL: percentage of the capital after the change, before it for PARTNER_LEFT; null if it is not known, and for BR.',
  })
  share!: string | null;
}

@ObjectType('RegistryChange', { description: 'A difference of a company between two extracts of its registry.', simpleResolvers: true })
class RegistryChangeType implements Omit<HistoryChange, 'seq' | 'establishment' | 'partner'> {
  @Field(() => ID, { description: cacheKey('changes of registries') }) id!: string;
  @Field(() => RegistryFieldEnum, { description: 'The field that changed.' }) field!: HistoryField;
  @Field(() => String, {
    nullable: true,
    description:
      "Previous value: the registry's words, a decimal for CAPITAL, a percentage for PARTNER_SHARE, the name of a partner that left. Null for none.",
  })
  before!: string | null;
  @Field(() => String, { nullable: true, description: 'New value, in the same forms; null for none.' }) after!: string | null;
  @Field(() => String, { nullable: true, description: 'Code of the previous value, with left zeros; null for a value without a code.' })
  beforeCode!: string | null;
  @Field(() => String, { nullable: true, description: 'Code of the new value.' }) afterCode!: string | null;
  @Field(() => CompanyType, { nullable: true, description: 'The establishment; null for a field of the legal person.' })
  establishment!: CompanyType | null;
  @Field(() => RegistryPartnerType, { nullable: true, description: 'Set for PARTNER_JOINED, PARTNER_LEFT and PARTNER_SHARE.' })
  partner!: RegistryPartnerType | null;
  @Field(() => DateScalar, { description: 'Date of the last extract with the previous value.' }) extractFrom!: string;
  @Field(() => DateScalar, { description: 'Date of the first extract with the new value.' }) extractTo!: string;
}

@ObjectType('RegistryChangeConnection', { description: 'A page of the history of a company, newest first.', simpleResolvers: true })
class RegistryChangeConnectionType extends connectionOf('RegistryChange', RegistryChangeType, 'changes') {
  @Field(() => [RegistryFieldEnum], { description: 'The fields that were requested, or all that the key may read.' })
  fields!: readonly HistoryField[];
  @Field(() => DateScalar, { description: 'Date of the first extract that was compared: earlier changes are unknown.' })
  coveredFrom!: string;
  @Field(() => DateScalar, { description: 'Date of the last extract that was compared: later changes are unknown.' }) coveredTo!: string;
  @Field(() => String, { nullable: true, description: 'CL: a sentence on the yearly files that were compared; null for BR.' })
  coverage!: string | null;
  @Field(() => String, { nullable: true, description: 'Code of the sentence: `coverage.ownersFiles`; null with it.' })
  coverageCode!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the copy of the registry.' }) freshness!: FreshnessType;
}

@ArgsType()
class HistoryArgs extends PageArgs {
  @Field(() => [RegistryFieldEnum], { nullable: true, description: 'Fields to return; all that the key may read when omitted.' })
  fields!: HistoryField[] | null;
}

@Resolver(() => CompanyType)
export class HistoryResolver {
  @Served(HISTORY_COUNTRIES)
  @Access('kyb')
  @FieldResolver(() => RegistryChangeConnectionType, {
    nullable: true,
    description:
      'Differences between the monthly extracts of the registry that the service has loaded, newest first: of the legal person, of this establishment, and opened and closed branches. CL: owners that joined or left, and their shares, between the yearly files of owners. Module kyb, changes of partners need owners, too; BR and CL. A page counts one check. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, COMPANY_NOT_FOUND, NO_RECORD_THEN, SOURCE_NOT_CONFIGURED or SOURCE_UNAVAILABLE.',
  })
  async history(
    @Root() company: CompanyType,
    @Args(() => HistoryArgs) { fields, ...page }: HistoryArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<RegistryChangeConnectionType> {
    const country = requireCountry(company.country, HISTORY_COUNTRIES, 'The history');
    const request = {
      ...pageRequestOf(page, (cursor) => parseNumberCursor('registry_change', cursor)),
      fields: historyFields(ctx, country, fields),
    };
    const { value, freshness } = await ctx.ask(historyLoader, { company: { country, taxId: company.taxId }, ...request });
    if (!value) throw companyNotFound(country, freshness.dataAsOf);
    const connection = connect(value.changes, {
      hasMore: value.hasMore,
      after: page.after,
      nodeOf: (change) => toNode(change, country),
      cursorOf: ({ seq }) => toNumberCursor('registry_change', seq),
    });
    const { coveredFrom, coveredTo, coverage } = value;
    return Object.assign(connection, {
      fields: request.fields,
      coveredFrom,
      coveredTo,
      coverage: coverage?.in(ctx.language) ?? null,
      coverageCode: coverage?.code ?? null,
      freshness,
    });
  }
}

const toNode = ({ seq, establishment, ...change }: HistoryChange, country: HistoryCountry): RegistryChangeType => ({
  ...change,
  id: Buffer.from(`RegistryChange:${seq}`).toString('base64url'),
  establishment: establishment === null ? null : new CompanyType({ country, taxId: establishment }),
});
