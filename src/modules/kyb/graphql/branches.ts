import { Args, ArgsType, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { completenessOf } from '../../../domain/answer.ts';
import type { RegistrationStatus } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { requireFirst } from '../../../domain/paging.ts';
import { Access, Served } from '../../../graphql/access.ts';
import { FreshnessType } from '../../../graphql/check.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs } from '../../../graphql/connection.ts';
import { ListCompletenessEnum, RegistrationStatusEnum } from '../../../graphql/enums.ts';
import { DateScalar } from '../../../graphql/scalars.ts';
import { COPY_COUNTRIES } from '../../../loaders/registry-copy.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { type Branch, type BranchStatus, parseBranchCursor, toBranchCursor } from '../domain/branch.ts';
import type { RegistryTerm } from '../domain/registration.ts';
import { branchesLoader } from '../loaders/branches.ts';
import { RegistryTermType } from './registration.ts';

@ArgsType()
class BranchArgs extends PageArgs {
  @Field(() => RegistrationStatusEnum, { nullable: true, description: 'ACTIVE or INACTIVE; all branches when omitted.' })
  status!: RegistrationStatus | null;
}

@ObjectType('Branch', {
  description: 'A branch of a company. A field is null where the registry publishes no value.',
  simpleResolvers: true,
})
class BranchType implements Omit<Branch, 'taxId'> {
  @Field(() => CompanyType, { description: 'The branch as a company, by its own CNPJ.' }) company!: CompanyType;
  @Field(() => String, { nullable: true, description: 'Trade name (nome fantasia).' }) tradeName!: string | null;
  @Field(() => RegistrationStatusEnum, { description: 'ACTIVE or INACTIVE.' }) status!: BranchStatus;
  @Field(() => String, { description: 'Status in the words of the registry.' }) statusText!: string;
  @Field(() => DateScalar, { nullable: true, description: 'Since when the status is valid.' }) statusSince!: string | null;
  @Field(() => DateScalar, { nullable: true, description: 'First registration of the branch.' }) openedOn!: string | null;
  @Field(() => RegistryTermType, { nullable: true, description: 'Main activity: CNAE, seven digits.' }) mainActivity!: RegistryTerm | null;
  @Field(() => String, { nullable: true, description: 'Municipality in capitals; null abroad.' }) municipality!: string | null;
  @Field(() => String, { nullable: true, description: 'Two letters of the state (UF); null abroad.' }) region!: string | null;
}

@ObjectType('BranchConnection', { description: 'Branches of a company, by CNPJ.', simpleResolvers: true })
class BranchConnectionType extends connectionOf('Branch', BranchType, 'branches') {
  @Field(() => Boolean, { description: 'False if the registry has no such company; the page is then not counted.' }) companyKnown!: boolean;
  @Field(() => ListCompletenessEnum, { description: 'PARTIAL if branches may be missing.' }) completeness!: 'complete' | 'partial';
  @Field(() => String, { nullable: true, description: 'Reason for which branches may be missing; null for a complete list.' })
  reason!: string | null;
  @Field(() => FreshnessType, { description: 'Age of the answer; `dataAsOf` is the date of the extract of the registry.' })
  freshness!: FreshnessType;
}

@Resolver(() => CompanyType)
export class BranchesResolver {
  @Served(COPY_COUNTRIES)
  @Access('kyb')
  @FieldResolver(() => BranchConnectionType, {
    nullable: true,
    description:
      'Branches of the company, by CNPJ, without its head office; of a branch, those of the whole company. It needs the own copy of the registry. Module kyb, BR. Null for other countries, and beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, SOURCE_NOT_CONFIGURED (the service has no copy) or SOURCE_UNAVAILABLE.',
  })
  async branches(
    @Root() company: CompanyType,
    @Args(() => BranchArgs) page: BranchArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<BranchConnectionType> {
    const status = requireBranchStatus(page.status);
    const after = page.after ? parseBranchCursor(company, status, page.after) : null;
    const { value, freshness } = await ctx.ask(branchesLoader, { company, first: requireFirst(page.first), after, status });
    const { items, hasMore, companyKnown, reason } = value;
    const connection = connect(items, {
      hasMore,
      after: page.after,
      nodeOf: ({ taxId, ...branch }): BranchType => ({ ...branch, company: new CompanyType({ country: 'BR', taxId }) }),
      cursorOf: (branch) => toBranchCursor(status, branch),
    });
    const completeness = completenessOf(reason);
    return Object.assign(connection, { companyKnown, completeness, reason: reason?.in(ctx.language) ?? null, freshness });
  }
}

/** @throws AppError INVALID_INPUT for NOT_FOUND, which no branch has */
function requireBranchStatus(status: RegistrationStatus | null): BranchStatus | null {
  if (status === 'not_found') throw invalidInput('status', companyMessages.everyBranchRegistered());
  return status ?? null;
}
