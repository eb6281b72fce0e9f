import { clean } from './companies/clean.ts';
import { crowd } from './companies/crowd.ts';
import { institutions } from './companies/institutions.ts';
import { listed } from './companies/listed.ts';
import { living } from './companies/living.ts';
import { owned } from './companies/owned.ts';
import { standing } from './companies/standing.ts';
import type { SandboxCompany } from './company.ts';

/** Every Brazilian establishment of the sandbox, the unknown ones included. All of it is invented; roots begin with 99. */
export const companies: readonly SandboxCompany[] = [...clean, ...institutions, ...crowd, ...standing, ...listed, ...owned, ...living];

/** The stories, in the order of the docs. */
export const STORIES: readonly string[] = companies.map(({ story }) => story);

const byStory = new Map(companies.map((company) => [company.story, company]));
const byCnpj = new Map(companies.map((company) => [company.cnpj, company]));

/** @throws Error for a story that is not told */
export function companyByStory(story: string): SandboxCompany {
  const company = byStory.get(story);
  if (!company) throw new Error(`no such story: ${story}`);
  return company;
}

/** The establishment of a bare CNPJ, whoever knows it. */
export const companyByCnpj = (cnpj: string): SandboxCompany | undefined => byCnpj.get(cnpj);
