import type { SandboxCompany } from '../../world/brazil/company.ts';
import { cnpjOf, madeUpCpf, personName } from '../../world/brazil/people.ts';
import { BASES, BODIES, CATEGORIES, codeAdded, on, onCompany, onOther, type Sanction } from './sanction.ts';

type Plan = Omit<Parameters<typeof onCompany>[1], 'category' | 'fine'>;

/** One decision is two rows: the fine, and its publication, which costs `0,00`. */
const decision = (scenario: string, fine: string, plan: Plan): Sanction[] => [
  onCompany(scenario, { ...plan, category: CATEGORIES.publication, fine: '0,00', code: plan.code + 1, basis: BASES.corruption }),
  onCompany(scenario, { ...plan, category: CATEGORIES.fine, fine, basis: BASES.corruption }),
];

const strangers: readonly Sanction[] = Array.from({ length: 6 }, (_, i) =>
  onOther(cnpjOf(`997${String(i).padStart(5, '0')}`), `EMPRESA MULTADA NÚMERO ${i + 1} LTDA.`, {
    code: 911_000 + i,
    category: CATEGORIES.fine,
    fine: `${18_768 + 1_000 * i},02`,
    start: `1${i}/10/2016`,
    body: BODIES.state,
    basis: BASES.corruption,
  }),
);

/** CNEP: penalties under the anti-corruption law, in the order of the file. */
export const cnepRows: readonly Sanction[] = [
  onOther(madeUpCpf(301), personName(301), {
    code: 912_000,
    personType: 'F',
    category: CATEGORIES.publication,
    fine: '0,00',
    basis: BASES.corruption,
  }),
  onOther(madeUpCpf(301), personName(301), {
    code: 912_001,
    personType: 'F',
    category: CATEGORIES.fine,
    fine: '12000,00',
    basis: BASES.corruption,
  }),
  ...decision('debarred-cnep-fine', '517662,90', { code: 910_010, start: '03/08/2023', process: '20220061' }),
  onCompany('debarred-cnep-no-fine', {
    code: 910_020,
    category: CATEGORIES.publication,
    fine: '0,00',
    start: '01/02/2024',
    basis: BASES.corruption,
  }),
  ...decision('debarred-both', '42000,00', { code: 910_030, body: BODIES.state }),
  ...decision('worst', '808402,29', { code: 910_040, start: '19/03/2024' }),
  ...strangers,
];

/** The row of a company that an operator puts on CNEP. */
export const addedToCnep = (company: SandboxCompany): Sanction =>
  on(company, { code: codeAdded(company), category: CATEGORIES.publication, fine: '0,00', start: '20/11/2026', basis: BASES.corruption });
