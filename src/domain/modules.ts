/** What can be sold on a key. The text is the one of `--modules` and of a 403's `module`. */
export const MODULES = [
  'compliance_br',
  'enrich',
  'kyb',
  'owners',
  'debarment',
  'sanctions',
  'labor',
  'tax_health',
  'tech',
  'tenders',
  'validate',
  'monitor',
] as const;
export type ModuleName = (typeof MODULES)[number];
