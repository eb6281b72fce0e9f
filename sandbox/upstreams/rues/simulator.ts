import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { type RegistrationPlan, registrationPlans, USUAL } from '../../world/colombian-register.ts';
import type { MutableWorld } from '../../world/mutable-world.ts';
import { jsonReply, type SimulatedReply, type Simulator } from '../simulator.ts';
import { INVALID_TOKEN, isToken, refusal, rowsReply } from '../socrata/replies.ts';
import { queryTable, type SodaRow } from '../socrata/soql.ts';

/** The columns of the table, in its order. All are texts. */
const COLUMNS =
  `codigo_camara camara_comercio matricula inscripcion_proponente razon_social primer_apellido segundo_apellido primer_nombre segundo_nombre sigla
  codigo_clase_identificacion clase_identificacion numero_identificacion nit digito_verificacion cod_ciiu_act_econ_pri cod_ciiu_act_econ_sec ciiu3
  ciiu4 fecha_matricula fecha_renovacion ultimo_ano_renovado fecha_vigencia fecha_cancelacion codigo_tipo_sociedad tipo_sociedad
  codigo_organizacion_juridica organizacion_juridica codigo_categoria_matricula categoria_matricula codigo_estado_matricula estado_matricula
  clase_identificacion_rl num_identificacion_representante_legal representante_legal fecha_actualizacion`.split(/\s+/);

/** Number of days by which the data are older than now. */
const AGE_DAYS = 20;

/** The fictional registrations, as the portal lists them. An empty column is absent. */
const registerRows = (now: number, world: MutableWorld): readonly SodaRow[] =>
  registrationPlans.map((plan, i) =>
    registerRow({ ...plan, columns: { ...plan.columns, ...world.registerColumns(plan.base) } }, 100_001 + i, now),
  );

function registerRow(plan: RegistrationPlan, serial: number, now: number): SodaRow {
  const { base, name, chamber, state, category, organisation, registered, renewedYearsAgo, cancelled, ...rest } = { ...USUAL, ...plan };
  const { activities, representative, acronym, columns } = rest;
  const [main = '', second = '', third = ''] = activities;
  const renewed = lastRenewal(now) - renewedYearsAgo;
  const [documentClass, person] = representative;
  const values: Readonly<Record<string, string | null>> = {
    codigo_camara: chamber[0],
    camara_comercio: chamber[1],
    matricula: String(serial),
    inscripcion_proponente: '000000000000',
    razon_social: name,
    sigla: acronym,
    codigo_clase_identificacion: '02',
    clase_identificacion: 'NIT',
    numero_identificacion: base,
    nit: base,
    digito_verificacion: nitCheckDigit(base),
    cod_ciiu_act_econ_pri: main,
    cod_ciiu_act_econ_sec: second,
    ciiu3: third,
    fecha_matricula: registered,
    fecha_renovacion: `${renewed}0325`,
    ultimo_ano_renovado: String(renewed),
    fecha_vigencia: '99991231',
    fecha_cancelacion: cancelled,
    codigo_tipo_sociedad: '02',
    tipo_sociedad: 'SOCIEDAD COMERCIAL',
    codigo_organizacion_juridica: organisation[0],
    organizacion_juridica: organisation[1],
    codigo_categoria_matricula: category[0],
    categoria_matricula: category[1],
    codigo_estado_matricula: state[0],
    estado_matricula: state[1],
    clase_identificacion_rl: documentClass,
    num_identificacion_representante_legal: documentClass && '1099900002',
    representante_legal: person,
    fecha_actualizacion: `${isoDate(now - (AGE_DAYS + 1) * DAY_MS).replaceAll('-', '/')} 17:30:59.340000000`,
    ...columns,
  };
  return Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** Returns the year of the last renewal of a company that is up to date: renewals are due by 31 March. */
function lastRenewal(now: number): number {
  const date = new Date(now);
  return date.getUTCFullYear() - (date.getUTCMonth() < 3 ? 1 : 0);
}

const TABLE = 'c82u-588k';

/**
 * The commercial register of Colombia on Socrata: `GET /resource/c82u-588k.json` like SECOP II, whose errors it words differently, and `GET
 * /api/views/metadata/v1/c82u-588k` for the date of the data.
 */
export const ruesSimulator: Simulator = {
  name: 'rues',
  handle({ path, query, headers, now, world }) {
    if (!isToken(headers['x-app-token'])) return INVALID_TOKEN;
    if (path === `/api/views/metadata/v1/${TABLE}`) return metadata(now);
    if (path !== `/resource/${TABLE}.json`) return refusal(404, 'dataset.missing', 'Not found');
    const found = queryTable({ columns: COLUMNS, rows: registerRows(now, world) }, query);
    return 'errorCode' in found ? refusal(400, found.errorCode, found.message) : rowsReply(found, 'nit');
  },
};

const metadata = (now: number): SimulatedReply =>
  jsonReply(
    200,
    {
      id: TABLE,
      name: 'Personas Naturales, Personas Jurídicas y Entidades Sin Animo de Lucro',
      dataUpdatedAt: `${isoDate(now - AGE_DAYS * DAY_MS)}T19:15:35+0000`,
    },
    'dataUpdatedAt',
  );
