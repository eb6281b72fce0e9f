import type { RequestContext } from '../../../context.ts';
import { type LogPosition, requireKept, toChangeCursor } from '../domain/log-position.ts';
import { changeLogLoader } from '../loader.ts';
import type { ChangeLogPage, ChangeLogQuery } from '../store/change-log.ts';

/** A page of the caller's change log. If `after` is null, the page begins with the oldest change that is kept. */
export interface LogRequest extends Omit<ChangeLogQuery, 'keyId' | 'after'> {
  readonly after: LogPosition | null;
}

/** Reads a page of the caller's change log. @throws AppError CURSOR_TOO_OLD, or INVALID_INPUT on `after` */
export async function readLog({ after, ...requested }: LogRequest, ctx: RequestContext): Promise<ChangeLogPage> {
  const page = await ctx.read(changeLogLoader, { keyId: ctx.caller.keyId, after: after?.position ?? null, ...requested });
  if (after) requireKept(after, page, toChangeCursor);
  return page;
}
