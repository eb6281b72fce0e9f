import type { FastifyInstance } from 'fastify';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { type Clock, DAY_MS, isoWithOffset } from '../domain/time.ts';
import type { Message } from '../messages/message.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Route } from '../rest/route.ts';

/** Paths of the API besides the endpoints of `/v1`. */
const OTHER_PATHS = ['/graphql', '/mcp', '/docs', '/dashboard', '/status', '/openapi.json', '/healthz', '/readyz'];
/** Maximum length of a path that is compared with endpoints. A longer path is not a typing error. */
const MAX_COMPARED = 100;

/** Returns a function that creates the hint for an unknown path. The hint names the path that was probably meant. */
export function createPathHint(routes: readonly Route[]): (url: string) => Message {
  const paths = [...new Set(routes.map(({ path }) => path)), ...OTHER_PATHS];
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const [best] = path.length > MAX_COMPARED ? [] : suggestionList(path, paths);
    return best ? requestMessages.otherPath({ path: best }) : requestMessages.noPath();
  };
}

/** Mounts `GET /v1`, the list of endpoints with the addresses of their descriptions. It needs no key. */
export function mountEndpoints(server: FastifyInstance, routes: readonly Route[]): void {
  const list = {
    documentation: '/docs/api-rest',
    openapi: '/openapi.json',
    endpoints: routes.map(({ method, path, summary, module }) => ({ method, path, summary, module })),
  };
  server.get('/v1', async (_, reply) => reply.header('cache-control', 'public, max-age=60').send(list));
}

const SECURITY_POLICY = 'https://github.com/quipu/quipu/security';

/** Mounts `/.well-known/security.txt` (RFC 9116), which states where to report a vulnerability. */
export function mountSecurityContact(server: FastifyInstance, now: Clock): void {
  server.get('/.well-known/security.txt', async (_, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        [
          `Contact: ${SECURITY_POLICY}/advisories/new`,
          `Policy: ${SECURITY_POLICY}/policy`,
          `Expires: ${isoWithOffset(now() + 180 * DAY_MS)}`,
          'Preferred-Languages: en, es, pt',
          '',
        ].join('\n'),
      ),
  );
}
