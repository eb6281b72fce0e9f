import { stringify } from 'csv-stringify/sync';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { isoDate } from '../../../src/domain/time.ts';
import { companyByScenario } from '../../world/brazil/world.ts';
import { brazilianDate, lastDay } from '../../world/calendar.ts';
import { foreignCompanyByScenario } from '../../world/foreign-companies.ts';
import { fileReply, type Simulator } from '../simulator.ts';

/** The header of the published file. */
const COLUMNS = [
  ...['Last Updated', 'Unique ID', 'OFSI Group ID', 'UN Reference Number', 'Name 6', 'Name 1', 'Name 2', 'Name 3', 'Name 4', 'Name 5'],
  ...['Name type', 'Alias strength', 'Title', 'Name non-latin script', 'Non-latin script type', 'Non-latin script language', 'Regime Name'],
  ...['Designation Type', 'Designation source', 'Sanctions Imposed', 'Other Information', 'UK Statement of Reasons', 'Address Line 1'],
  ...['Address Line 2', 'Address Line 3', 'Address Line 4', 'Address Line 5', 'Address Line 6', 'Address Postal Code', 'Address Country'],
  ...['Phone number', 'Website', 'Email address', 'Date Designated', 'D.O.B', 'Nationality(/ies)', 'National Identifier number'],
  ...['National Identifier additional information', 'Passport number', 'Passport additional information', 'Position', 'Gender'],
  ...['Town of birth', 'Country of birth', 'Type of entity', 'Subsidiaries', 'Parent company', 'Business registration number (s)'],
  ...['IMO number', 'Current owner/operator (s)', 'Previous owner/operator (s)', 'Current believed flag of ship', 'Previous flags'],
  ...['Type of ship', 'Tonnage of ship', 'Length of ship', 'Year Built', 'Hull identification number (HIN)'],
] as const;

type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], string>>>;

/** A party of the fictional list: the cells of all its rows, its names and its addresses. */
export interface UkListed {
  readonly cells: Cells;
  readonly names: readonly Cells[];
  /** Line and country of each address. */
  readonly addresses: readonly (readonly [line: string, country: string])[];
}

const primary = (name: string): Cells => ({ 'Name 6': name, 'Name type': 'Primary Name' });
const variation = (name: string): Cells => ({ 'Name 6': name, 'Name type': 'Primary name variation' });
export const ukAlias = (name: string, strength: 'Good' | 'Low'): Cells => ({
  'Name 6': name,
  'Name type': 'Alias',
  'Alias strength': `${strength} quality a.k.a`,
});

const FREEZE = 'Asset freeze|Trust Services Sanctions';

export const ukEntity = (
  id: string,
  name: string,
  {
    names = [],
    addresses = [],
    measures = FREEZE,
    ...cells
  }: { readonly names?: readonly Cells[]; readonly addresses?: UkListed['addresses']; readonly measures?: string } & {
    readonly registration?: string;
  },
): UkListed => ({
  cells: {
    'Unique ID': id,
    'Regime Name': 'The Imaginary (Sanctions) Regulations 2020',
    'Designation Type': 'Entity',
    'Designation source': 'UK',
    'Sanctions Imposed': measures,
    'UK Statement of Reasons': 'An invented reason,\nwith a line break and a "quote".',
    'Date Designated': '24/02/2022',
    ...(cells.registration && { 'Business registration number (s)': cells.registration }),
  },
  names: [primary(name), ...names],
  addresses,
});

const builder = companyByScenario('clean-builder');
const macondo = foreignCompanyByScenario('co-clean');

