import { Args, Ctx, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { COMPLIANCE_MODULE_OF } from '../../../domain/catalogue.ts';
import { parseNumberCursor, toNumberCursor } from '../../../domain/paging.ts';
import type { SealedReceipt } from '../../../evidence/receipt.ts';
import { Access } from '../../../graphql/access.ts';
import { CompanyType } from '../../../graphql/company.ts';
import { connect, connectionOf, PageArgs, pageRequestOf } from '../../../graphql/connection.ts';
import { companyReceiptsLoaders } from '../loader.ts';
import { EvidenceType } from './evidence.ts';

@ObjectType('EvidenceConnection', { description: 'Receipts of the account about a company, newest first.', simpleResolvers: true })
class EvidenceConnectionType extends connectionOf('Evidence', EvidenceType, 'receipts') {}

@Resolver(() => CompanyType)
export class ReceiptsResolver {
  @Access(COMPLIANCE_MODULE_OF)
  @FieldResolver(() => EvidenceConnectionType, {
    nullable: true,
    description:
      'Stored receipts of consolidated checks of the company that the account requested, newest first. Module compliance_br for BR, compliance for CL and CO. They count nothing. Null beside an error: MODULE_NOT_ENABLED or INVALID_INPUT.',
  })
  async receipts(
    @Root() { country, taxId }: CompanyType,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<EvidenceConnectionType> {
    const request = pageRequestOf(page, (cursor) => parseNumberCursor('receipt', cursor));
    const loader = companyReceiptsLoaders[COMPLIANCE_MODULE_OF[country]];
    const { items, hasMore } = await ctx.read(loader, { accountId: ctx.caller.accountId, country, taxId, ...request });
    const nodeOf = (sealed: SealedReceipt) => new EvidenceType(sealed);
    const cursorOf = ({ receipt }: SealedReceipt) => toNumberCursor('receipt', receipt.sequence);
    return connect(items, { hasMore, after: page.after, nodeOf, cursorOf });
  }
}
