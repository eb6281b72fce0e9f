import type { Route } from '../../rest/route.ts';
import { executeRoute, headersOf, inputOf } from '../rest.ts';
import { JSON_TYPE, type WorkOf } from './answer.ts';

export interface ShortRestParts {
  readonly routes: readonly Route[];
}

/**
 * Paths of the routes that gain at least a quarter of their CPU time (decision 0034). Each has a short body, a JSON reply, and no rate
 * limit of its own.
 */
export const SHORT_PATHS: ReadonlySet<string> = new Set([
  '/v1/compliance-br',
  '/v1/kyb',
  '/v1/owners',
  '/v1/debarment',
  '/v1/sanctions',
  '/v1/enrich',
  '/v1/tenders',
]);

/** Returns the works of the routes that take the short path, by their path. */
export const shortRoutes = ({ routes }: ShortRestParts): readonly (readonly [string, WorkOf])[] =>
  routes.filter(isShort).map((route) => [route.path, shortRoute(route)]);

const isShort = ({ method, path }: Route): boolean => method === 'POST' && SHORT_PATHS.has(path);

/** The work of a body that the schema of the route accepts. */
const shortRoute =
  (route: Route): WorkOf =>
  (body) => {
    const input = route.body.safeParse(inputOf(route, { body, query: {}, params: {} }));
    if (!input.success) return null;
    return async (context) => {
      const reply = await executeRoute(route, input.data, context);
      return { status: 200, headers: Object.entries(headersOf(route, reply)), type: JSON_TYPE, text: JSON.stringify(reply) };
    };
  };
