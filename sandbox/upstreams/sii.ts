import { lastDay, startOfDay } from '../world/calendar.ts';
import { ACTIVITIES, type ChileanCompany, chileanOn, REGIONS } from '../world/chile/company.ts';
import { chileanCompanies } from '../world/chile/world.ts';
import { encode, fileReply, type Published, type SimulatedReply, type Simulator, zippedFiles } from './simulator.ts';

/** Rows of the tax registry's files over the fictional world: cells in the publisher's order. */

export type Cells = readonly string[];

const FIRST_YEAR = 2020;
const NEWEST_YEAR = 2025;

/** Header of the companies' file. The publisher cuts three of the headers. */
export const COMPANIES_HEADER: Cells = [
  'Año comercial',
  'RUT',
  'DV',
  'Razón social',
  'Tramo según ventas',
  'Número de trabajadores dependie',
  'Fecha inicio de actividades vige',
  'Fecha término de giro',
  'Fecha primera inscripción de ac',
  'Tipo término de giro',
  'Tipo de contribuyente',
  'Subtipo de contribuyente',
  'Tramo capital propio positivo',
  'Tramo capital propio negativo',
  'Rubro económico',
  'Subrubro económico',
  'Actividad económica',
  'Región',
  'Provincia',
  'Comuna',
  'R_PRESUNTA',
  'OTROS_REGIMENES',
];

export const NAMES_HEADER: Cells = ['RUT', 'DV', 'COD_SUBTIPO', 'RAZON_SOCIAL', 'FECHA_INICIO_VIG', 'FECHA_TG_VIG'];

export const ACTIVITIES_HEADER: Cells = [
  'RUT',
  'DV',
  'CODIGO ACTIVIDAD',
  'DESC. ACTIVIDAD ECONOMICA',
  'FECHA',
  'AFECTA A IVA',
  'CATEGORIA TRIBUTARIA',
];

export const DOMICILES_HEADER: Cells = [
  'RUT',
  'DV',
  'VIGENCIA',
  'FECHA',
  'TIPO_DIRECCION',
  'CALLE',
  'NUMERO',
  'BLOQUE',
  'DEPARTAMENTO',
  'VILLA_POBLACION',
  'CIUDAD',
  'COMUNA',
  'REGION',
];

/** Subtype codes of the list of names. */
const SUBTYPES: Readonly<Record<ChileanCompany['kind'], string>> = {
  EIRL: '212',
  'SOCIEDAD ANONIMA CERRADA': '213',
  'SOCIEDAD DE RESPONSABILIDAD LIMITADA': '214',
  'SOCIEDAD POR ACCIONES': '223',
  MUNICIPALIDAD: '611',
};

/** The catalogue beside the list of names. */
export const subtypeRows: readonly Cells[] = [
  ['COD_TIPO', 'TIPO', 'COD_SUBTIPO', 'SUBTIPO'],
  ...Object.entries(SUBTYPES).map(([kind, code]) =>
    kind === 'MUNICIPALIDAD' ? ['6', 'INSTITUCION FISCAL', code, kind] : ['2', 'PERSONA JURIDICA COMERCIAL', code, kind],
  ),
];

/** Values that the nómina lacks in rows of some filler companies. Another file has them. */
const GAPS: Readonly<Record<string, 'activity code' | 'activity' | 'region'>> = {
  'cl-crowd-8': 'activity code',
  'cl-crowd-12': 'activity',
  'cl-crowd-14': 'region',
};

const NONE = 'Sin Información';
const rutCells = ({ rut }: ChileanCompany): readonly [number: string, dv: string] => [rut.slice(0, -1), rut.slice(-1)];
const registered = (now: number): readonly ChileanCompany[] =>
  chileanCompanies.filter(({ knownTo }) => knownTo !== 'none').map((company) => chileanOn(company, now));
const withRows = (now: number): readonly ChileanCompany[] => registered(now).filter(({ knownTo }) => knownTo === 'all');
const dayMonthYear = (iso: string | null): string => (iso ?? '').split('-').reverse().join('-');

