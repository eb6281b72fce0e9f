import { companyId, type WatchedCompany } from './model.ts';

/**
 * Prefix of the storage key of the watched companies' answers, by API key. They are stored because reading them again would count on the
 * key's plan.
 */
const STORED = 'quipu.companies.';
/** Part of the key that changes with the shape of the answers, so that answers of an older page are read again. */
const SHAPE = '2.';
const KEPT_MS = 86_400_000;
const MOST = 2_000;

/**
 * Returns the companies that this browser read with the key in the last 24 h. An answer of the future, which a clock that was set back
 * leaves, would pass for newer than all that follow, so it is read again.
 */
export function readKept(keyId: string, now = Date.now()): readonly WatchedCompany[] {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED + SHAPE + keyId) ?? '[]') as readonly WatchedCompany[];
    return kept.filter((company) => company.readAt !== null && now - company.readAt < KEPT_MS && knownAt(company) <= now);
  } catch {
    return [];
  }
}

/** Returns the moment (epoch ms) of the newest knowledge about a company, its candidates and its owners. */
const knownAt = ({ readAt, comparedAt, decidedAt, ownersDecidedAt }: WatchedCompany): number =>
  Math.max(readAt ?? 0, comparedAt ?? 0, decidedAt ?? 0, ownersDecidedAt ?? 0);

/** A decision that waits is read anew, because a second person may approve or reject it at any time. */
const withoutWaiting = (company: WatchedCompany): WatchedCompany => ({
  ...company,
  candidates: company.candidates?.map((one) => ({ ...one, waitingDecision: null })) ?? null,
});

/**
 * Stores answers of which no check failed. A company that changed, or whose verdict lacks a check, is read again at the next visit. A
 * verdict of which every check answered is stored if it is partial, too: it stays so while the service has no list of Chilean tax debtors.
 * An answer that another tab stored stays if it is newer.
 */
export function keep(keyId: string, companies: Iterable<WatchedCompany>): void {
  const answered = [...companies].filter(
    ({ readAt, nameGap, verdict, isOutdated }) =>
      readAt !== null && nameGap !== 'REGISTRY' && !isOutdated && (!verdict || verdict.sourcesFailed.length === 0),
  );
  try {
    const stored = new Map(readKept(keyId).map((company) => [companyId(company), company]));
    const newest = answered.slice(0, MOST).map((company) => {
      const other = stored.get(companyId(company));
      return other && knownAt(other) > knownAt(company) ? other : withoutWaiting(company);
    });
    localStorage.setItem(STORED + SHAPE + keyId, JSON.stringify(newest));
  } catch {
    localStorage.removeItem(STORED + SHAPE + keyId); // if there is no space, nothing is stored instead of old data
  }
}

export function forgetKept(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(STORED)) localStorage.removeItem(name);
}
