import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RequestContext } from '../context.ts';
import type { ModuleName } from '../domain/catalogue.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { LimitedAction } from '../domain/plan.ts';
import type { RoleRule } from '../domain/roles.ts';
import type { Language } from '../messages/message.ts';
import type { Open } from '../service.ts';

/** A reply that is a file and not JSON. */
export class FileReply {
  /** Media type. */
  readonly type: string;
  /** File name for clients that save it: letters, digits, `_`, `-` and `.` only. */
  readonly name: string;
  readonly content: Buffer | Readable;

  constructor(file: Pick<FileReply, 'type' | 'name' | 'content'>) {
    this.type = file.type;
    this.name = file.name;
    this.content = file.content;
  }
}

/** One endpoint of `/v1`: the schemas of its input and reply, and its handler. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path, which may contain parameters: `/v1/monitor/subscriptions/:id`. */
  readonly path: `/v1/${string}`;
  /** The module that the key needs; null if any valid key is sufficient. It serves the docs and a test; `ctx.ask` enforces it. */
  readonly module: ModuleName | null;
  /** Another module that gives access to the endpoint, too. */
  readonly orModule?: ModuleName;
  /**
   * The role that the key needs for an endpoint that changes something; undefined for one that only reads or checks. A test lists the latter.
   */
  readonly role?: RoleRule;
  /** Name of the operation in the API description, from which clients generate function names: camelCase, unique, never renamed. */
  readonly operationId: string;
  /** Summary in one line for the API description. */
  readonly summary: string;
  /** Error codes of `handle`, for the API description. `errorsOf` of openapi.ts adds those of every endpoint. */
  readonly errors: readonly ErrorCode[];
  /** Schema of the input: the path parameters, with the JSON body for POST and PATCH, with the query parameters for other methods. */
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
  /**
   * Media type of the FileReply that the endpoint returns instead of JSON, if the input requests it, or always if `reply` is `z.never()`.
   */
  readonly file?: string;
  /** Maximum size of the body; default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Rate limit of a route with large bodies or replies. A token is taken before the body is read. */
  readonly rate?: LimitedAction;
  /** Returns headers of a success that depend on its reply. */
  readonly headersOf?: (reply: never) => Readonly<Record<string, string>>;
  /** Creates the reply. The server has validated the body. @throws AppError */
  readonly handle: (body: unknown, ctx: RequestContext) => Promise<unknown>;
}

/** A page that anyone may open who has its link, by a token in its path. It takes no API key. */
export interface PublicPage {
  /** Path with the parameter `:token`. */
  readonly path: `/${string}/:token`;
  /** Returns what the page shows. A GET changes nothing, because programs that check mails open every link. */
  readonly show: (token: string, open: Open) => Promise<PageContent>;
  /** Does what the link is for, and returns what the page shows then. It ignores the body. */
  readonly act: (token: string, open: Open) => Promise<PageContent>;
}

/** The content of a public page. */
export interface PageContent {
  readonly status: 200 | 404;
  /** Language of the texts. */
  readonly language: Language;
  readonly text: string;
  /** Text of the button that sends the POST; absent if there is nothing to do. */
  readonly button?: string;
}

/** An endpoint that needs a module. */
export type ModuleRoute = Route & { readonly module: ModuleName };

interface RouteOf<B extends z.ZodType, R extends z.ZodType> extends Omit<Route, 'body' | 'reply' | 'handle'> {
  readonly body: B;
  readonly reply: R;
  readonly handle: (body: z.output<B>, ctx: RequestContext) => Promise<z.input<R> | FileReply>;
}

/** A webhook that the service sends, for the description of its events. */
export interface WebhookEvent {
  /** Name of the message: PascalCase, unique, never renamed. */
  readonly name: string;
  readonly summary: string;
  /** Schema of the body. */
  readonly payload: z.ZodType;
}

/** Defines an endpoint. The compiler checks `handle` against the schemas; the server validates each body before it calls `handle`. */
export const defineRoute = <B extends z.ZodType, R extends z.ZodType, M extends ModuleName | null>(
  route: RouteOf<B, R> & { readonly module: M },
): Route & { readonly module: M } => route as unknown as Route & { readonly module: M };
