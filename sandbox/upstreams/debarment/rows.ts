import { cnpjOf, madeUpCpf, maskedCpf, personName, type SandboxCompany } from '../../world/brazil/company.ts';
import { companies, companyByScenario } from '../../world/brazil/world.ts';

/** One row of CEIS or CNEP, in the file's wording. Dates are DD/MM/YYYY; empty for none. */
export interface Sanction {
  readonly code: number;
  /** Type of holder: `F` a person, `J` a company; empty in a few rows. */
  readonly personType: 'F' | 'J' | '';
  /** Digits (or letters) of a CNPJ or CPF. */
  readonly document: string;
  readonly name: string;
  /** Name at the tax registry; empty for people. */
  readonly legalName: string;
  readonly tradeName: string;
  readonly process: string;
  readonly category: string;
  /** Amount of the fine, such as `517662,90`; CNEP only. */
  readonly fine: string;
  readonly start: string;
  readonly end: string;
  readonly published: string;
  readonly body: Body;
  readonly basis: string;
  readonly notes: string;
}

/** A sanctioning body: its name, state (empty for federal ones) and sphere. */
type Body = readonly [name: string, state: string, sphere: 'FEDERAL' | 'ESTADUAL' | 'MUNICIPAL'];

export const BODIES = {
  town: ['Prefeitura Municipal de Lugar Nenhum (AP)', 'AP', 'MUNICIPAL'],
  state: ['Secretaria de Estado das Coisas Inventadas – SECI', 'MT', 'ESTADUAL'],
  federal: ['Ministério dos Exemplos ', '', 'FEDERAL'],
  court: ['1º Grau - Tribunal de Faz de Conta / 2ª Vara', 'SP', 'ESTADUAL'],
} as const satisfies Record<string, Body>;

export const CATEGORIES = {
  unfitForTerm: 'Declaração de Inidoneidade com prazo determinado',
  unfit: 'Declaração de Inidoneidade sem prazo determinado',
  barred: 'Impedimento/proibição de contratar com prazo determinado',
  suspension: 'Suspensão',
  fine: 'Multa',
  publication: 'Publicação extraordinária da decisão condenatória',
} as const;

/** Legal bases. Laws are joined by `;`. The text of a law may end in `;`, which gives `;;`. */
export const BASES = {
  bidding:
    'LEI 8666 - ART. 87, IV - PELA INEXECUÇÃO TOTAL OU PARCIAL DO CONTRATO A ADMINISTRAÇÃO PODERÁ APLICAR DECLARAÇÃO DE INIDONEIDADE.',
  newBidding: 'LEI 14133 - ART. 156, III - IMPEDIMENTO DE LICITAR E CONTRATAR;',
  probity: 'LEI 8429 - ART. 12 - NA HIPÓTESE DO ART. 9°, PERDA DOS BENS; NA HIPÓTESE DO ART. 10, RESSARCIMENTO INTEGRAL DO DANO',
  corruption:
    'LEI 12846 - ART. 5º, I - PROMETER, OFERECER OU DAR VANTAGEM INDEVIDA A AGENTE PÚBLICO;;LEI 12846 - ART. 6º, I - MULTA, NO VALOR DE 0,1% A 20% DO FATURAMENTO BRUTO',
  quoted:
    'LEI 8666 - ART. 87 - "PELA INEXECUÇÃO TOTAL OU PARCIAL";\r\nI - ADVERTÊNCIA;\r\nII - MULTA – NA FORMA PREVISTA;;LEI 10520 - ART. 7º',
} as const;

type Plan = Partial<Sanction> & Pick<Sanction, 'code' | 'category'>;

const DEFAULTS = {
  personType: 'J',
  fine: '',
  start: '19/10/2023',
  end: '',
  published: '23/10/2023',
  body: BODIES.federal,
  basis: BASES.newBidding,
  notes: '',
} as const;

/** A sanction on a company of the fictional world, by scenario. */
export const onCompany = (scenario: string, plan: Plan): Sanction => on(companyByScenario(scenario), plan);

/** A sanction on a company of the fictional world. */
export const on = ({ cnpj, name, tradeName }: SandboxCompany, plan: Plan): Sanction => ({
  ...DEFAULTS,
  document: cnpj,
  name,
  legalName: name,
  tradeName,
  process: `08001.${plan.code}/2021-02`,
  ...plan,
});

/** A sanction on another person or company, without the registry's names. */
export const onOther = (document: string, name: string, plan: Plan): Sanction => ({
  ...DEFAULTS,
  document,
  name,
  legalName: '',
  tradeName: '',
  process: `${plan.code}/2022`,
  ...plan,
});

/** Code of the sanction that an operator adds; unique per company. */
export const codeAdded = ({ cnpj }: SandboxCompany): number => 990_000 + companies.findIndex((company) => company.cnpj === cnpj);

const repeated = onCompany('debarred-duplicates', { code: 900_080, category: CATEGORIES.barred, end: '19/10/2033', body: BODIES.state });

