import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { type Change, type ChangeOptions, subscribeToChanges } from './changes.ts';
import { graphqlError } from './error.ts';
import { type SubscribeOptions, subscribe } from './event-stream.ts';
import type { CallOptions, ClientOptions } from './http.ts';
import { runOperation } from './operation.ts';
import { type Arguments, callEndpoint, type Endpoint, type Reply, type RestOptions } from './rest.ts';
import type { SubscriptionEvent } from './subscription.ts';
import { verifyWebhook } from './webhook.ts';

/** Variables of an operation, optional if none is required, and options. */
type OperationArguments<Variables, Options> =
  Record<never, never> extends Variables ? [variables?: Variables, options?: Options] : [variables: Variables, options?: Options];

export interface QuipuClient {
  /**
   * Runs a query or a mutation and returns its data.
   * @throws QuipuError if any field failed, so that a failed check is not mistaken for one without findings; its `data` has the other
   * fields
   */
  query<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    ...args: OperationArguments<Variables, CallOptions>
  ): Promise<Data>;
  /** Calls an endpoint of `/v1`: `rest('POST /v1/kyb', { body: { identifier, country: 'BR' } })`. @throws QuipuError */
  rest<E extends Endpoint>(endpoint: E, ...args: Arguments<RestOptions<E>>): Promise<Reply<E>>;
  /**
   * Yields the events of a subscription over server-sent events, and connects again after the last one. A field that failed is null in
   * `data` and named in `errors`. Store `id` after you processed an event: it is the `lastEventId` of a program that starts again.
   * @throws QuipuError that is not retryable
   */
  subscribe<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    ...args: OperationArguments<Variables, SubscribeOptions>
  ): AsyncGenerator<SubscriptionEvent<Data> & { readonly data: Data }, void, undefined>;
  /** Yields every change once, across lost connections and restarts. */
  subscribeToChanges(options?: ChangeOptions): AsyncGenerator<Change, void, undefined>;
  /** Verifies the signature of a webhook. It needs no key, and is also exported separately. */
  readonly verifyWebhook: typeof verifyWebhook;
}

/** Creates a client. It opens no connection before it is used. */
export function createClient(options: ClientOptions): QuipuClient {
  async function query<Data, Variables extends Record<string, unknown>>(
    document: TypedDocumentNode<Data, Variables>,
    ...[variables, call]: OperationArguments<Variables, CallOptions>
  ): Promise<Data> {
    const { data, errors } = await runOperation<Data>(options, { query: print(document), variables }, call);
    if (errors.length > 0 || !data) throw graphqlError(errors, { status: 200, data: data ?? undefined });
    return data;
  }
  return {
    query,
    rest: (endpoint, ...args) => callEndpoint(options, endpoint, ...args),
    subscribe: (document, ...[variables, given = {}]) => subscribe(options, { query: print(document), variables }, given),
    subscribeToChanges: (changes = {}) => subscribeToChanges(options, changes),
    verifyWebhook,
  };
}
