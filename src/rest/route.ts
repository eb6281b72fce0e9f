import type { z } from 'zod';
import type { RequestContext } from '../context.ts';
import type { ModuleName } from '../domain/modules.ts';

/** One endpoint of `/v1`: its shapes and how an answer becomes a reply. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** May hold parameters: `/v1/monitor/subscriptions/:id`. */
  readonly path: `/v1/${string}`;
  /** The module that the key needs; null where any key will do. Stated for the docs and a test; the gate decides. */
  readonly module: ModuleName | null;
  /** One line for the API description. */
  readonly summary: string;
  /** Of a POST its JSON body; of the others the parameters of the path, and of the query. */
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
  /** Body → reply, as checked values. @throws AppError */
  readonly handle: (body: unknown, ctx: RequestContext) => Promise<unknown>;
}

/** One that needs a module. */
export type ModuleRoute = Route & { readonly module: ModuleName };

interface RouteOf<B extends z.ZodType, R extends z.ZodType> extends Omit<Route, 'body' | 'reply' | 'handle'> {
  readonly body: B;
  readonly reply: R;
  readonly handle: (body: z.output<B>, ctx: RequestContext) => Promise<z.input<R>>;
}

/** An endpoint whose `handle` is checked against its shapes by the compiler. The server checks each body before it is called. */
export const defineRoute = <B extends z.ZodType, R extends z.ZodType, M extends ModuleName | null>(
  route: RouteOf<B, R> & { readonly module: M },
): Route & { readonly module: M } => route as unknown as Route & { readonly module: M };
