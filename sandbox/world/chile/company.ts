import { rutCheckDigit } from '../../../src/domain/tax-id.ts';
import { DAY_MS, isoDate } from '../../../src/domain/time.ts';

/** A Chilean legal person of the fictional world. Dates are ISO. */
export interface ChileanCompany {
  /** Short id that docs, tests and examples use, e.g. `cl-large`. */
  readonly scenario: string;
  /** Bare RUT, including the check digit. */
  readonly rut: string;
  /** Legal name in capitals. */
  readonly name: string;
  /** A sentence about the result of a check of this company. */
  readonly note: string;
  /** Files of the tax registry that have the company: all, only the list of names (founded after the newest commercial year), or none. */
  readonly knownTo: 'all' | 'names' | 'none';
  /** Sales bracket 1–13 in the newest commercial year. */
  readonly bracket: number;
  /** Number of dependent workers; null if the cell is blank. */
  readonly workers: number | null;
  readonly startedOn: string | null;
  /** Start date in the newer rows of a company that had paused. */
  readonly resumedOn: string | null;
  readonly endedOn: string | null;
  /**
   * Days before the sandbox's current day, for a start or an end that must stay recent; the date itself is then that of 21 November 2026.
   */
  readonly daysSince: { readonly start?: number; readonly end?: number };
  readonly activity: keyof typeof ACTIVITIES;
  /** Further activities. */
  readonly otherActivities: readonly (keyof typeof ACTIVITIES)[];
  /** Roman numeral, as the registry numbers regions. */
  readonly region: keyof typeof REGIONS;
  readonly province: string;
  readonly commune: string;
  readonly kind: 'SOCIEDAD POR ACCIONES' | 'SOCIEDAD DE RESPONSABILIDAD LIMITADA' | 'SOCIEDAD ANONIMA CERRADA' | 'MUNICIPALIDAD' | 'EIRL';
  /** Tax debt in CLP on the debtors' list; null for none. */
  readonly debtClp: number | null;
  /** Registrable domain of its website; null for none. */
  readonly domain: string | null;
}

/** Fields that differ from the default company: a small active company of Santiago with eight workers. */
export type ChileanPlan = Partial<ChileanCompany> & {
  readonly scenario: string;
  readonly name: string;
  readonly note: string;
  /** RUT without its check digit. Fictional ones begin with 67. */
  readonly number: string;
};

/** Completes a plan to a company. */
export const chilean = ({ number, ...plan }: ChileanPlan): ChileanCompany => ({
  rut: number + rutCheckDigit(number),
  knownTo: 'all',
  bracket: 6,
  workers: 8,
  startedOn: '2014-05-12',
  resumedOn: null,
  endedOn: null,
  daysSince: {},
  activity: '620200',
  otherActivities: [],
  region: 'XIII',
  province: 'SANTIAGO',
  commune: 'PROVIDENCIA',
  kind: 'SOCIEDAD POR ACCIONES',
  debtClp: null,
  domain: null,
  ...plan,
});

/** Returns a company on a day of the sandbox's clock: its recent dates are relative to that day. */
export function chileanOn(company: ChileanCompany, now: number): ChileanCompany {
  const moved = (date: string | null, days: number | undefined) => (days === undefined ? date : isoDate(now - days * DAY_MS));
  return {
    ...company,
    startedOn: moved(company.startedOn, company.daysSince.start),
    endedOn: moved(company.endedOn, company.daysSince.end),
  };
}

/** The registry's lookup tables, as far as the fictional world needs them, in the registry's wording. */

