import { z } from 'zod';
import type { Caller } from '../../context.ts';
import { asOfNotSupported, parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { requireDayUpToToday } from '../../loaders/registry-as-of.ts';
import { explainedIn } from '../../messages/names.ts';
import { requireModule } from '../../metering/ask.ts';
import { companyBody } from '../../rest/company-route.ts';
import { asOfDay, dateOrNull, datetime, flag } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { companyNotFound, type Owner } from './domain.ts';
import { ownerIdOf, ownersAsOfLoader, ownersLoader } from './loader.ts';
import { screenOwner } from './loaders/screened-owners.ts';
import { ownerScreening } from './loaders/screening.ts';
import { ownerReply, toOwnerReply } from './rest/owner.ts';
import { candidatesPerOwner, toOwnerScreeningReply } from './rest/screening.ts';

const optionalFlag = flag(z.boolean('Give true or false.').default(false));

/**
 * POST /v1/owners: ownership structure, today or on a day, and on request listed parties that may be the owners. 404 for an unknown
 * company, and no_record_then for a day before the first extract; 422 for a malformed CNPJ or another country; 503 while the registry fails. A list that cannot be read is named in `lists_not_checked`.
 */
export const ownersRoute = defineRoute({
  method: 'POST',
  path: '/v1/owners',
  module: 'owners',
  operationId: 'getOwners',
  summary: 'Registered owners and officers of a Brazilian company.',
  errors: [
    'UNSUPPORTED_COUNTRY',
    'SOURCE_UNAVAILABLE',
    'COMPANY_NOT_FOUND',
    'NO_RECORD_THEN',
    'AS_OF_NOT_SUPPORTED',
    'SOURCE_NOT_CONFIGURED',
  ],
  body: companyBody.extend({
    screening: optionalFlag.describe(
      'true: each owner is compared with the lists of the modules sanctions, debarment and labor that the key has; it needs at least one of them',
    ),
    include_dismissed: optionalFlag.describe(
      'With `screening`: also the candidates that the account has dismissed, each with its `dismissal`',
    ),
    as_of: asOfDay,
  }),
  reply: z.object({
    identifier: z.string(),
    company_name: z.string(),
    country: z.string(),
    owners: z.array(ownerReply),
    source: z.enum(['receita_federal']),
    checked_at: datetime,
    data_as_of: dateOrNull.optional().describe('With `as_of` only: date of the extract that answers'),
  }),
  async handle({ identifier, country, screening, include_dismissed: includeDismissed, as_of: date }, ctx) {
    const company = parseCompanyKey(requireCountry(country, ownersLoader.countries, ownersLoader.subject), identifier);
    if (screening && date !== undefined) throw asOfNotSupported('screening');
    if (screening) requireList(ctx.caller);
    const { value, freshness } = await (date === undefined
      ? ctx.ask(ownersLoader, company)
      : ctx.ask(ownersAsOfLoader, { ...company, asOf: requireDayUpToToday(date, 'as_of', ctx.now()) }));
    if (!value) throw companyNotFound(company.country);
    const maxCandidates = candidatesPerOwner(value.owners.length);
    const toReply = async (owner: Owner): Promise<z.input<typeof ownerReply>> => {
      if (!screening) return toOwnerReply(owner);
      const screened = { ...owner, id: ownerIdOf(company.taxId, owner), ofCompany: company, screenedBy: ownerScreening };
      const { candidates, ...found } = await screenOwner(screened, ctx, { includeDismissed });
      const explained = candidates?.map((candidate) => explainedIn(candidate, ctx.language)) ?? null;
      return { ...toOwnerReply(owner), screening: toOwnerScreeningReply(screened.id, { ...found, candidates: explained }, maxCandidates) };
    };
    return {
      identifier,
      company_name: value.companyName,
      country,
      owners: await Promise.all(value.owners.map(toReply)),
      source: value.source,
      checked_at: isoWithOffset(ctx.now()),
      ...(date !== undefined && { data_as_of: freshness.dataAsOf }),
    };
  },
});

/**
 * Requires the module of a list before the owners are loaded, so that a refused request is not counted.
 * @throws AppError MODULE_NOT_ENABLED when the key lacks the module of the owners, or those of all lists
 */
function requireList(caller: Caller): void {
  requireModule(caller, ownerScreening.module);
  const [first] = ownerScreening.lists;
  if (first && !ownerScreening.lists.some(({ module }) => caller.modules.has(module))) requireModule(caller, first.module);
}
