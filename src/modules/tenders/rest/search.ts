import { z } from 'zod';
import { COUNTRIES, requireCountry } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { fromDayMonthYear } from '../../../domain/time.ts';
import { country } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { clampToToday, marketplaceDay } from '../domain.ts';
import { tenderSearchLoader } from '../loaders/search.ts';
import { ATTRIBUTIONS, attribution } from './supplier.ts';

const PAGE_SIZE = 20;

const day = z.string('Give the date as text, DD/MM/YYYY.').nullish().describe('DD/MM/YYYY, in the marketplace’s own time zone');

/**
 * POST /v1/tenders/search: calls for tenders, newest first, 20 a page. A search without results is 200 with an empty list.
 * 422 other country, bad, inverted or future dates, a date range that the marketplace does not support; 503 marketplace down.
 */
export const searchRoute = defineRoute({
  method: 'POST',
  path: '/v1/tenders/search',
  module: 'tenders',
  operationId: 'searchTenders',
  summary: 'Calls for tenders, by words and dates (CL, BR, CO).',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE'],
  body: z.object({
    country,
    keyword: z
      .string('Give the keyword as text.')
      .trim()
      .max(200, 'Give at most 200 characters.')
      .nullish()
      .describe('Every word must occur in the title or the description; accents and case are ignored'),
    date_from: day,
    date_to: day,
    page: z.int('Give the page as a whole number.').min(1, 'Pages count from 1.').nullish().describe('From 1'),
  }),
  reply: z.object({
    total: z.int().describe('Results on this page'),
    results: z.array(
      z.object({
        code: z.string(),
        name: z.string(),
        status: z.string(),
        closes_at: z.string().describe('Local time without offset; empty where the marketplace states none'),
      }),
    ),
    source: z.enum(['mercadopublico', 'pncp', 'secopii']),
    attribution,
    page: z.int(),
    has_more: z.boolean(),
    coverage: z.string().nullable().describe('Which data was searched, if less than requested; null for a complete search'),
  }),
  async handle(body, ctx) {
    const requested = {
      country: requireCountry(body.country, COUNTRIES, 'Public procurement'),
      keyword: body.keyword || null,
      from: readDay(body.date_from, 'date_from'),
      to: readDay(body.date_to, 'date_to'),
    };
    const search = clampToToday(requested, marketplaceDay(requested.country, ctx.now()), { from: 'date_from', to: 'date_to' });
    const { value } = await ctx.ask(tenderSearchLoader, search);
    const page = body.page ?? 1;
    const results = value.notices.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    return {
      total: results.length,
      results: results.map(({ code, name, status, closesAt }) => ({ code, name, status, closes_at: closesAt ?? '' })),
      source: value.source,
      attribution: ATTRIBUTIONS[value.source],
      page,
      has_more: value.notices.length > page * PAGE_SIZE,
      coverage: value.coverage,
    };
  },
});

function readDay(text: string | null | undefined, field: string): string | null {
  if (!text?.trim()) return null;
  const iso = fromDayMonthYear(text);
  if (!iso) throw invalidInput(field, `${field} must be a day of the calendar, DD/MM/YYYY.`);
  return iso;
}
