import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { cnpjOf, madeUpCpf, personName, type SandboxCompany } from '../../world/brazil/company.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import type { Published, SimulatedReply, Simulator } from '../simulator.ts';

/** One decision of the court. Dates are DD/MM/YYYY. */
interface Decision {
  readonly name: string;
  readonly type: 'CNPJ' | 'CPF';
  /** Formatted number; null for a foreign company. */
  readonly number: string | null;
  readonly serial: number;
  readonly finalOn: string;
  readonly endsOn: string;
}

const decision = (
  { cnpj, name }: Pick<SandboxCompany, 'cnpj' | 'name'>,
  serial: number,
  [finalOn, endsOn]: readonly [string, string] = ['24/06/2025', '24/06/2030'],
): Decision => ({ name, type: 'CNPJ', number: formatCnpj(cnpj), serial, finalOn, endsOn });
const of = (scenario: string, serial: number, dates?: readonly [string, string]): Decision =>
  decision(companyByScenario(scenario), serial, dates);

const strangers: readonly Decision[] = Array.from({ length: 30 }, (_, i) =>
  decision({ cnpj: cnpjOf(`995${String(i).padStart(5, '0')}`), name: `FORNECEDORA ALHEIA NÚMERO ${i + 1} LTDA` }, 200 + i),
);

const decisions: readonly Decision[] = [
  of('unfit-tcu', 1),
  of('unfit-tcu', 1), // the API repeats some records
  of('unfit-tcu', 2, ['01/02/2026', '01/02/2031']),
  of('unfit-tcu-ended', 3, ['17/08/2018', '17/08/2023']),
  of('lists-all', 4),
  { name: 'IMAGINARY SECURITY LLC', type: 'CNPJ', number: null, serial: 5, finalOn: '06/03/2026', endsOn: '06/03/2031' },
  {
    name: personName(401),
    type: 'CPF',
    number: madeUpCpf(401).replace(/^(\d{3})(\d{3})(\d{3})/, '$1.$2.$3-'),
    serial: 6,
    finalOn: '06/03/2025',
    endsOn: '06/03/2030',
  },
  ...strangers,
];

const processOf = (serial: number): string => `0${11 + (serial % 80)}.${String(700 + serial).slice(0, 3)}/2022-${serial % 10}`;

const toRecord = ({ name, type, number, serial, finalOn, endsOn }: Decision): string =>
  JSON.stringify({
    numeroProcessoFormatado: processOf(serial),
    nome: name,
    tipoRegistro: type,
    numeroRegistro: number,
    municipio: number === null ? null : 'LUGAR NENHUM',
    uf: number === null ? null : 'AP',
    numeroAcordaoFormatado: `${1_000 + serial}/2024-PL`,
    dataAcordao: '24/04/2024',
    dataTransitoEmJulgado: finalOn,
    dataFinalSancao: endsOn,
    linkDeliberacoesProcesso: 'https://example.invalid/a',
    linkAcompanhamentoProcesso: 'https://example.invalid/b',
    codigoProcesso: 70_000_000 + serial,
    seProcessoGestao: 'S',
  });

const toCells = ({ name, number, serial, finalOn, endsOn }: Decision): string =>
  [
    name,
    number ?? '',
    'AP',
    'LUGAR NENHUM',
    processOf(serial),
    'https://example.invalid/b',
    `${1_000 + serial}/2024-PL`,
    '24/04/2024',
    'https://example.invalid/a',
    finalOn,
    endsOn,
  ].join('|');

const HEADER =
  'Nome|CPF/CNPJ|UF|Município|Processo|Link do processo|Acórdão|Data do acórdão|Link dos acórdãos|Trânsito em julgado|Data final da sanção|';

const json: Published = {
  format: 'json',
  rows: decisions.map(toRecord),
  frame: (rows) => `[${rows.join(',')}]`,
  renameRequired: (text) => text.replaceAll('"numeroRegistro"', '"registro"'),
  charset: 'utf-8',
};
const csv: Published = {
  format: 'csv',
  rows: decisions.map(toCells),
  frame: (rows) => ['sep=|', HEADER, ...rows, ''].join('\r\n'),
  renameRequired: (text) => text.replace('CPF/CNPJ', 'DOCUMENTO'),
  charset: 'windows-1252',
};

const DOCUMENTS: Readonly<Record<string, readonly [type: string, document: Published]>> = {
  '/responsaveis-inidoneos': ['application/json', json],
  '/responsaveis-inidoneos/exportar-para-csv': ['text/csv', csv],
};

/** The list of the TCU of companies declared unfit: its API and the csv of its page. Both answer POST only. */
export const tcuInidoneosSimulator: Simulator = {
  name: 'TCU_INIDONEOS',
  handle({ method, path }): SimulatedReply {
    const [type, body] = DOCUMENTS[path] ?? [];
    if (type === undefined || body === undefined) return error(404, 'Not Found');
    return method === 'POST' ? { status: 200, headers: { 'content-type': type }, body } : error(405, 'Method Not Allowed');
  },
};

const error = (status: number, message: string): SimulatedReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ status, error: message }),
});
