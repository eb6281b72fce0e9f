import type { Caller } from '../context.ts';
import type { Country } from '../domain/company.ts';
import type { WatchTerms } from '../domain/plan.ts';
import type { Monitors } from '../modules/monitor/service/monitors.ts';

/** Tax ids by country. */
export type Portfolio = Readonly<Partial<Record<Country, readonly string[]>>>;

/**
 * Watches made-up companies for the demo key of a sandbox, one monitor a country and without a webhook, so that the dashboard shows
 * changes at the first start. Does nothing while the key watches anything.
 */
export async function ensureDemoPortfolio(monitors: Monitors, caller: Caller, portfolio: Portfolio, limits: WatchTerms): Promise<void> {
  if ((await monitors.list(caller, { first: 1, after: null })).total > 0) return;
  for (const [country, identifiers] of Object.entries(portfolio))
    await monitors.create(caller, { country, identifiers, webhookUrl: null, retryPolicy: 'none', listNews: false }, limits);
}
