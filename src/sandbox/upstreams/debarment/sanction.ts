import type { SandboxCompany } from '../../world/brazil/company.ts';
import { companies, companyByScenario } from '../../world/brazil/world.ts';

/** One row of CEIS or CNEP, in the words of the file. Dates are DD/MM/YYYY, empty for none. */
export interface Sanction {
  readonly code: number;
  /** F a person, J a company; empty in a few rows. */
  readonly personType: 'F' | 'J' | '';
  /** Digits (or letters) of a CNPJ or CPF. */
  readonly document: string;
  readonly name: string;
  /** Names at the tax registry; empty for people. */
  readonly legalName: string;
  readonly tradeName: string;
  readonly process: string;
  readonly category: string;
  /** `517662,90`; CNEP only. */
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

/** Legal bases. Several laws are joined by `;` and a law's own text may end in one, hence `;;`. */
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

/** A sanction on a company of the world. */
export const onCompany = (scenario: string, plan: Plan): Sanction => on(companyByScenario(scenario), plan);

/** The same, by the company itself. */
export const on = ({ cnpj, name, tradeName }: SandboxCompany, plan: Plan): Sanction => ({
  ...DEFAULTS,
  document: cnpj,
  name,
  legalName: name,
  tradeName,
  process: `08001.${plan.code}/2021-02`,
  ...plan,
});

/** A sanction on anyone else, of whom the registry's names are not known. */
export const onOther = (document: string, name: string, plan: Plan): Sanction => ({
  ...DEFAULTS,
  document,
  name,
  legalName: '',
  tradeName: '',
  process: `${plan.code}/2022`,
  ...plan,
});

/** Code of the sanction that an operator adds: a company's own. */
export const codeAdded = ({ cnpj }: SandboxCompany): number => 990_000 + companies.findIndex((company) => company.cnpj === cnpj);
