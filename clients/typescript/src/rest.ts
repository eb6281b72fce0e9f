import type { paths } from './generated/rest.ts';
import type { CallOptions, ClientOptions } from './http.ts';
import { read, send } from './http.ts';

type Methods = 'get' | 'post' | 'patch' | 'delete';

/** Method and path of an endpoint, as the docs write them: `POST /v1/kyb`. */
export type Endpoint = {
  [Path in keyof paths & string]: {
    [Method in Methods]: paths[Path][Method] extends { responses: unknown } ? `${Uppercase<Method>} ${Path}` : never;
  }[Methods];
}[keyof paths & string];

type Operation<E extends Endpoint> = E extends `${infer Method} ${infer Path extends keyof paths & string}`
  ? paths[Path][Lowercase<Method> & Methods]
  : never;

type Part<Name extends string, Type> = [Type] extends [never]
  ? unknown
  : undefined extends Type
    ? { [N in Name]?: Type }
    : { [N in Name]: Type };
type Parameters<Op, In extends string> = Op extends { parameters: { [K in In]?: infer Values } } ? Values : never;
type Body<Op> = Op extends { requestBody: { content: { 'application/json': infer Value } } } ? Value : never;

/** Body and parameters of an endpoint. Those that it needs are required. */
export type RestOptions<E extends Endpoint> = CallOptions &
  Part<'body', Body<Operation<E>>> &
  Part<'path', Parameters<Operation<E>, 'path'>> &
  Part<'query', Exclude<Parameters<Operation<E>, 'query'>, undefined> | undefined>;

/** Reply of an endpoint: its JSON, or the text of a CSV or JSON lines file. */
export type Reply<E extends Endpoint> =
  Operation<E> extends { responses: { 200: { content: infer Content } } }
    ? Content extends { 'application/json': infer Value }
      ? Value
      : string
    : never;

/** Second argument, optional if nothing is required. */
export type Arguments<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options];

interface AnyOptions extends CallOptions {
  readonly body?: unknown;
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
}

/** Calls an endpoint of `/v1`. @throws QuipuError */
export async function callEndpoint<E extends Endpoint>(
  options: ClientOptions,
  endpoint: E,
  ...[call]: Arguments<RestOptions<E>>
): Promise<Reply<E>> {
  const { body, path = {}, query = {}, ...rest }: AnyOptions = call ?? {};
  const [method = '', template = ''] = endpoint.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const sent = { method, ...(body !== undefined && { body: JSON.stringify(body) }), ...rest };
  return (await read(options, await send(options, search ? `${filled}?${search}` : filled, sent), rest.signal)) as Reply<E>;
}
