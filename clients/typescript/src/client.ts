import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Change, type ChangeOptions, subscribeToChanges } from './changes.ts';
import { type GraphqlError, graphqlError } from './error.ts';
import { type CallOptions, type ClientOptions, read, send } from './http.ts';
import { type Arguments, callEndpoint, type Endpoint, type Reply, type RestOptions } from './rest.ts';
import { verifyWebhook } from './webhook.ts';

/** Variables of an operation, optional if none is required. */
type QueryArguments<Variables> =
  Record<never, never> extends Variables ? [variables?: Variables, options?: CallOptions] : [variables: Variables, options?: CallOptions];

export interface QuipuClient {
  /**
   * Runs a query or a mutation and returns its data.
   * @throws QuipuError if any field failed, so that a failed check is not mistaken for one without findings; its `data` has the other
   * fields
   */
  query<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    ...args: QueryArguments<Variables>
  ): Promise<Data>;
  /** Calls an endpoint of `/v1`: `rest('POST /v1/kyb', { body: { identifier, country: 'BR' } })`. @throws QuipuError */
  rest<E extends Endpoint>(endpoint: E, ...args: Arguments<RestOptions<E>>): Promise<Reply<E>>;
  /** Yields every change once, across lost connections and restarts. */
  subscribeToChanges(options?: ChangeOptions): AsyncGenerator<Change, void, undefined>;
  /** Verifies the signature of a webhook. It needs no key, and is also exported separately. */
  readonly verifyWebhook: typeof verifyWebhook;
}

/** Creates a client. It opens no connection before it is used. */
export function createClient(options: ClientOptions): QuipuClient {
  async function query<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    ...[variables, call]: QueryArguments<Variables>
  ): Promise<Data> {
    const body = JSON.stringify({ query: print(document), variables });
    const response = await send(options, '/graphql', { method: 'POST', headers: { accept: 'application/json' }, body, ...call });
    const { data, errors } = (await read(response, call?.signal)) as {
      readonly data?: Data | null;
      readonly errors?: readonly GraphqlError[];
    };
    if (errors || !data) throw graphqlError(errors ?? [], { status: response.status, data: data ?? undefined });
    return data;
  }
  return {
    query,
    rest: (endpoint, ...[call]) => callEndpoint(options, endpoint, call) as never,
    subscribeToChanges: (changes = {}) => subscribeToChanges(options, changes),
    verifyWebhook,
  };
}
