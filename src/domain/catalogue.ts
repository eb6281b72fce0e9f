import type { NamedModule } from '../messages/module-names.ts';
import type { NamedSource } from '../messages/source-names.ts';
import { OPTIONAL_LIST_DESCRIPTIONS, optionalLists } from './optional-lists.ts';
import { SECOND_MS } from './time.ts';

/**
 * All modules with their descriptions, in the order of lists and help texts. API keys and the option `--modules` use these names; a 403
 * names the missing module. The GraphQL enum, the key options, the plans and the tests read this record.
 */
export const MODULE_DESCRIPTIONS = {
  compliance_br: 'The consolidated Brazilian check.',
  compliance: 'The consolidated check of Chilean and Colombian companies.',
  enrich: 'Company profiles.',
  kyb: 'Registration at the tax registry (CO: in the commercial register).',
  owners: 'Ownership of Brazilian and Chilean companies, legal representatives of Colombian ones.',
  debarment: 'Brazilian bans from public contracts, fines of Colombian contractors.',
  sanctions: 'International sanctions lists.',
  labor: 'The Brazilian forced-labour list.',
  tax_health: 'Tax standing of Chilean companies.',
  tech: 'Technologies of a website.',
  tenders: 'Public procurement.',
  validate: 'Validation of e-mail addresses.',
  monitor: 'Monitoring of changes.',
  screening: 'Checks of portfolios in the background.',
} as const satisfies Readonly<Record<NamedModule, string>>;
export type ModuleName = keyof typeof MODULE_DESCRIPTIONS;
export const MODULES = Object.keys(MODULE_DESCRIPTIONS) as readonly ModuleName[];

/** The module that a key needs for the consolidated check of a country. */
export const COMPLIANCE_MODULE_OF = { BR: 'compliance_br', CL: 'compliance', CO: 'compliance' } as const satisfies Readonly<
  Record<string, ModuleName>
>;
export type ComplianceModule = (typeof COMPLIANCE_MODULE_OF)[keyof typeof COMPLIANCE_MODULE_OF];

/** The sanctions lists that are searched only where a request or the account chooses them, in the order of answers. */
export const CHOSEN_SANCTIONS_LISTS = optionalLists({ check: 'sanctions' });
export type ChosenSanctionsList = (typeof CHOSEN_SANCTIONS_LISTS)[number];

/** The sanctions lists that are searched where a request chooses none, in the order of answers. */
export const SANCTIONS_LISTS = ['OFAC_SDN', 'UN_CONSOLIDATED'] as const;

/** All lists that a request can choose, in the order of answers. */
export const ALL_SANCTIONS_LISTS = [...SANCTIONS_LISTS, ...CHOSEN_SANCTIONS_LISTS] as const;

/**
 * All sources by their public name (the `source` of an answer), with their descriptions. The GraphQL enum, the CLI and the types of the
 * lists read this record.
 */
export const SOURCES = {
  receita_federal: 'Brazilian tax registry, called live or read from an own copy of its files.',
  sii: 'Chilean tax registry, a local copy of its public files.',
  cl_ownership: 'Chile: owners of companies with their shares, a local copy of the yearly file of the tax registry.',
  rues: 'Colombian commercial register, called live.',
  TAX_DEBTORS_CL: 'Chile: tax debtors, a list that the operator of the service provides.',
  mercadopublico: 'Chile: public procurement (ChileCompra).',
  pncp: 'Brazil: public procurement (national portal).',
  secopii: 'Colombia: public procurement (SECOP II).',
  rdap: 'Brazil: holders of domain names (registro.br).',
  dns: 'The domain name system, for mail servers and verification records.',
  website: "A company's own website.",
  known_domains: "Companies behind domains, set by an operator or found earlier: a table in the service's database.",
  CEIS: 'Brazil: companies barred from public contracts.',
  CNEP: 'Brazil: penalties of the anti-corruption law.',
  ...OPTIONAL_LIST_DESCRIPTIONS,
  MULTAS_SECOP_I: 'Colombia: contract fines of SECOP I; information, and no ban.',
  MULTAS_SECOP_II: 'Colombia: contract fines of SECOP II; information, and no ban.',
  TRABALHO_ESCRAVO: 'Brazil: employers found using labour analogous to slavery.',
  OFAC_SDN: 'US Treasury: Specially Designated Nationals.',
  UN_CONSOLIDATED: 'UN Security Council: consolidated list.',
} as const satisfies Readonly<Record<NamedSource, string>>;
export type SourceName = keyof typeof SOURCES;

/** The mirrors of the Brazilian tax registry, by the format of their API. */
export const MIRRORS = {
  minha_receita: 'The first mirror, in the format of minha-receita and BrasilAPI (QUIPU_RECEITA_URL).',
  opencnpj: 'The second mirror, in the format of OpenCNPJ (QUIPU_RECEITA_FALLBACK_URL): the first one failed, or had less.',
  registry_copy: 'The own copy of the files of the registry (QUIPU_RECEITA_MODE).',
} as const;
export type Mirror = keyof typeof MIRRORS;

/**
 * Maximum time in ms that one answer of a live source may take, including all its calls, retries and waits. A source that makes several
 * calls in sequence has 9 s, so that its failure or partial result is known before the limits of a check (9.5 s) and of a request
 * (QUIPU_DEADLINE, 12 s). The docs and the promises state these times.
 */
export const TIME_BUDGETS = {
  receita_federal: 9 * SECOND_MS,
  mercadopublico: 9 * SECOND_MS,
  pncp: 9 * SECOND_MS,
  secopii: 9 * SECOND_MS,
  rues: 9 * SECOND_MS,
  rdap: 6 * SECOND_MS,
  dns: 6 * SECOND_MS,
  website: 9 * SECOND_MS,
} as const satisfies Partial<Record<SourceName, number>>;
