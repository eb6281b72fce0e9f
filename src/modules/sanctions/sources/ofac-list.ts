import type { ListingTerms } from '../domain.ts';
import type { IdLimits } from './id-floors.ts';

/** The host to which OFAC's list service redirects a download. */
export const OFAC_DOWNLOAD_HOSTS = ['wc2h-sls-prod-public-published.s3.us-gov-west-1.amazonaws.com'] as const;

/** One of OFAC's lists. All have the same formats. */
export interface OfacList {
  /** Names of the files beside the csv of the parties. */
  readonly companions: Readonly<Record<'aliases' | 'addresses' | 'comments', string>>;
  /** Limits of the ids that a version must have; null for none. */
  readonly idLimits: IdLimits | null;
  /** Returns what the listing means for the programmes of a party; without it the property of a party is blocked. */
  readonly termsOf?: (programs: readonly string[]) => ListingTerms;
}
