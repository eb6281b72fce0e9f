import type { SourceName } from '../../../domain/catalogue.ts';

/** Bases of a share, with their descriptions. */
export const SHARE_BASES = {
  not_filed: 'The registry does not publish shares: the path of control is known, and the share is not.',
  inferred_sole:
    'The owner, and each company on the path, is the only partner on record, which means 100 % of the company. Nothing is inferred for a stockholder, a limited partner and others whose role means that there are more.',
  declared: 'The share of the capital that is declared to the tax registry (CL). It says nothing about votes or control.',
  multiplied: 'The product of the declared shares along the path (CL).',
  not_declared:
    'The tax registry publishes shares (CL), and this one, or one along the path, is blank, cannot be read, or contradicts the others of its company.',
} as const;
export type ShareBasis = keyof typeof SHARE_BASES;

/** The share of an owner in a company. */
export interface OwnershipShare {
  /** Percentage as a decimal; null if it is not known. */
  readonly percent: string | null;
  readonly basis: ShareBasis;
  /** ISO date of the file that states it; null for a share that no file states. */
  readonly asOf: string | null;
  readonly source: SourceName | null;
  /** Text of the file that is no percentage, such as `10183`, because of which the share is not declared; absent for another reason. */
  readonly declaredText?: string;
}

/** The share of an owner whose registry publishes none. */
export const NOT_FILED: OwnershipShare = { percent: null, basis: 'not_filed', asOf: null, source: null };

/**
 * Returns a share of the file of the Chilean tax registry.
 * @param asOf ISO date of the file @param text text of the file that is no percentage; empty for none
 */
export const declaredShare = (percent: string | null, asOf: string | null, text = ''): OwnershipShare => ({
  percent,
  basis: percent === null ? 'not_declared' : 'declared',
  asOf,
  source: 'cl_ownership',
  ...(text !== '' && { declaredText: text }),
});