/** CIIU4.CL codes, with their section and group as the nómina prints them. */
export const ACTIVITIES = {
  '011101': ['CULTIVO DE TRIGO', 'A - AGRICULTURA, GANADERIA, SILVICULTURA Y PESCA', '011 - CULTIVO DE PLANTAS NO PERENNES'],
  '032110': ['CULTIVO Y CRIANZA DE PECES MARINOS', 'A - AGRICULTURA, GANADERIA, SILVICULTURA Y PESCA', '032 - ACUICULTURA'],
  '040000': ['EXTRACCION Y PROCESAMIENTO DE COBRE', 'B - EXPLOTACION DE MINAS Y CANTERAS', '040 - EXTRACCION Y PROCESAMIENTO DE COBRE'],
  '107100': [
    'ELABORACION DE PRODUCTOS DE PANADERIA Y PASTELERIA',
    'C - INDUSTRIA MANUFACTURERA',
    '107 - ELABORACION DE OTROS PRODUCTOS ALIMENTICIOS',
  ],
  '110200': ['ELABORACION DE VINOS', 'C - INDUSTRIA MANUFACTURERA', '110 - ELABORACION DE BEBIDAS'],
  '351011': [
    'GENERACION DE ENERGIA ELECTRICA EN CENTRALES HIDROELECTRICAS',
    'D - SUMINISTRO DE ELECTRICIDAD, GAS, VAPOR Y AIRE ACONDICIONADO',
    '351 - GENERACION, TRANSMISION Y DISTRIBUCION DE ENERGIA ELECTRICA',
  ],
  '410010': ['CONSTRUCCION DE EDIFICIOS PARA USO RESIDENCIAL', 'F - CONSTRUCCION', '410 - CONSTRUCCION DE EDIFICIOS'],
  '464901': [
    'VENTA AL POR MAYOR DE MUEBLES, EXCEPTO MUEBLES DE OFICINA',
    'G - COMERCIO AL POR MAYOR Y AL POR MENOR; REPARACION DE VEHICULOS AUTOMOTORES Y MOTOCICLETAS',
    '464 - VENTA AL POR MAYOR DE ENSERES DOMESTICOS',
  ],
  '492300': [
    'TRANSPORTE DE CARGA POR CARRETERA',
    'H - TRANSPORTE Y ALMACENAMIENTO',
    '492 - OTRAS ACTIVIDADES DE TRANSPORTE POR VIA TERRESTRE',
  ],
  '561000': [
    'ACTIVIDADES DE RESTAURANTES Y DE SERVICIO MOVIL DE COMIDAS',
    'I - ACTIVIDADES DE ALOJAMIENTO Y DE SERVICIO DE COMIDAS',
    '561 - ACTIVIDADES DE RESTAURANTES',
  ],
  '620200': [
    'ACTIVIDADES DE CONSULTORIA DE INFORMATICA Y DE GESTION DE INSTALACIONES INFORMATICAS',
    'J - INFORMACION Y COMUNICACIONES',
    '620 - ACTIVIDADES DE PROGRAMACION INFORMATICA, CONSULTORIA DE INFORMATICA Y ACTIVIDADES CONEXAS',
  ],
  '841100': [
    'ACTIVIDADES DE LA ADMINISTRACION PUBLICA EN GENERAL',
    'O - ADMINISTRACION PUBLICA Y DEFENSA; PLANES DE SEGURIDAD SOCIAL DE AFILIACION OBLIGATORIA',
    '841 - ADMINISTRACION DEL ESTADO Y APLICACION DE LA POLITICA ECONOMICA Y SOCIAL DE LA COMUNIDAD',
  ],
} as const;

/** Region labels by roman numeral. */
export const REGIONS = {
  I: 'I REGION DE TARAPACA',
  II: 'II REGION DE ANTOFAGASTA',
  III: 'III REGION DE ATACAMA',
  IV: 'IV REGION COQUIMBO',
  V: 'V REGION VALPARAISO',
  VI: 'VI REGION DEL LIBERTADOR GENERAL BERNARDO O`HIGGINS',
  VII: 'VII REGION DEL MAULE',
  VIII: 'VIII REGION DEL BIO BIO',
  IX: 'IX REGION DE LA ARAUCANIA',
  X: 'X REGION LOS LAGOS',
  XI: 'XI REGION AYSEN DEL GENERAL CARLOS IBAÑEZ DEL CAMPO',
  XII: 'XII REGION DE MAGALLANES Y LA ANTARTICA CHILENA',
  XIII: 'XIII REGION METROPOLITANA',
  XIV: 'XIV REGION LOS RIOS',
  XV: 'XV REGION ARICA Y PARINACOTA',
  XVI: 'XVI REGION DE ÑUBLE',
} as const;
