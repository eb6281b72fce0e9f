export type { Change, ChangeOptions } from './changes.ts';
export { createClient, type QuipuClient } from './client.ts';
export { type ErrorCode, type GraphqlError, QuipuError } from './error.ts';
export { keys, possibleTypes, typePolicies } from './generated/caches.ts';
export * from './generated/graphql.ts';
export type { components, operations, paths } from './generated/rest.ts';
export type { CallOptions, ClientOptions } from './http.ts';
export type { Endpoint, Reply, RestOptions } from './rest.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhook.ts';
