/**
 * Every module and what it gives, in the order of lists and help texts. A key enables modules by these names (`--modules`); a 403
 * names the missing one. The GraphQL enum, the key options, the plans and the tests read this record.
 */
export const MODULE_DESCRIPTIONS = {
  compliance_br: 'The consolidated Brazilian check.',
  enrich: 'Company profiles.',
  kyb: 'Registration at the tax registry.',
  owners: 'Ownership of Brazilian companies.',
  debarment: 'Brazilian bans from public contracts.',
  sanctions: 'International sanctions lists.',
  labor: 'The Brazilian registry of slave-analogous labour.',
  tax_health: 'Tax standing of Chilean companies.',
  tech: 'Technologies of a website.',
  tenders: 'Public procurement.',
  validate: 'Validation of e-mail addresses.',
  monitor: 'Monitoring of changes.',
} as const;
export type ModuleName = keyof typeof MODULE_DESCRIPTIONS;
export const MODULES = Object.keys(MODULE_DESCRIPTIONS) as readonly ModuleName[];
