import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../context.ts';
import { Access } from '../../../graphql/access.ts';
import { parseChangeCursor, requireKept, toChangeCursor } from '../domain/log-position.ts';
import { changeCountLoader } from '../loader.ts';

@Resolver()
export class ChangesLeftResolver {
  @Access('monitor')
  @Query(() => Int, {
    nullable: true,
    description:
      'Number of changes that `changes` returns after this cursor, at most 10,000: for a client that shows how far it is behind. Null beside an error: MODULE_NOT_ENABLED, INVALID_INPUT, or CURSOR_TOO_OLD when changes after `after` have been deleted, or the service was restored to a moment before it.',
  })
  async changesLeft(
    @Arg('after', () => String, { nullable: true, description: 'Cursor of the last change received; every change when omitted.' })
    cursor: string | null,
    @Ctx() ctx: RequestContext,
  ): Promise<number> {
    const after = cursor ? parseChangeCursor(cursor) : null;
    const { count, ...head } = await ctx.read(changeCountLoader, { keyId: ctx.caller.keyId, after: after?.position ?? null });
    if (after) requireKept(after, head, toChangeCursor);
    return count;
  }
}
