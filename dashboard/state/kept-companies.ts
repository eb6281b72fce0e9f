import type { WatchedCompany } from './model.ts';

/**
 * Prefix of the storage key of the watched companies' answers, by API key. They are stored because reading them again would count on the
 * key's plan.
 */
const STORED = 'quipu.companies.';
/** Part of the key that changes with the shape of the answers, so that answers of an older page are read again. */
const SHAPE = '2.';
const KEPT_MS = 86_400_000;
const MOST = 2_000;

/** Returns the companies that this browser read with the key in the last 24 h. */
export function readKept(keyId: string, now = Date.now()): readonly WatchedCompany[] {
  try {
    const kept = JSON.parse(localStorage.getItem(STORED + SHAPE + keyId) ?? '[]') as readonly WatchedCompany[];
    return kept.filter(({ readAt }) => readAt !== null && now - readAt < KEPT_MS);
  } catch {
    return [];
  }
}

/** Stores complete answers only. A company that changed, or whose verdict lacks a source, is read again at the next visit. */
export function keep(keyId: string, companies: Iterable<WatchedCompany>): void {
  const complete = [...companies].filter(
    ({ readAt, nameGap, verdict, isOutdated }) =>
      readAt !== null && nameGap !== 'REGISTRY' && !isOutdated && (!verdict || verdict.completeness === 'COMPLETE'),
  );
  try {
    localStorage.setItem(STORED + SHAPE + keyId, JSON.stringify(complete.slice(0, MOST)));
  } catch {
    localStorage.removeItem(STORED + SHAPE + keyId); // if there is no space, nothing is stored instead of old data
  }
}

export function forgetKept(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(STORED)) localStorage.removeItem(name);
}
