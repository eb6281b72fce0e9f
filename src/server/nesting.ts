import type { FastifyInstance } from 'fastify';
import { nestingOf } from '../domain/nesting.ts';

/** Far beyond what is ever asked for, and far from what a stack can hold. */
const MAX_NESTING = 100;

/** Refuses bodies so deep that whoever walks through them would overflow the stack. */
export function mountNesting(server: FastifyInstance): void {
  server.addHook('preValidation', async ({ body }) => {
    if (nestingOf(body) > MAX_NESTING) throw Object.assign(new Error('the body is too deep'), { code: TOO_DEEP, statusCode: 400 });
  });
}

export const TOO_DEEP = 'BODY_TOO_DEEP';
