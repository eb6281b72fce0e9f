import { changingCompanies } from './companies/changing.ts';
import { clean, fillerCompanies } from './companies/clean.ts';
import { groups } from './companies/groups.ts';
import { institutions } from './companies/institutions.ts';
import { listed } from './companies/listed.ts';
import { owned } from './companies/owned.ts';
import { registrationStatuses } from './companies/registration-status.ts';
import type { SandboxCompany } from './company.ts';

/** All Brazilian establishments of the sandbox, including unknown ones. All data are made up; roots begin with 99. */
export const companies: readonly SandboxCompany[] = [
  ...clean,
  ...institutions,
  ...fillerCompanies,
  ...registrationStatuses,
  ...listed,
  ...owned,
  ...groups,
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

/** A `.br` domain of the fictional world, with the data of its registry. */
export interface SandboxDomain {
  /** Registrable domain. */
  readonly domain: string;
  /** A sentence about the result of a check of this domain. */
  readonly note: string;
  /**
   * Data that the registry shows. `company`: the holder's CNPJ. `handle`: the CNPJ as the handle alone, as for public bodies. `person`: a
   * CPF. `hidden`: no number. `blocked` and `slow_down`: the registry refuses.
   */
  readonly shows: 'company' | 'handle' | 'person' | 'hidden' | 'blocked' | 'slow_down';
  readonly holder: { readonly cnpj: string; readonly name: string };
}

const held = (domain: string, scenario: string, shows: SandboxDomain['shows'], note: string): SandboxDomain => {
  const { cnpj, name } = companyByScenario(scenario);
  return { domain, note, shows, holder: { cnpj, name } };
};

/** All `.br` domains of the sandbox; any other is not registered. */
export const brazilianDomains: readonly SandboxDomain[] = [
  held('luadepapel-ficticia.com.br', 'clean', 'company', 'Held by its company, which is not the first entity named.'),
  held('arcoiris-ficticia.com.br', 'clean-micro', 'company', 'Held by a micro company.'),
  held('vagalume-ficticia.com.br', 'clean-sa-open', 'company', 'Held by a large company.'),
  held('nuvembaixa-ficticia.com.br', 'clean-size-unknown', 'company', 'Held by a company whose size is not informed.'),
  held('letras-ficticia.com.br', 'alphanumeric', 'company', 'Held by a company whose CNPJ has letters.'),
  held('cincominutos-ficticia.com.br', 'status-suspended', 'company', 'Held by a suspended company.'),
  held('naoconsta-ficticia.com.br', 'unknown', 'company', 'Held by a CNPJ that the tax registry does not know.'),
  held('imaginaria.sp.gov.br', 'clean-town-hall', 'handle', 'A public body: no public id, its CNPJ is the handle.'),
  held('tressorrisos-ficticia.com.br', 'clean-small', 'hidden', 'No number shown; its site has it in the footer.'),
  held('marshmallow-ficticia.com.br', 'clean-sa-closed', 'hidden', 'No number shown; its site has it in its privacy policy.'),
  held('semnome-ficticia.com.br', 'clean', 'hidden', 'No number shown, and none on its site.'),
  held('fulano-ficticio.com.br', 'clean', 'person', 'Held by a person.'),
  held('bloqueado-ficticio.com.br', 'clean', 'blocked', 'The registry refuses us (403).'),
  held('apressado-ficticio.com.br', 'clean', 'slow_down', 'The registry asks us to slow down (429).'),
];
