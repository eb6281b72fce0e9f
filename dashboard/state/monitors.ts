import { readPrintedCompanyKey } from '../../src/domain/company.ts';
import { type Answer, type Client, requireData, requireNoError } from '../api/client.ts';
import { CancelMonitor, type Country, Monitors, WatchLess } from '../api/operations.ts';
import { companyId, type WatchedCompany } from './model.ts';

type Monitor = NonNullable<Monitors['monitors']>['nodes'][number];

/** Reads the active monitors of the key. @throws QuipuError */
export async function readMonitors(client: Client, signal?: AbortSignal): Promise<readonly Monitor[]> {
  const monitors: Monitor[] = [];
  for (let after: string | null = null; ; ) {
    const answer: Answer<Monitors> = await client.ask(Monitors, { after }, signal);
    const page: NonNullable<Monitors['monitors']> = requireData({ data: answer.data?.monitors ?? null, errors: answer.errors });
    monitors.push(...page.nodes);
    after = page.pageInfo.endCursor;
    if (!page.pageInfo.hasNextPage) return monitors;
  }
}

/**
 * Removes companies from all monitors of the key. A monitor has at least one company, so one that would lose all of them is cancelled.
 * @throws QuipuError
 */
export async function unwatchCompanies(
  client: Client,
  companies: readonly Pick<WatchedCompany, 'country' | 'identifier'>[],
): Promise<void> {
  const removed = new Set(companies.map(companyId));
  for (const { id, country, identifiers } of await readMonitors(client)) {
    const gone = identifiers.filter((text) => removed.has(idOf(country, text)));
    if (gone.length === 0) continue;
    if (gone.length === identifiers.length) requireNoError(await client.ask(CancelMonitor, { id }));
    else requireNoError(await client.ask(WatchLess, { id, identifiers: gone }));
  }
}

/** Returns the id of a company by a tax id in any spelling; empty for a text that is none. */
function idOf(country: Country, text: string): string {
  const key = readPrintedCompanyKey(country, text);
  return 'problem' in key ? '' : companyId({ country, identifier: key.taxId });
}
