import { z } from 'zod';
import type { RequestContext } from '../../../context.ts';
import { COUNTRIES, type CompanyKey, formatTaxId, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { identifier } from '../../../rest/fields.ts';
import { parseDomain } from '../../../sources/domains/domain.ts';
import { supplierByDomainLoader } from '../loaders/domain.ts';

/** Records that one REST answer lists at most; its total counts them all. GraphQL pages through the rest. */
export const MAX_RECORDS = 1_000;

/** The ways to name a supplier. The first one given is taken. */
export const supplierFields = {
  identifier: identifier.nullish(),
  rut: identifier.nullish().describe('The same as `identifier`'),
  domain: z
    .string('Give the domain as text.')
    .trim()
    .min(1, 'Give a domain.')
    .nullish()
    .describe('The company is found by its domain: .cl, .br; where no tax id is given'),
};

export interface SupplierBody {
  readonly identifier?: string | null;
  readonly rut?: string | null;
  readonly domain?: string | null;
}

/** A supplier, and its tax id as the caller wrote it; as people write it where it was found by domain. */
export interface Supplier {
  readonly key: CompanyKey;
  readonly written: string;
}

/**
 * The supplier that a body names. `country` is the one asked for; null for Chile, or the domain's own.
 * @throws AppError INVALID_INPUT, UNSUPPORTED_COUNTRY, DOMAIN_NOT_RESOLVED, SOURCE_UNAVAILABLE
 */
export async function supplierOf(body: SupplierBody, country: string | null, ctx: RequestContext): Promise<Supplier> {
  const served = requireCountry(country ?? 'CL', COUNTRIES, 'Public procurement');
  const written = body.identifier ?? body.rut;
  if (written) {
    const field = body.identifier ? 'identifier' : 'rut';
    return { key: parseCompanyKey(served, written, field), written };
  }
  if (!body.domain) throw invalidInput('identifier', 'Give the identifier (or rut) of the company, or its domain.');
  if (served === 'CO') {
    throw new AppError('UNSUPPORTED_COUNTRY', 'A company is found by its domain for CL and BR only; give its NIT.', { field: 'domain' });
  }
  const { domain, start } = parseDomain(body.domain);
  const family = `.${served.toLowerCase()}`;
  if (country !== null && !domain.endsWith(family)) {
    throw invalidInput('domain', `For ${served} give a domain under ${family}, or the tax id.`);
  }
  const { value: key } = await ctx.ask(supplierByDomainLoader, { domain, start });
  return { key, written: formatTaxId(key) };
}
