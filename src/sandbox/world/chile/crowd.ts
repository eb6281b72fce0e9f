import { type ChileanCompany, chilean } from './company.ts';
import { ACTIVITIES, REGIONS } from './tables.ts';

const TRADES = ['FERRETERIA', 'LIBRERIA', 'IMPRENTA', 'LAVANDERIA', 'BARRACA', 'CONFECCIONES'];
const PLACES = ['EL COPIHUE', 'LOS QUELTEHUES', 'LA CHAYA', 'TRES PUENTES', 'CERRO HUECO'];
const activities = Object.keys(ACTIVITIES) as (keyof typeof ACTIVITIES)[];
const regions = Object.keys(REGIONS) as (keyof typeof REGIONS)[];

/** Companies without a scenario of their own, of every region, bracket and activity: something to page through. */
export const fillerCompanies: readonly ChileanCompany[] = Array.from({ length: 30 }, (_, i) =>
  chilean({
    scenario: `cl-crowd-${i + 1}`,
    number: String(67_100_001 + i),
    name: `${TRADES[i % TRADES.length]} ${PLACES[i % PLACES.length]} ${i + 1} SPA`,
    note: 'One of the crowd: active.',
    bracket: (i % 13) + 1,
    workers: i % 7 === 0 ? null : i * 11,
    startedOn: `${1995 + i}-0${(i % 9) + 1}-1${i % 10}`,
    activity: activities[i % (activities.length - 1)] ?? '620200',
    region: regions[i % regions.length] ?? 'XIII',
  }),
);
