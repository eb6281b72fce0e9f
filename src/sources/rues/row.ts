import { z } from 'zod';
import { strip } from '../../domain/tax-id.ts';
import { BOGOTA_OFFSET_MS, DAY_MS, isIsoDate, isoDate } from '../../domain/time.ts';
import { HttpFailure } from '../http/failure.ts';
import { quoted, type SodaQuery } from '../socrata/soda.ts';
import type { RegistrationCategory } from './company.ts';
import { comparable, stated, withoutCards } from './spelling.ts';
import { meaningOf, meaningsOfCode, type StateMeaning } from './states.ts';

/** Id of the table on datos.gov.co: persons, companies and non-profits of all chambers. */
export const TABLE = 'c82u-588k';

/** A column: a text, or absent. */
const column = z.string().nullish();

/**
 * The columns that are requested. The table also has the identity cards of persons and of representatives; a row with any other column than
 * these is refused, because the portal has ignored the query.
 */
export const RUES_ROW = z.strictObject({
  nit: column,
  clase_identificacion: z.string(),
  numero_identificacion: column,
  razon_social: column,
  sigla: column,
  codigo_camara: column,
  camara_comercio: column,
  matricula: column,
  codigo_categoria_matricula: column,
  codigo_estado_matricula: column,
  estado_matricula: column,
  fecha_matricula: column,
  ultimo_ano_renovado: column,
  fecha_cancelacion: column,
  fecha_actualizacion: column,
  codigo_organizacion_juridica: column,
  organizacion_juridica: column,
  cod_ciiu_act_econ_pri: column,
  cod_ciiu_act_econ_sec: column,
  ciiu3: column,
  ciiu4: column,
  clase_identificacion_rl: column,
  representante_legal: column,
});
export type RuesRow = z.output<typeof RUES_ROW>;

/** Column by which companies are found: `nit`, or the number of the document for rows without it. */
export type NumberColumn = 'nit' | 'numero_identificacion';

/** Maximum number of registrations of a company. Few companies have more than ten; more than this number are not credible. */
export const MAX_REGISTRATIONS = 200;
/** Maximum number of rows of an answer. A hundred companies have some 130. */
const MAX_ROWS = 2_000;

/** Maximum number of rows for a number of companies. An answer with as many may be incomplete. */
export const rowLimit = (companies: number): number => Math.min(companies * (MAX_REGISTRATIONS + 1), MAX_ROWS);

const BASE = /^\d{9}$/;

/** Query for all registrations of legal persons. @param bases NITs without their check digits, nine digits each */
export function registrationsOf(bases: readonly string[], by: NumberColumn): SodaQuery {
  if (!bases.every((base) => BASE.test(base))) throw new Error('a NIT that is not nine digits');
  return {
    table: TABLE,
    select: Object.keys(RUES_ROW.shape),
    where: ["clase_identificacion='NIT'", `${by} in(${bases.map(quoted).join(',')})`],
    order: `${by},codigo_camara,matricula`,
    limit: rowLimit(bases.length),
  };
}

/** Category of a row. `unknown`: the code is none of the list, because it was damaged, and the row may be that of a branch. */
export type RowCategory = RegistrationCategory | 'unknown';

/** A registration as read from a row. */
export interface Registration {
  readonly chamberCode: string;
  readonly chamber: string | null;
  readonly number: string | null;
  readonly name: string | null;
  readonly tradeName: string | null;
  readonly category: RowCategory;
  /** The words of the state, and their meaning; both null in a row without a state. */
  readonly state: string | null;
  readonly meaning: StateMeaning | null;
  /** The meaning of the words, or the meanings of the code in a row without words. */
  readonly possibleMeanings: readonly StateMeaning[];
  readonly registeredOn: string | null;
  readonly lastRenewedYear: number | null;
  readonly cancelledOn: string | null;
  /** Time of the last change as printed, which sorts by time; empty if unknown. */
  readonly updatedAt: string;
  readonly isForeignCompany: boolean;
  readonly legalForm: string | null;
  readonly activities: readonly string[];
  readonly representative: { readonly name: string; readonly isCompany: boolean } | null;
}

/** True for a person who trades under the own name. Nothing of such a row is shown. */
export const isPerson = (row: RuesRow): boolean =>
  stated(row.codigo_organizacion_juridica) === '01' || comparable(row.organizacion_juridica ?? '') === 'PERSONA NATURAL';

/**
 * True if no column of a row that was found by one of them names another company. The other one may have no digits, zeros only, or the NIT
 * in any spelling, with any check digit. Anything else is the number of another company or person, whose row this may be.
 */
export const isCertain = ({ nit, numero_identificacion: document }: RuesRow, base: string): boolean =>
  [nit, document].every((cell) => {
    const number = strip(cell ?? '').replace(/^0+/, '');
    return !/\d/.test(number) || (number.startsWith(base) && /^\d{9,10}$/.test(number));
  });

