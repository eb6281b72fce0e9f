import { lastDay, startOfDay } from '../../world/calendar.ts';
import { encode, fileReply, zippedFiles } from '../publish.ts';
import type { Published, SimulatedReply, Simulator } from '../simulator.ts';
import {
  ACTIVITIES_HEADER,
  activityRows,
  type Cells,
  COMPANIES_HEADER,
  companyRows,
  DOMICILES_HEADER,
  domicileRows,
  NAMES_HEADER,
  nameRows,
  subtypeRows,
} from './rows.ts';

const NOMINA_OF_2025 = Date.parse('2026-11-09');

const line = (cells: Cells): string => `${cells.join('\t')}\r\n`;
const table = (rows: readonly Cells[]): Buffer => encode(rows.map(line).join(''), 'windows-1252');

type Members = (text: Buffer) => Iterable<readonly [name: string, bytes: Buffer]>;

/** A zip of text files, the first of them the table that a fault damages: Windows-1252, tabs, CRLF. */
function published(rows: readonly Cells[], frame: Published['frame'], members: Members, at: number): SimulatedReply {
  const document: Published = {
    format: 'csv',
    rows: rows.map(line),
    frame,
    misname: (text) => text.replaceAll('\tDV\t', '\tDIGITO\t'),
    charset: 'windows-1252',
    pack: (text) => zippedFiles(members(text), at),
  };
  return fileReply('application/zip', document, at);
}

/** A header for each year, where its rows begin. */
function byYear(rows: readonly string[]): string {
  const yearOf = (row: string | undefined): string | undefined => row?.slice(0, 4);
  return rows.map((row, i) => (yearOf(row) === yearOf(rows[i - 1]) ? row : line(COMPANIES_HEADER) + row)).join('');
}

/** A file for each header in the text, named by the year of its first row. */
function* yearFiles(text: Buffer): Iterable<readonly [name: string, bytes: Buffer]> {
  const files = text.toString('latin1').split(/^(?=A[^\t\n]*o comercial\t)/m);
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
