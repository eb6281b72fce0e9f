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
