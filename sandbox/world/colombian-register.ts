import { nitCheckDigit } from '../../src/domain/tax-id.ts';
import { colombianByScenario, colombianCompanies } from './colombia.ts';
import { foreignCompanies } from './foreign-companies.ts';

/** A registration of the fictional world, as far as it differs from the usual one: an active S.A.S. of Bogotá. Years count from now. */
export interface RegistrationPlan {
  /** Nine digits, without the check digit. */
  readonly base: string;
  readonly name: string;
  readonly chamber?: readonly [code: string, name: string];
  readonly state?: readonly [code: string, text: string];
  readonly category?: readonly [code: string, text: string | null];
  readonly organisation?: readonly [code: string, text: string];
  readonly registered?: string;
  /** Year of the last renewal, in years before the current one; 0 for a company that is up to date. */
  readonly renewedYearsAgo?: number;
  readonly cancelled?: string;
  readonly activities?: readonly string[];
  readonly representative?: readonly [documentClass: string, name: string];
  readonly acronym?: string;
  /** Columns that replace those of the plan. */
  readonly columns?: Readonly<Record<string, string>>;
}

const MAIN = ['01', 'SOCIEDAD ó PERSONA JURIDICA PRINCIPAL ó ESAL'] as const;
const OTHER = ['00', null] as const;
const BRANCH = ['02', 'SUCURSAL'] as const;
const ACTIVE = ['01', 'ACTIVA'] as const;
const CANCELLED = ['03', 'CANCELADA'] as const;
const CALI = ['08', 'CALI'] as const;
const BARRANQUILLA = ['03', 'BARRANQUILLA'] as const;
const LIMITED = ['03', 'SOCIEDAD LIMITADA'] as const;
const ANONYMOUS = ['04', 'SOCIEDAD ANONIMA'] as const;
const NO_REPRESENTATIVE = ['', ''] as const;

const of = (scenario: string): Pick<RegistrationPlan, 'base' | 'name'> => {
  const { nit, name } = colombianByScenario(scenario);
  return { base: nit.slice(0, -1), name };
};

