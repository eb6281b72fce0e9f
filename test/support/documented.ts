import { expect } from 'vitest';
import { modules } from '../../src/modules/index.ts';
import { coreRoutes } from '../../src/rest/account-routes.ts';
import { errorsOf, nameOf } from '../../tools/openapi.ts';

const routes = [...coreRoutes, ...modules.flatMap((module) => module.routes)];

/** Fails for an answer to a POST of `/v1` with an error code or a field that the API description lacks. */
export function expectDocumented(path: string, status: number, body: { readonly code?: string }): void {
  const route = routes.find((one) => one.method === 'POST' && one.path === path);
  if (!route) return;
  if (status === 200) expect(route.reply.parse(body)).toEqual(body);
  else expect(errorsOf(route).map(nameOf)).toContain(body.code);
}
