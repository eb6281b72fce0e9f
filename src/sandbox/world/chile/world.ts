import type { ChileanCompany } from './company.ts';
import { crowd } from './crowd.ts';
import { told } from './scenarios.ts';

/** Every Chilean company of the sandbox, the unknown one included. */
export const chileans: readonly ChileanCompany[] = [...told, ...crowd];

const byStory = new Map(chileans.map((company) => [company.story, company]));
const byRut = new Map(chileans.map((company) => [company.rut, company]));

/** @throws Error for a story that is not told */
export function chileanByStory(story: string): ChileanCompany {
  const company = byStory.get(story);
  if (!company) throw new Error(`no such story: ${story}`);
  return company;
}

/** By bare RUT. */
export const chileanByRut = (rut: string): ChileanCompany | undefined => byRut.get(rut);
