import type { CompanyKey } from '../../domain/company.ts';

/** Method by which an owner was determined: set by an operator, the registrant in the domain registry, or the site's own pages. */
export type OwnerMethod = 'known' | 'rdap' | 'site';

/**
 * Reason for which no company was determined for a domain. `not_registered`: its registry has no such domain. `no_such_name`: it is not in
 * the DNS. `person`: a natural person holds it. `robots`: the site's robots.txt disallows reading. `not_named`: no page names an eligible
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
  /** Confidence from 0 to 1. */
  readonly confidence: number;
  /** Mention with the highest weight. */
  readonly evidence: Evidence;
}

/** Result of a lookup of a domain's owner. */
export interface DomainOwner {
  /** Registrable domain, in A-labels. */
  readonly domain: string;
  /** The owner; null when no company was determined, for the cause in `reason`. */
  readonly company: CompanyKey | null;
  /** Confidence from 0 to 1: 1 when set by an operator, 0.95 for a registrant, up to 0.95 for a site; 0 without a company. */
  readonly confidence: number;
  readonly method: OwnerMethod;
  /** Evidence; null when set by an operator, and without a company. */
  readonly evidence: Evidence | null;
  /** Companies named on the site's pages, including the owner, at most 5, the most likely ones first. */
  readonly candidates: readonly Candidate[];
  readonly reason: Unresolved | null;
}

/** Place of a tax id on a page: in its structured data, beside a label in its footer or elsewhere, or beside a company's name alone. */
export type SightingKind = 'structured' | 'footer' | 'label' | 'unlabelled';

/** A tax id on a page. */
export interface Sighting {
  /** Bare, valid tax id of a company. */
  readonly taxId: string;
  readonly kind: SightingKind;
  /** True in a sentence about another company, such as the one that made or hosts the site. */
  readonly credit: boolean;
  /** Words around the tax id. Personal data are removed. */
  readonly snippet: string;
}

/** Tax ids found on one page. */
export interface PageSightings {
  /** URL of the page, after redirects. */
  readonly url: string;
  readonly title: string;
  readonly sightings: readonly Sighting[];
}
