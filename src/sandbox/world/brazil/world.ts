import { changingCompanies } from './companies/changing.ts';
import { clean, fillerCompanies } from './companies/clean.ts';
import { institutions } from './companies/institutions.ts';
import { listed } from './companies/listed.ts';
import { owned } from './companies/owned.ts';
import { registrationStatuses } from './companies/registration-status.ts';
import type { SandboxCompany } from './company.ts';

/** Every Brazilian establishment of the sandbox, the unknown ones included. All of it is invented; roots begin with 99. */
export const companies: readonly SandboxCompany[] = [
  ...clean,
  ...institutions,
  ...fillerCompanies,
  ...registrationStatuses,
  ...listed,
  ...owned,
  ...changingCompanies,
];

/** The scenarios, in the order of the docs. */
export const SCENARIOS: readonly string[] = companies.map(({ scenario }) => scenario);

const byScenario = new Map(companies.map((company) => [company.scenario, company]));
const byCnpj = new Map(companies.map((company) => [company.cnpj, company]));

/** @throws Error for an unknown scenario */
export function companyByScenario(scenario: string): SandboxCompany {
  const company = byScenario.get(scenario);
  if (!company) throw new Error(`no such scenario: ${scenario}`);
  return company;
}

/** Returns the establishment of a bare CNPJ, also one that no registry has; undefined for an unknown CNPJ. */
export const companyByCnpj = (cnpj: string): SandboxCompany | undefined => byCnpj.get(cnpj);