/** Registrations of the scenarios about the register. */
const SPECIAL: readonly RegistrationPlan[] = [
  {
    ...of('co-cancelled'),
    state: ['03', 'MATRÍCULA CANCELADA POR FUSIÓN'],
    organisation: LIMITED,
    registered: '19980228',
    renewedYearsAgo: 8,
    cancelled: '20190630',
    representative: NO_REPRESENTATIVE,
  },
  {
    ...of('co-law-cancelled'),
    state: ['03', 'MATRÍCULA CANCELADA LEY 1429'],
    registered: '20010620',
    renewedYearsAgo: 17,
    cancelled: '20150712',
    activities: ['F453001'],
    representative: NO_REPRESENTATIVE,
  },
  { ...of('co-not-renewed'), registered: '20130213', renewedYearsAgo: 7 },
  {
    ...of('co-several-rows'),
    chamber: BARRANQUILLA,
    state: CANCELLED,
    category: OTHER,
    organisation: ANONYMOUS,
    registered: '19980312',
    renewedYearsAgo: 15,
    cancelled: '20130612',
    representative: NO_REPRESENTATIVE,
  },
  {
    ...of('co-several-rows'),
    name: 'FABRICA DE TRES CAMARAS S A',
    chamber: CALI,
    state: ['05', 'NO ASIGNADO'],
    category: OTHER,
    organisation: ANONYMOUS,
    registered: '00000000',
    representative: NO_REPRESENTATIVE,
    columns: { fecha_actualizacion: '1900/01/01 00:00:00.000000000' },
  },
  { ...of('co-several-rows'), organisation: ANONYMOUS, registered: '19720905', activities: ['4669', '4690'], acronym: 'FATRECA' },
  {
    ...of('co-moved'),
    chamber: CALI,
    state: ['03', 'MATRÍCULA CANCELADA POR TRASLADO DE DOMICILIO'],
    organisation: LIMITED,
    registered: '20070904',
    renewedYearsAgo: 11,
    cancelled: '20160210',
    representative: NO_REPRESENTATIVE,
  },
  { ...of('co-moved'), state: ['01', 'MATRÍCULA NUEVA, CONSTITUCIÓN POR TRASLADO'], organisation: LIMITED, registered: '20160212' },
  {
    ...of('co-mojibake'),
    name: 'COMPA脩脥A NARI脩ENSE DE CAF脡 S.A.S.',
    chamber: ['26', 'PASTO'],
    representative: ['CEDULA DE CIUDADANIA', 'IB脕脩EZ  FICTICIA  JOS脡'],
  },
  { ...of('co-foreign-branch'), category: BRANCH, organisation: ['08', 'SOCIEDAD EXTRANJERA'], registered: '20140808' },
  {
    ...of('co-branch-left'),
    state: CANCELLED,
    organisation: ANONYMOUS,
    registered: '19900101',
    renewedYearsAgo: 9,
    cancelled: '20180401',
    representative: NO_REPRESENTATIVE,
  },
  { ...of('co-branch-left'), chamber: CALI, category: BRANCH, organisation: ANONYMOUS, registered: '19990505' },
  { ...of('co-never-registered'), state: ['06', 'NO MATRICULADO'], category: OTHER, registered: '', representative: NO_REPRESENTATIVE },
  {
    ...of('co-old-card'),
    chamber: CALI,
    state: ['05', 'NO ASIGNADO'],
    category: OTHER,
    organisation: LIMITED,
    registered: '19840219',
    renewedYearsAgo: 40,
    activities: ['9999'],
    representative: NO_REPRESENTATIVE,
    columns: { fecha_actualizacion: '1900/01/01 00:00:00.000000000' },
  },
  { ...of('co-unknown-state'), state: ['42', 'EN REVISIÓN EXTRAORDINARIA'] },
  { ...of('co-other-column'), organisation: LIMITED, registered: '19991231', columns: { nit: '0', digito_verificacion: '0' } },
  {
    ...of('co-impossible-dates'),
    state: CANCELLED,
    registered: '99999999',
    cancelled: '00000000',
    representative: NO_REPRESENTATIVE,
    columns: { ultimo_ano_renovado: '0', fecha_renovacion: '20131341' },
  },
  { ...of('co-company-representative'), representative: ['NIT', 'REPRESENTANTE IMAGINARIA S.A.S.'] },
  // a person who trades under the own name, with an identity card of nine digits
  {
    base: '999800001',
    name: 'PERSONA INVENTADA CARLOS',
    category: OTHER,
    organisation: ['01', 'PERSONA NATURAL'],
    representative: NO_REPRESENTATIVE,
    columns: {
      codigo_clase_identificacion: '01',
      clase_identificacion: 'CEDULA DE CIUDADANIA',
      primer_apellido: 'PERSONA',
      primer_nombre: 'CARLOS',
    },
  },
];

/** Bare NIT of a person of the register, about whom nothing is shown. */
export const PERSONS_NIT = `999800001${nitCheckDigit('999800001')}`;

/** Companies of which the register has nothing. */
const ABSENT = new Set([colombianByScenario('co-consortium').nit]);

const special = new Set(SPECIAL.map(({ base }) => base));
const usual = [
  ...colombianCompanies.map(({ nit, name }) => ({ nit, name })),
  ...foreignCompanies.filter(({ country }) => country === 'CO').map(({ taxId, name }) => ({ nit: taxId, name })),
]
  .filter(({ nit }) => !ABSENT.has(nit) && !special.has(nit.slice(0, -1)))
  .map(({ nit, name }): RegistrationPlan => ({ base: nit.slice(0, -1), name }));

/** Registrations of all Colombian companies. */
export const registrationPlans: readonly RegistrationPlan[] = [...SPECIAL, ...usual];

/** Values of a plan that are not given. */
export const USUAL = {
  chamber: ['04', 'BOGOTA'],
  state: ACTIVE,
  category: MAIN,
  organisation: ['16', 'SOCIEDADES POR ACCIONES SIMPLIFICADAS SAS'],
  registered: '20120130',
  renewedYearsAgo: 0,
  cancelled: '',
  activities: ['6201', '6202'],
  representative: ['CEDULA DE CIUDADANIA', 'PEREZ  INVENTADO  ANA'],
  acronym: '',
  columns: {},
} as const satisfies Omit<Required<RegistrationPlan>, 'base' | 'name'>;
