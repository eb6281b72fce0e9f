/** The five checks of the consolidated check of a Brazilian company, in the order in which the API lists failed ones. */
export const CHECKS = ['kyb', 'sanctions', 'debarment', 'labor', 'owners'] as const;
export type CheckName = (typeof CHECKS)[number];

export type RiskLevel = 'low' | 'medium' | 'high';

/** Extent of the check. A `low` risk that is not `complete` does not mean that the company is clean. */
export type Completeness = 'complete' | 'partial' | 'insufficient';
