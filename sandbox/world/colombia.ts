import { nitCheckDigit } from '../../src/domain/tax-id.ts';

/** A Colombian company of the fictional world, as far as procurement and the lists need it. */
export interface ColombianCompany {
  /** Short id that docs, tests and examples use, e.g. `co-supplier`. */
  readonly scenario: string;
  /** Bare NIT, including the check digit. Fictional ones begin with 9990. */
  readonly nit: string;
  readonly name: string;
  /** A sentence about the result of a query for this company. */
  readonly note: string;
}

const colombian = (scenario: string, base: string, name: string, note: string): ColombianCompany => ({
  scenario,
  nit: base + nitCheckDigit(base),
  name,
  note,
});

const TRADES = ['SUMINISTROS', 'CONSULTORES', 'CONSTRUCCIONES', 'LOGISTICA', 'ALIMENTOS'];
const PLACES = ['DEL CAUCA', 'DE LA SABANA', 'DEL CARIBE', 'DEL QUINDIO', 'DE LOS LLANOS'];

export const colombianCompanies: readonly ColombianCompany[] = [
  colombian('co-supplier', '999000001', 'SOLUCIONES LA FICCION S.A.S.', 'Thirty-odd contracts in every state, over several pages.'),
  colombian('co-supplier-dv', '999000002', 'INGENIERIA EL ESPEJISMO LTDA', 'Its contracts print the NIT with its check digit.'),
  colombian(
    'co-supplier-dotted',
    '999000003',
    'TRANSPORTES MARIPOSAS AMARILLAS S.A.',
    'Its contracts print the NIT with dots, or with a left zero.',
  ),
  colombian('co-drafts-only', '999000004', 'PAPELERIA BORRADOR S.A.S.', 'Only drafts and cancelled contracts: not orders.'),
  colombian('co-no-contracts', '999000005', 'ASESORES DEL SILENCIO S.A.S.', 'Never had a contract.'),
  colombian(
    'co-typo-value',
    '999000006',
    'EQUIPOS TRES CEROS DE MAS S.A.S.',
    'One contract of an absurd value: a typing mistake of the source.',
  ),
  colombian('co-doubled', '999000007', 'DOBLE FOLIO S.A.S.', 'The source repeats one of its rows exactly.'),
  colombian('co-undated', '999000008', 'SIN FECHA LTDA', 'A contract without a date of signature.'),
  ...Array.from({ length: 16 }, (_, i) =>
    colombian(
      `co-crowd-${i + 1}`,
      String(999_001_001 + i),
      `${TRADES[i % TRADES.length]} ${PLACES[i % PLACES.length]} ${i + 1} S.A.S.`,
      'One of many: one or two contracts.',
    ),
  ),
];

const byScenario = new Map(colombianCompanies.map((company) => [company.scenario, company]));

/** @throws Error for an unknown scenario */
export function colombianByScenario(scenario: string): ColombianCompany {
  const company = byScenario.get(scenario);
  if (!company) throw new Error(`no such scenario: ${scenario}`);
  return company;
}

/** A fictional Colombian public body that buys. */
export interface ColombianBuyer {
  readonly name: string;
  /** Nine digits, without check digit, as nearly all of them are printed. */
  readonly nit: string;
  readonly department: string;
  readonly city: string;
}

export const COLOMBIAN_BUYERS: readonly [ColombianBuyer, ...ColombianBuyer[]] = [
  { name: 'MUNICIPIO DE MACONDO', nit: '999500001', department: 'Magdalena', city: 'Macondo' },
  { name: 'E.S.E. HOSPITAL LA HOJARASCA', nit: '999500002', department: 'Caquetá', city: 'La Hojarasca' },
  { name: 'GOBERNACIÓN DE LA NIEBLA', nit: '999500003', department: 'Nariño', city: 'Páramo Alto' },
  { name: 'INSTITUTO NACIONAL DE VÍAS IMAGINARIAS', nit: '999500004', department: 'Distrito Capital de Bogotá', city: 'Bogotá' },
  { name: 'UNIVERSIDAD DEL OTRO LADO DEL RÍO', nit: '999500005', department: 'Boyacá', city: 'Orilla Vieja' },
];