/** The fictional list, in the order of the file. */
export const ukParties: readonly UkListed[] = [
  ukEntity('FIC0001', builder.name, {
    registration: `CNPJ ${formatCnpj(builder.cnpj)}, NIRE 35999000001`,
    addresses: [['Rua dos Exemplos 3', 'Brazil']],
    names: [variation('CASTELO DE AREIA CONSTRUTORA'), ukAlias('CDA', 'Low'), ukAlias('GRUPO CASTELO DE AREIA', 'Good')],
  }),
  ukEntity('FIC0002', macondo.name, {
    registration: `NIT ${macondo.taxId.slice(0, 9)}-${macondo.taxId.slice(9)} (Colombia)`,
    addresses: [['Calle de los Ejemplos 1', 'Colombia']],
    measures: 'Director disqualification',
  }),
  ukEntity('FIC0003', 'VYDUMKA SHIPPING, LLC', {
    registration: 'INN 9900000021, OGRN 9990000000021',
    addresses: [
      ['1 Imaginary St', 'Russia'],
      ['2 Other St', 'Russia'],
    ],
    names: [variation('VYDUMKA SHIPPING LIMITED'), { 'Name 6': 'VYDUMKA SHIPPING, LLC', 'Name non-latin script': 'ООО «Выдумка Шиппинг»' }],
  }),
  ukEntity('FIC0004', companyByScenario('clean-consortium').name, { addresses: [['3 Nowhere Road', '']] }),
  {
    cells: {
      'Unique ID': 'FIC0010',
      'Regime Name': 'The Imaginary (Sanctions) Regulations 2020',
      'Designation Type': 'Individual',
      'Sanctions Imposed': 'Asset freeze|Travel Ban',
      'Date Designated': '01/03/2023',
      'D.O.B': '00/00/1975',
      'Nationality(/ies)': 'Russia',
      'Passport number': 'ZZ000002',
    },
    names: [
      { 'Name 1': 'IVAN', 'Name 2': 'IVANOVICH', 'Name 6': 'VYDUMANNY', 'Name type': 'Primary Name' },
      { 'Name 1': 'VANYA', 'Name 6': 'VYDUMANNY', 'Name type': 'Alias', 'Alias strength': 'Low quality a.k.a' },
    ],
    addresses: [],
  },
  {
    cells: {
      'Unique ID': 'FIC0020',
      'Regime Name': 'The Imaginary (Sanctions) Regulations 2020',
      'Designation Type': 'Ship',
      'Sanctions Imposed': 'Prohibition of port entry',
      'IMO number': '9990002',
      'Current believed flag of ship': 'Panama',
    },
    names: [primary('PAPER CANOE')],
    addresses: [],
  },
];

/** Returns the rows of a party: one for each name and address. */
function rowsOf({ cells, names, addresses }: UkListed, updated: string): readonly string[] {
  const places: readonly Cells[] =
    addresses.length === 0 ? [{}] : addresses.map(([line, country]) => ({ 'Address Line 1': line, 'Address Country': country }));
  return names.flatMap((name) => places.map((place) => row({ 'Last Updated': updated, ...cells, ...name, ...place })));
}

const row = (cells: Cells): string => stringify([COLUMNS.map((column) => cells[column] ?? '')], { record_delimiter: '\r\n' });

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a date as `08-Oct-2026`. */
function reportDate(ms: number): string {
  const [year, month, day] = isoDate(ms).split('-');
  return `${day}-${MONTHS[Number(month) - 1]}-${year}`;
}

const HEADER = stringify([[...COLUMNS]], { record_delimiter: '\r\n' });

const ukCsv = (rows: readonly string[], on: number): string => `\uFEFFReport Date: ${reportDate(on)}\r\n${HEADER}${rows.join('')}`;

/** Writes the list of these parties. @param on day of the report, epoch ms */
export const ukFile = (parties: readonly UkListed[], on: number): string =>
  ukCsv(
    parties.flatMap((party) => rowsOf(party, brazilianDate(on))),
    on,
  );

/** The site of the FCDO: `GET /UK-Sanctions-List.csv`, a report line before the header. The simulator publishes on Mondays and Thursdays. */
export const ukSanctionsSimulator: Simulator = {
  name: 'UK_SANCTIONS',
  handle({ path, now }) {
    if (path !== '/UK-Sanctions-List.csv') return { status: 404, body: '' };
    const version = lastDay(now, (day) => day.getUTCDay() === 1 || day.getUTCDay() === 4);
    return fileReply(
      'application/octet-stream',
      {
        format: 'csv',
        rows: ukParties.flatMap((party) => rowsOf(party, brazilianDate(version))),
        frame: (rows) => ukCsv(rows, version),
        renameRequired: (text) => text.replace('Unique ID', 'Reference'),
        charset: 'utf-8',
      },
      version,
    );
  },
};