/** @param now epoch ms @throws HttpFailure for a state that is not known */
export function readRegistration(row: RuesRow, now: number): Registration {
  const state = stated(row.estado_matricula);
  const meaning = state === null ? null : knownMeaning(state);
  return {
    chamberCode: stated(row.codigo_camara) ?? '',
    chamber: withoutCards(row.camara_comercio),
    number: stated(row.matricula),
    name: withoutCards(row.razon_social),
    tradeName: withoutCards(row.sigla),
    category: categoryOf(row.codigo_categoria_matricula),
    state,
    meaning,
    possibleMeanings: meaning === null ? meaningsOfCode(stated(row.codigo_estado_matricula)) : [meaning],
    registeredOn: dayOf(row.fecha_matricula, now),
    lastRenewedYear: yearOf(row.ultimo_ano_renovado, now),
    cancelledOn: dayOf(row.fecha_cancelacion, now),
    updatedAt: timeOf(row.fecha_actualizacion, now),
    isForeignCompany:
      stated(row.codigo_organizacion_juridica) === FOREIGN_COMPANY || /\bEXTRANJERAS?\b/.test(comparable(row.organizacion_juridica ?? '')),
    legalForm: withoutCards(row.organizacion_juridica),
    activities: activitiesOf(row),
    representative: representativeOf(row),
  };
}

const CATEGORY_CODES: ReadonlyMap<string, RegistrationCategory> = new Map([
  ['00', 'other'],
  ['01', 'main'],
  ['02', 'branch'],
  ['03', 'agency'],
  ['04', 'establishment'],
]);

/** The register omits the column for a row without a category. A single zero may be what is left of another code. */
function categoryOf(column: string | null | undefined): RowCategory {
  if (column === undefined) return 'other';
  const code = column?.trim() ?? '';
  return (code !== '0' && code !== '' && CATEGORY_CODES.get(code.padStart(2, '0'))) || 'unknown';
}

const FOREIGN_COMPANY = '08';

/** @throws HttpFailure, which quotes a text without digits only, because a shifted row may have an identity card in this column */
function knownMeaning(state: string): StateMeaning {
  const meaning = meaningOf(state);
  if (meaning) return meaning;
  throw new HttpFailure('unknown_state', `a state that is not known: ${/\d/.test(state) ? '(with digits)' : state.slice(0, 80)}`);
}

const FIRST_YEAR = 1850;

/** Converts `20201118` to an ISO date; null unless it is a day between 1850 and tomorrow in Bogotá. */
export function dayOf(text: string | null | undefined, now: number): string | null {
  const [, year = '', month = '', day = ''] = /^\s*(\d{4})(\d\d)(\d\d)\s*$/.exec(text ?? '') ?? [];
  return pastDay(`${year}-${month}-${day}`, now);
}

function pastDay(iso: string, now: number): string | null {
  const tomorrow = isoDate(now + BOGOTA_OFFSET_MS + DAY_MS);
  return isIsoDate(iso) && Number(iso.slice(0, 4)) >= FIRST_YEAR && iso <= tomorrow ? iso : null;
}

/** Returns the year of a renewal; null unless it is between 1850 and next year. */
export function yearOf(text: string | null | undefined, now: number): number | null {
  const year = /^\s*\d{4}\s*$/.test(text ?? '') ? Number(text) : 0;
  return year >= FIRST_YEAR && year <= new Date(now + BOGOTA_OFFSET_MS).getUTCFullYear() + 1 ? year : null;
}

/** Returns `2025/03/28 17:30:59.340000000` if its day is possible; an empty text otherwise. */
function timeOf(text: string | null | undefined, now: number): string {
  const time = text?.trim() ?? '';
  const [, year, month, day] = /^(\d{4})\/(\d\d)\/(\d\d)(?: |$)/.exec(time) ?? [];
  return pastDay(`${year}-${month}-${day}`, now) === null ? '' : time.slice(0, 29);
}

/** CIIU: four digits, or a letter and four or six digits in old rows. */
const ACTIVITY = /^(?:[A-Z]\d{2})?\d{4}$|^[A-Z]\d{4}$/;

function activitiesOf({
  cod_ciiu_act_econ_pri: main,
  cod_ciiu_act_econ_sec: second,
  ciiu3: third,
  ciiu4: fourth,
}: RuesRow): readonly string[] {
  const codes = [main, second, third, fourth].flatMap((code) => stated(code) ?? []);
  return [...new Set(codes.filter((code) => ACTIVITY.test(code) && code !== '0000'))];
}

/** Legal forms at the end of the name of a company. */
const COMPANY_NAME = /\b(?:S\.? ?A\.? ?S|S\.? ?A|LTDA|E\.? ?U|S\.? EN C(?:\.? ?S|\.? POR A)?)\.?$/;

function representativeOf({ representante_legal, clase_identificacion_rl: kind }: RuesRow): Registration['representative'] {
  const name = withoutCards(representante_legal);
  return name === null ? null : { name, isCompany: stated(kind) === 'NIT' || COMPANY_NAME.test(comparable(name)) };
}