/** Years of a company's rows, newest first: from its start to its end, without its pause. Some filler companies lack the newest year. */
function yearsOf({ scenario, startedOn, resumedOn, endedOn }: ChileanCompany): readonly number[] {
  const first = Math.max(FIRST_YEAR, Number(startedOn?.slice(0, 4) ?? FIRST_YEAR));
  const last = Math.min(NEWEST_YEAR, Number(endedOn?.slice(0, 4) ?? (/^cl-crowd-\d*6$/.test(scenario) ? NEWEST_YEAR - 1 : NEWEST_YEAR)));
  const years = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => last - i);
  return resumedOn === null ? years : years.filter((year) => year < 2022 || year >= Number(resumedOn.slice(0, 4)));
}

/** Rows of all years, the newest first. */
export const companyRows = (now: number): readonly Cells[] =>
  withRows(now)
    .flatMap((company) => yearsOf(company).map((year, age) => ({ company, year, age })))
    .sort((a, b) => b.year - a.year)
    .map(({ company, year, age }) => companyRow(company, year, age));

/** @param age 0 for the newest row, which has the company's current size; older rows are one bracket smaller. */
function companyRow(company: ChileanCompany, year: number, age: number): Cells {
  const { scenario, name, bracket, workers, startedOn, resumedOn, activity, kind, region, province, commune } = company;
  const [text, section, group] = ACTIVITIES[activity];
  const gap = GAPS[scenario];
  const paused = resumedOn !== null && year < Number(resumedOn.slice(0, 4));
  const ending = endOf(company, year);
  return [
    String(year),
    ...rutCells(company),
    name,
    String(age > 0 && bracket > 2 ? bracket - 1 : bracket),
    workers === null ? '' : String(age === 0 ? workers : Math.floor(workers * 0.9)),
    (paused ? startedOn : (resumedOn ?? startedOn)) ?? '',
    ending,
    startedOn ?? '',
    ending === '' ? '' : 'TERMINO DE GIRO',
    kind === 'MUNICIPALIDAD' ? 'INSTITUCION FISCAL' : 'PERSONA JURIDICA COMERCIAL',
    kind,
    bracket > 4 ? String(bracket - 3) : '',
    '',
    gap === 'activity' ? NONE : section,
    gap === 'activity' ? NONE : group,
    gap === 'activity' ? NONE : gap === 'activity code' ? text : `${activity} - ${text}`,
    gap === 'region' ? NONE : REGIONS[region],
    gap === 'region' ? NONE : province,
    gap === 'region' ? NONE : commune,
    '',
    '',
  ];
}

/** Returns the end date in the row of a year; empty for an end in a later year. */
function endOf({ endedOn, resumedOn }: ChileanCompany, year: number): string {
  if (resumedOn !== null && year === 2021) return '2021-06-30';
  return endedOn !== null && Number(endedOn.slice(0, 4)) <= year ? endedOn : '';
}

export const nameRows = (now: number): readonly Cells[] =>
  registered(now).map((company) => [
    ...rutCells(company),
    SUBTYPES[company.kind],
    company.name,
    dayMonthYear(company.resumedOn ?? company.startedOn),
    dayMonthYear(company.endedOn),
  ]);

/** Current activities: none for a company that ended or never started. */
export const activityRows = (now: number): readonly Cells[] =>
  registered(now)
    .filter(({ startedOn, endedOn }) => startedOn !== null && endedOn === null)
    .flatMap((company) =>
      [company.activity, ...company.otherActivities].map((code) => [
        ...rutCells(company),
        code,
        ACTIVITIES[code][0],
        dayMonthYear(company.startedOn),
        company.kind === 'MUNICIPALIDAD' ? 'N' : 'S',
        company.kind === 'MUNICIPALIDAD' ? '2' : '1',
      ]),
    );

