import { z } from 'zod';
import { defineRoute } from '../../rest/route.ts';
import { emailLoader } from './loader.ts';

/** POST /v1/validate/email: a malformed address is 200 with `valid: false`. 422 for a missing or overlong text; 503 when the DNS fails. */
export const validateEmailRoute = defineRoute({
  method: 'POST',
  path: '/v1/validate/email',
  module: 'validate',
  operationId: 'validateEmail',
  summary: 'Validation of an e-mail address: its form, and the mail servers of its domain.',
  errors: ['SOURCE_UNAVAILABLE'],
  body: z.object({
    email: z.string('Give the address as text.').describe('E-mail address; blanks around it are trimmed, and it is put in lower case'),
  }),
  reply: z.object({
    email: z.string(),
    valid: z.boolean(),
    format_valid: z.boolean(),
    mx_valid: z.boolean(),
    disposable: z.boolean(),
    free_provider: z.boolean(),
    domain: z.string(),
    suggestion: z.string().nullable(),
  }),
  async handle(body, ctx) {
    const { value } = await ctx.ask(emailLoader, body.email);
    return {
      email: value.email,
      valid: value.valid,
      format_valid: value.formatValid,
      mx_valid: value.mxValid,
      disposable: value.disposable,
      free_provider: value.freeProvider,
      domain: value.domain,
      suggestion: value.suggestion,
    };
  },
});
