import type { Knex } from 'knex';
import type { Caller, RequestContext } from '../context.ts';
import type { Loaders, ScopeOptions } from '../loaders/loader.ts';
import { createReader } from '../loaders/rows.ts';
import type { Open } from '../service.ts';
import { gateFor } from './ask.ts';

/** Makes what one request, or one event of a subscription, works with: loaders of its own, behind the caller's gate. */
export type ContextFor = (caller: Caller, requestId: string, options?: ScopeOptions) => RequestContext;

export interface ContextParts extends Pick<RequestContext, 'sources' | 'now'> {
  readonly loaders: Loaders;
  readonly open: Open;
  readonly db: Knex;
}

export const createContextFor =
  ({ loaders, open, db, sources, now }: ContextParts): ContextFor =>
  (caller, requestId, options) => ({
    requestId,
    caller,
    ...gateFor(caller, { load: loaders.scope(options), read: createReader(db), open }),
    sources,
    now,
  });