const ceisCompanies: readonly Sanction[] = [
  onCompany('debarred-ceis', {
    code: 900_010,
    category: CATEGORIES.unfitForTerm,
    start: '18/07/2019',
    end: '10/07/2039',
    basis: BASES.bidding,
  }),
  onCompany('debarred-ended', { code: 900_040, category: CATEGORIES.unfit, start: '04/07/2018', end: '03/01/2019', basis: BASES.bidding }),
  onCompany('debarred-root-branch', {
    code: 900_050,
    category: CATEGORIES.barred,
    start: '05/02/2024',
    end: '05/02/2034',
    body: BODIES.state,
  }),
  onCompany('debarred-both', { code: 900_060, category: CATEGORIES.barred, end: '19/10/2032', body: BODIES.court, basis: BASES.probity }),
  onCompany('debarred-indefinite', { code: 900_070, category: CATEGORIES.unfitForTerm, end: '', published: '' }),
  repeated,
  repeated,
  repeated,
  { ...repeated, code: 900_081, process: '08001900080202102', body: BODIES.federal },
  onCompany('debarred-suspension', {
    code: 900_090,
    personType: '',
    category: CATEGORIES.suspension,
    end: '19/10/2030',
    body: BODIES.town,
  }),
  onCompany('debarred-quotes', {
    code: 900_100,
    category: CATEGORIES.barred,
    name: 'Aspas "e" Ponto & Vírgula Comércio e Serviços Ltda. – ME',
    process: 'PREGÃO N.008/2015; CONTRATO 021/2015',
    end: '19/10/2035',
    basis: BASES.quoted,
    notes: 'Publicado no mural;\r\n"átrio da Prefeitura"',
  }),
  onCompany('debarred-alphanumeric', { code: 900_110, category: CATEGORIES.barred, start: '15/09/2026', end: '15/09/2031' }),
  onCompany('debarred-closed', { code: 900_120, category: CATEGORIES.unfit, start: '01/06/2018', end: '' }),
  onCompany('worst', { code: 900_130, category: CATEGORIES.unfit, start: '09/09/2021', end: '', body: BODIES.court, basis: BASES.probity }),
];

/** Companies outside the fictional world: the majority of a real list. */
const ceisStrangers: readonly Sanction[] = Array.from({ length: 22 }, (_, i) =>
  onOther(cnpjOf(`998${String(i).padStart(5, '0')}`), `Empresa Alheia Número ${i + 1} Comércio Ltda`, {
    code: 901_000 + i,
    category: i % 3 === 0 ? CATEGORIES.unfit : CATEGORIES.barred,
    start: `0${1 + (i % 9)}/03/20${15 + (i % 10)}`,
    end: i % 4 === 0 ? '' : `0${1 + (i % 9)}/03/20${20 + (i % 10)}`,
    body: i % 2 === 0 ? BODIES.town : BODIES.state,
    basis: BASES.bidding,
  }),
);

/** Formats a masked CPF as `***.000.206-**`. */
const masked = (serial: number): string => maskedCpf(serial).replace(/^\*{3}(\d{3})(\d{3})\*\*$/, '***.$1.$2-**');

/** People, with a full CPF; masked in a few rows. */
const people: readonly Sanction[] = Array.from({ length: 22 }, (_, i) =>
  onOther(i % 7 === 6 ? masked(200 + i) : madeUpCpf(200 + i), personName(200 + i), {
    code: 902_000 + i,
    personType: 'F',
    category: CATEGORIES.barred,
    end: '19/10/2033',
    body: BODIES.court,
    basis: BASES.probity,
  }),
);

/** Documents that are neither CNPJ nor CPF, without a person type. */
const odd: readonly Sanction[] = [
  onOther('9990001', 'CONSÓRCIO ESTRANGEIRO SEM NÚMERO', {
    code: 903_000,
    personType: '',
    category: CATEGORIES.suspension,
    end: '01/01/2027',
  }),
  onOther('999000123', 'PROCESSO 1234/2019', { code: 903_001, personType: '', category: CATEGORIES.barred, end: '' }),
];

/** CEIS: companies and people barred from public contracts, in the order of the file. */
export const ceisRows: readonly Sanction[] = [...people.slice(0, 11), ...ceisCompanies, ...ceisStrangers, ...people.slice(11), ...odd];

/** Row of a company that an operator adds to CEIS. */
export const addedToCeis = (company: SandboxCompany): Sanction =>
  on(company, { code: codeAdded(company), category: CATEGORIES.barred, start: '20/11/2026', end: '20/11/2031', published: '20/11/2026' });

type DecisionPlan = Omit<Parameters<typeof onCompany>[1], 'category' | 'fine'>;

/** Creates the two rows of a decision: the fine, and its publication with `0,00`. */
const decision = (scenario: string, fine: string, plan: DecisionPlan): Sanction[] => [
  onCompany(scenario, { ...plan, category: CATEGORIES.publication, fine: '0,00', code: plan.code + 1, basis: BASES.corruption }),
  onCompany(scenario, { ...plan, category: CATEGORIES.fine, fine, basis: BASES.corruption }),
];

const cnepStrangers: readonly Sanction[] = Array.from({ length: 6 }, (_, i) =>
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
  ...cnepStrangers,
];

/** Row of a company that an operator adds to CNEP. */
export const addedToCnep = (company: SandboxCompany): Sanction =>
  on(company, { code: codeAdded(company), category: CATEGORIES.publication, fine: '0,00', start: '20/11/2026', basis: BASES.corruption });
