import type { RequestContext } from '../../../context.ts';
import { requireKept } from '../domain/log.ts';
import { changeLogLoader } from '../loaders.ts';
import type { LogAsked, LogPage } from '../store/change-pages.ts';
import { changeCursor } from './arguments.ts';

/** A stretch of the caller's change log. @throws AppError CURSOR_TOO_OLD, or INVALID_INPUT on `after` */
export async function readLog(asked: Omit<LogAsked, 'keyId'>, ctx: RequestContext): Promise<LogPage> {
  const page = await ctx.read(changeLogLoader, { keyId: ctx.caller.keyId, ...asked });
  if (asked.after !== null) requireKept(asked.after, page, changeCursor);
  return page;
}
