import type { CompanyKey } from '../../domain/company.ts';

/** How an owner was determined: set by an operator, from the domain registry's registrant, or from the site's own pages. */
export type OwnerMethod = 'known' | 'rdap' | 'site';

/**
 * Why no company was determined for a domain. `not_registered`: its registry has no such domain. `no_such_name`: it is not in the DNS.
 * `person`: a natural person holds it. `robots`: the site's robots.txt disallows reading. `not_named`: no page names an eligible
 * company. `ambiguous`: its pages name several, and none has enough lead.
 */
export type Unresolved = 'not_registered' | 'no_such_name' | 'person' | 'robots' | 'not_named' | 'ambiguous';

/** Evidence for an owner. */
export interface Evidence {
  /** URL of the page; null for a registrant, which comes from the registry. */
  readonly url: string | null;
  /** The words around the tax id, or the registrant's name. Personal data are removed. */
  readonly snippet: string;
  readonly kind: SightingKind | 'registrant';
}

/** A company that is mentioned on a site's pages. */
export interface Candidate {
  readonly company: CompanyKey;
  /** 0 to 1. */
  readonly confidence: number;
  /** Its mention with the highest weight. */
  readonly evidence: Evidence;
}

/** Result of a lookup of a domain's owner. */
export interface DomainOwner {
  /** Registrable domain, in A-labels. */
  readonly domain: string;
  /** Null when no company was determined; `reason` then has the cause. */
  readonly company: CompanyKey | null;
  /** 0 to 1: 1 when set by an operator, 0.95 for a registrant, up to 0.95 for a site; 0 without a company. */
  readonly confidence: number;
  readonly method: OwnerMethod;
  /** Null when set by an operator, and without a company. */
  readonly evidence: Evidence | null;
  /** Companies named on the site's pages, the likeliest first, the owner included; at most 5. */
  readonly candidates: readonly Candidate[];
  readonly reason: Unresolved | null;
}

/** Where a page has a tax id: in its structured data, beside a label in its footer or elsewhere, or beside a company's name alone. */
export type SightingKind = 'structured' | 'footer' | 'label' | 'unlabelled';

/** A tax id on a page. */
export interface Sighting {
  /** Bare, valid tax id of a company. */
  readonly taxId: string;
  readonly kind: SightingKind;
  /** True in a sentence about another company, such as the one that made or hosts the site. */
  readonly credit: boolean;
  /** The words around it; personal data are removed. */
  readonly snippet: string;
}

/** Tax ids found on one page. */
export interface PageSightings {
  /** After redirects. */
  readonly url: string;
  readonly title: string;
  readonly sightings: readonly Sighting[];
}
