import type { ChileanCompany } from './company.ts';
import { fillerCompanies } from './crowd.ts';
import { told } from './scenarios.ts';

/** Every Chilean company of the sandbox, the unknown one included. */
export const chileanCompanies: readonly ChileanCompany[] = [...told, ...fillerCompanies];

const byScenario = new Map(chileanCompanies.map((company) => [company.scenario, company]));
const byRut = new Map(chileanCompanies.map((company) => [company.rut, company]));

/** @throws Error for a scenario that is not told */
export function chileanByScenario(scenario: string): ChileanCompany {
  const company = byScenario.get(scenario);
  if (!company) throw new Error(`no such scenario: ${scenario}`);
  return company;
}

/** By bare RUT. */
export const chileanByRut = (rut: string): ChileanCompany | undefined => byRut.get(rut);
