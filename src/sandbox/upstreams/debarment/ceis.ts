import type { SandboxCompany } from '../../world/brazil/company.ts';
import { cnpjOf, madeUpCpf, maskedCpf, personName } from '../../world/brazil/people.ts';
import { BASES, BODIES, CATEGORIES, codeAdded, on, onCompany, onOther, type Sanction } from './sanction.ts';

const repeated = onCompany('debarred-duplicates', { code: 900_080, category: CATEGORIES.barred, end: '19/10/2033', body: BODIES.state });

const companies: readonly Sanction[] = [
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

/** Companies that are no part of the world: most of any real list. */
const strangers: readonly Sanction[] = Array.from({ length: 22 }, (_, i) =>
  onOther(cnpjOf(`998${String(i).padStart(5, '0')}`), `Empresa Alheia Número ${i + 1} Comércio Ltda`, {
    code: 901_000 + i,
    category: i % 3 === 0 ? CATEGORIES.unfit : CATEGORIES.barred,
    start: `0${1 + (i % 9)}/03/20${15 + (i % 10)}`,
    end: i % 4 === 0 ? '' : `0${1 + (i % 9)}/03/20${20 + (i % 10)}`,
    body: i % 2 === 0 ? BODIES.town : BODIES.state,
    basis: BASES.bidding,
  }),
);

/** `***.000.206-**` */
const masked = (serial: number): string => maskedCpf(serial).replace(/^\*{3}(\d{3})(\d{3})\*\*$/, '***.$1.$2-**');

/** People: their CPFs come in full, in a few rows masked. */
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
export const ceisRows: readonly Sanction[] = [...people.slice(0, 11), ...companies, ...strangers, ...people.slice(11), ...odd];

/** The row of a company that an operator puts on CEIS. */
export const addedToCeis = (company: SandboxCompany): Sanction =>
  on(company, { code: codeAdded(company), category: CATEGORIES.barred, start: '20/11/2026', end: '20/11/2031', published: '20/11/2026' });
