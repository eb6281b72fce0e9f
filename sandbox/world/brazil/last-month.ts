import { person, type SandboxCompany } from './company.ts';
import { companies } from './world.ts';

type Earlier = (company: SandboxCompany) => Partial<SandboxCompany> | null;

/** Scenario → its fields in the extract before the newest one; null for an establishment that was opened since then. */
const EARLIER: Readonly<Record<string, Earlier>> = {
  'clean-hotel': () => ({ name: 'HOTEL QUARTO CRESCENTE LTDA' }),
  'clean-school': ({ partners }) => ({ partners: [...(partners ?? []), person(90, 22, '2014-02-03')] }),
  'clean-software': ({ partners }) => ({ partners: (partners ?? []).slice(0, 1), capital: 20_000, size: 1 }),
  'clean-sa-open-branch-3': () => null,
  'clean-wholesale': () => ({ place: 'RECIFE' }),
  'judicial-recovery': () => ({ special: null }),
};

/** True for a company that the monthly files of the registry have. Those that change on a schedule count as newer than the files. */
export const isInMonths = ({ knownTo, schedule }: Pick<SandboxCompany, 'knownTo' | 'schedule'>): boolean =>
  knownTo !== 'none' && schedule === null;

const byCnpj = new Map(companies.map(({ cnpj, scenario }) => [cnpj, EARLIER[scenario]]));

/** Returns a company as the extract before the newest one has it; null for an establishment that this extract lacks. */
export function asOfLastMonth(company: SandboxCompany): SandboxCompany | null {
  const earlier = byCnpj.get(company.cnpj)?.(company);
  return earlier === null ? null : { ...company, ...earlier };
}
