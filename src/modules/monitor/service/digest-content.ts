import { companyKeyText } from '../../../domain/company.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import { recordText } from '../../sanctions/domain/candidate.ts';
import { REVIEW_TABLES } from '../../sanctions/store.ts';
import type { Digest, UnreadList } from '../domain/digest.ts';
import {
  type ChangeSpan,
  countWatchedByAccount,
  readChangedCompanies,
  readStoredCandidates,
  readUncheckedCompanies,
  type WatchedCounts,
} from '../store/digest.ts';
import { CHOSEN_LISTS, LISTS } from './compared-lists.ts';
import type { MonitorSettings } from './settings.ts';

export type DigestDeps = Pick<ServiceDeps, 'db' | 'use' | 'now'> & { readonly settings: Pick<MonitorSettings, 'intervalMs'> };

/** Reads the content of a mail: the changes of a span, and what could not be checked at the current time. */
export async function readDigest(deps: DigestDeps, span: ChangeSpan): Promise<Digest> {
  const { db, now, settings } = deps;
  const { companies, held, comparesNames, keptFrom, ...watched } = await countWatchedByAccount(db, span.accountId);
  const checkedSince = now() - Math.max(DAY_MS, 2 * settings.intervalMs);
  return {
    watched: companies,
    changed: await readChangedCompanies(db, span),
    unchecked: await readUncheckedCompanies(db, span.accountId, checkedSince),
    unreadLists: await readUnreadLists(deps, watched),
    held,
    openCandidates: comparesNames ? await countOpenCandidates(deps, span.accountId) : null,
    lostChanges: span.after + 1 < keptFrom,
  };
}

/** Returns the lists that the companies of an account are compared with and whose last download failed, or which were never loaded. */
async function readUnreadLists(
  { use }: Pick<DigestDeps, 'use'>,
  { countries, chosenLists }: Pick<WatchedCounts, 'countries' | 'chosenLists'>,
): Promise<readonly UnreadList[]> {
  const compared = [...LISTS, ...CHOSEN_LISTS.filter(({ list }) => chosenLists.includes(list))].filter(({ country }) =>
    country === null ? countries.length > 0 : countries.includes(country),
  );
  const sources = [...new Set(compared.map(({ source }) => source))];
  const states = await Promise.all(sources.map((source) => use(source).status()));
  return states
    .filter(({ off, usable, lastErrorAt, lastSuccessAt }) => !off && (!usable || (lastErrorAt ?? 0) > (lastSuccessAt ?? 0)))
    .map(({ name, lastSuccessAt }) => ({ list: name, readAt: lastSuccessAt }));
}

/** Counts the candidates about which the account has decided nothing, or which have another record since. */
async function countOpenCandidates({ db }: Pick<DigestDeps, 'db'>, accountId: string): Promise<number> {
  const stored = await readStoredCandidates(db, accountId);
  if (stored.length === 0) return 0;
  const companies = [...new Map(stored.map(({ company }) => [companyKeyText(company), company])).values()];
  const queries = companies.map((company) => ({ accountId, ...company }));
  const reviews = await Promise.all(Object.values(REVIEW_TABLES).map((table) => table.ofCompanies(db, queries)));
  const decided = new Set(
    reviews
      .flat(2)
      .filter(({ ownerId }) => ownerId === null)
      .map((review) => [companyKeyText(review.company), review.list, recordText(review)].join(' ')),
  );
  return stored
    .flatMap(({ company, list, candidates }) => candidates.map((candidate) => [companyKeyText(company), list, candidate].join(' ')))
    .filter((candidate) => !decided.has(candidate)).length;
}
