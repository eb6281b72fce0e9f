import { nitCheckDigit } from '../../src/domain/tax-id.ts';

/** A Colombian company of the fictional world, as far as procurement, the register and the lists need it. */
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
  colombian('co-consortium', '999000009', 'CONSORCIO PUENTES DE PAPEL', 'Has a contract and no registration: consortia never register.'),
  colombian('co-cancelled', '999002001', 'FERRETERIA DEL AYER LTDA', 'Its registration was cancelled by a merger.'),
  colombian('co-law-cancelled', '999002002', 'ALMACEN OLVIDADO LTDA', 'Cancelled by law 1429, long after its last renewal.'),
  colombian('co-not-renewed', '999002003', 'SIN RENOVAR S.A.S.', 'Active, and not renewed for seven years.'),
  colombian(
    'co-several-rows',
    '999002004',
    'FABRICA DE TRES CAMARAS S.A.',
    'Registered at three chambers: one active, one cancelled, one never assigned.',
  ),
  colombian(
    'co-moved',
    '999002005',
    'TRASLADOS DEL VALLE LTDA',
    'Moved to another chamber: its former registration is cancelled, it is not.',
  ),
  colombian('co-mojibake', '999002006', 'COMPAÑÍA NARIÑENSE DE CAFÉ S.A.S.', 'Its names were stored in a wrong charset.'),
  colombian(
    'co-foreign-branch',
    '999002007',
    'IMAGINARY HOLDINGS INC SUCURSAL COLOMBIA',
    'The branch of a foreign company: the only registration that it has.',
  ),
  colombian(
    'co-branch-left',
    '999002008',
    'CASA MATRIZ CERRADA S.A.',
    'Its branch is active, its own registration is cancelled: active, not verified.',
  ),
  colombian('co-never-registered', '999002009', 'FUNDACION SIN MATRICULA', 'The chamber knows it and states that it is not registered.'),
  colombian('co-old-card', '999002010', 'TARJETA VIEJA LTDA', 'An old card that was never assigned: inactive.'),
  colombian('co-unknown-state', '999002011', 'ESTADO NUEVO S.A.S.', 'Its state is a text that nobody knows: a failed source.'),
  colombian(
    'co-other-column',
    '999002012',
    'NUMERO EN OTRA COLUMNA LTDA',
    'The register prints its NIT as the number of the document only.',
  ),
  colombian('co-impossible-dates', '999002013', 'FECHAS IMPOSIBLES S.A.S.', 'Cancelled, and none of its dates exists.'),
  colombian('co-company-representative', '999002014', 'GERENCIADA POR OTRA S.A.S.', 'Its legal representative is a company.'),
  colombian(
    'co-fined',
    '999003001',
    'OBRAS INCUMPLIDAS S.A.S.',
    'Fined as a contractor on SECOP I, once printed with its check digit, and on SECOP II: low, with a reason without a level.',
  ),
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
