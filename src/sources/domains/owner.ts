import type { CompanyKey } from '../../domain/company.ts';

/** How an owner was found: an operator said so, the domain registry's registrant, or the site's own pages. */
export type OwnerMethod = 'known' | 'rdap' | 'site';

/**
 * Why a domain leads to no company. `not_registered`: its registry has no such domain. `no_such_name`: it is not in the DNS.
 * `person`: a person holds it. `robots`: its site asks robots to stay away. `not_named`: no page names a company that counts.
 * `ambiguous`: its pages name several, none clearly ahead.
 */
export type Unresolved = 'not_registered' | 'no_such_name' | 'person' | 'robots' | 'not_named' | 'ambiguous';

/** What an owner was concluded from. */
export interface Evidence {
  /** The page; null for a registrant, who stands in the registry and on no page. */
  readonly url: string | null;
  /** The words around the tax id, or the registrant's name. People's data are left out. */
  readonly snippet: string;
  readonly kind: SightingKind | 'registrant';
}

/** A company that a site's pages name. */
export interface Candidate {
  readonly company: CompanyKey;
  /** 0 to 1. */
  readonly confidence: number;
  /** Where it is named best. */
  readonly evidence: Evidence;
}

/** What is behind a domain. */
export interface DomainOwner {
  /** Registrable domain, in A-labels. */
  readonly domain: string;
  /** Null when no company could be concluded; `reason` says why. */
  readonly company: CompanyKey | null;
  /** 0 to 1: 1 for an operator's word, 0.95 for a registrant, up to 0.95 for a site; 0 without a company. */
  readonly confidence: number;
  readonly method: OwnerMethod;
  /** Null for an operator's word, and without a company. */
  readonly evidence: Evidence | null;
  /** Companies named on the site's pages, the likeliest first, the owner included; at most 5. */
  readonly candidates: readonly Candidate[];
  readonly reason: Unresolved | null;
}

/** How a page names a tax id: in its structured data, beside a label in its footer or elsewhere, or beside a company's name alone. */
export type SightingKind = 'structured' | 'footer' | 'label' | 'unlabelled';

/** A tax id on a page. */
export interface Sighting {
  /** Bare and valid, a company's. */
  readonly taxId: string;
  readonly kind: SightingKind;
  /** True in a sentence that names somebody else, such as who made or hosts the site. */
  readonly credit: boolean;
  /** The words around it, people's data left out. */
  readonly snippet: string;
}

/** What one page says of who is behind it. */
export interface PageSightings {
  /** After redirects. */
  readonly url: string;
  readonly title: string;
  readonly sightings: readonly Sighting[];
}