/** Current domicile of each company, and for one in three a former one. */
export const domicileRows = (now: number): readonly Cells[] =>
  registered(now)
    .filter(({ startedOn }) => startedOn !== null)
    .flatMap((company, i) => {
      const since = company.startedOn ?? '';
      const now = [...rutCells(company), 'S', since, 'DOMICILIO', 'CALLE INVENTADA', 'S/N', '', '', 'XX', company.commune, company.commune];
      const before = [...rutCells(company), 'N', '1993-01-01', 'DOMICILIO', 'SIN CALLE', '0', '', '', '', '..', 'ARICA', REGIONS.XV];
      return i % 3 === 0 ? [before, [...now, REGIONS[company.region]]] : [[...now, REGIONS[company.region]]];
    });

const NOMINA_OF_2025 = Date.parse('2026-11-09');

const line = (cells: Cells): string => `${cells.join('\t')}\r\n`;
const table = (rows: readonly Cells[]): Buffer => encode(rows.map(line).join(''), 'windows-1252');

type Members = (text: Buffer) => Iterable<readonly [name: string, bytes: Buffer]>;

/** Builds a zip of text files: Windows-1252, tabs, CRLF. A fault damages the first one, the table. */
function published(rows: readonly Cells[], frame: Published['frame'], members: Members, at: number): SimulatedReply {
  const document: Published = {
    format: 'csv',
    rows: rows.map(line),
    frame,
    renameRequired: (text) => text.replaceAll('\tDV\t', '\tDIGITO\t'),
    charset: 'windows-1252',
    pack: (text) => zippedFiles(members(text), at),
  };
  return fileReply('application/zip', document, at);
}

/** Inserts a header before the first row of each year. */
function byYear(rows: readonly string[]): string {
  const yearOf = (row: string | undefined): string | undefined => row?.slice(0, 4);
  return rows.map((row, i) => (yearOf(row) === yearOf(rows[i - 1]) ? row : line(COMPANIES_HEADER) + row)).join('');
}

/** Splits the text at its headers into files, named by the year of their first row. */
function* yearFiles(text: Buffer): Iterable<readonly [name: string, bytes: Buffer]> {
  const files = text.toString('latin1').split(/^(?=A[^\t\n]{0,4}o comercial\t)/m);
  for (const [i, file] of files.entries()) {
    const year = /\n(\d{4})\t/.exec(file)?.[1] ?? String(i);
    yield [`PUB_EMPRESAS_PJ_${year}.txt`, Buffer.from(file, 'latin1')];
  }
}

const framed = (header: Cells) => (rows: readonly string[]) => line(header) + rows.join('');

const FILES: Readonly<Record<string, (now: number) => SimulatedReply>> = {
  '/PUB_EMPRESAS_PJ_2020_A_2025.zip': (now) => published(companyRows(now), byYear, yearFiles, Math.min(startOfDay(now), NOMINA_OF_2025)),
  '/PUB_NOMBRES_PJ.zip': (now) =>
    published(
      nameRows(now),
      framed(NAMES_HEADER),
      (text) => [
        ['PUB_NOMBRES_PJ.txt', text],
        ['CODIGO_TIPO_SUBTIPO.txt', table(subtypeRows)],
      ],
      monday(now),
    ),
  '/PUB_NOM_ACTECOS.zip': (now) =>
    published(activityRows(now), framed(ACTIVITIES_HEADER), (text) => [['PUB_NOM_ACTECOS.txt', text]], monday(now)),
  '/PUB_NOM_DIRECCIONES.zip': (now) =>
    published(
      domicileRows(now),
      framed(DOMICILES_HEADER),
      (text) => [
        ['PUB_NOM_DOMICILIO.txt', text],
        ['PUB_NOM_SUCURSAL.txt', table([DOMICILES_HEADER])],
      ],
      monday(now),
    ),
};

const monday = (now: number): number => lastDay(now, (day) => day.getUTCDay() === 1);

/** The tax registry's downloads: zips of text files. 404, as an HTML page, for any other name. */
export const siiSimulator: Simulator = {
  name: 'sii',
  handle: ({ path, now }) =>
    FILES[path]?.(now) ?? { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><body>404 - No encontrado</body></html>' },
};
