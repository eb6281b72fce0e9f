/** The form in which the fingerprints are written. */

export type Texts = string | readonly string[];
export type ByName = Readonly<Record<string, Texts>>;

/** What an element must have beside matching its selector: an attribute, a text; `exists` and anything else ask for no more. */
export interface RawElement {
  readonly attributes?: ByName;
  readonly text?: Texts;
}

/** A technology as the fingerprints write it: any list may be a single item. */
export interface RawFingerprint {
  readonly cats?: readonly number[];
  readonly headers?: ByName;
  readonly cookies?: ByName;
  readonly meta?: ByName;
  readonly dns?: ByName;
  readonly html?: Texts;
  readonly text?: Texts;
  readonly scripts?: Texts;
  readonly css?: Texts;
  readonly url?: Texts;
  readonly scriptSrc?: Texts;
  readonly dom?: Texts | Readonly<Record<string, RawElement>>;
  readonly implies?: Texts;
  readonly excludes?: Texts;
  readonly requires?: Texts;
  readonly requiresCategory?: number | readonly number[];
}
