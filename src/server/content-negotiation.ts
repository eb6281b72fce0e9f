import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_RESPONSE = 'application/graphql-response+json; charset=utf-8';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

type WithHeaders = Pick<FastifyRequest, 'headers'>;

/** The one of these content types that the request prefers by its `Accept` header. The first one where it accepts all alike, or none. */
function preferred(request: WithHeaders, first: string, ...others: readonly string[]): string {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*') return first; // most programs, without parsing anything
  return new Negotiator(acceptOf(request)).mediaType([first, ...others]) ?? first;
}

/** Negotiator compares media types with their case. */
const acceptOf = ({ headers: { accept } }: WithHeaders) => ({ headers: accept === undefined ? {} : { accept: accept.toLowerCase() } });

/** Content type of a GraphQL response that is JSON: `application/graphql-response+json` where the request prefers it. */
export const graphqlContentType = (request: WithHeaders): string => preferred(request, JSON_TYPE, GRAPHQL_RESPONSE);

/** Returns true for a request that prefers an event stream over JSON, also for queries. */
export const prefersEventStream = (request: FastifyRequest): boolean =>
  preferred(request, JSON_TYPE, GRAPHQL_RESPONSE, EVENT_STREAM) === EVENT_STREAM;

/**
 * Returns true for a request that names event streams as acceptable: its subscriptions are answered with one. A wildcard does not count,
 * because a client that does not know event streams would wait for the end of the response.
 */
export const acceptsEventStream = (request: FastifyRequest): boolean =>
  new Negotiator(acceptOf(request)).mediaTypes().includes('text/event-stream');

/** Returns true for a request that prefers a page over JSON, as browsers do. */
export const prefersHtml = (request: FastifyRequest): boolean => preferred(request, JSON_TYPE, HTML) === HTML;
