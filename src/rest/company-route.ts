import { z } from 'zod';
import type { Answer } from '../domain/answer.ts';
import { type Country, parseCompanyKey, requireCountry } from '../domain/company.ts';
import { isoWithOffset } from '../domain/time.ts';
import type { CompanyLoader } from '../loaders/loader.ts';
import type { Language } from '../messages/message.ts';
import { country, identifier } from './fields.ts';
import { defineRoute, type ModuleRoute, type Route } from './route.ts';

/** Body of an endpoint about one company. */
export const companyBody = z.object({ identifier, country }).meta({ id: 'CompanyRequest' });

/** Fields of the request that a reply repeats or depends on, and the time of the reply. */
export interface CompanyRequest {
  /** Tax id as given, without surrounding blanks. */
  readonly identifier: string;
  /** Country code in capitals. */
  readonly country: string;
  /** ISO 8601 with a numeric UTC offset. */
  readonly checkedAt: string;
  readonly language: Language;
}

interface CompanyRouteSpec<C extends Country, V, R extends z.ZodType> extends Pick<Route, 'path' | 'operationId' | 'summary'> {
  /** Loader that determines the module, the served countries and the answer. */
  readonly loader: CompanyLoader<C, V>;
  /** Schema of the body; default `companyBody`. */
  readonly body?: z.ZodType<z.output<typeof companyBody>>;
  readonly reply: R;
  /** Error codes that `toReply` throws; default none. */
  readonly errors?: Route['errors'];
  /** Converts the answer. @throws AppError COMPANY_NOT_FOUND if an unknown company is an error */
  readonly toReply: (answer: Answer<V>, request: CompanyRequest) => z.input<R>;
}

/**
 * Creates the `POST` endpoint that takes a tax id and its country and replies with the answer of one loader. The route throws AppError
 * UNSUPPORTED_COUNTRY, INVALID_INPUT and the errors of the loader.
 */
export const companyRoute = <C extends Country, V, R extends z.ZodType>({
  path,
  operationId,
  summary,
  loader,
  body = companyBody,
  reply,
  errors = [],
  toReply,
}: CompanyRouteSpec<C, V, R>): ModuleRoute =>
  defineRoute({
    method: 'POST',
    path,
    module: loader.module,
    operationId,
    summary,
    errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE', ...errors],
    body,
    reply,
    async handle({ identifier, country }, ctx) {
      const key = parseCompanyKey(requireCountry(country, loader.countries, loader.subject), identifier);
      const answer = await ctx.ask(loader, key);
      return toReply(answer, { identifier, country, checkedAt: isoWithOffset(ctx.now()), language: ctx.language });
    },
  });
