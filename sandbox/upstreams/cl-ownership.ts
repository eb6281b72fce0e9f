import { DAY_MS } from '../../src/domain/time.ts';
import { lastDay } from '../world/calendar.ts';
import type { ChileanCompany } from '../world/chile/company.ts';
import { type ChileanShare, chileanOwners, chileanOwnersBefore } from '../world/chile/owners.ts';
import { fileReply, type Simulator, zipped } from './simulator.ts';

const HEADER = 'Rut Sociedad;DV Sociedad;Tipo Sociedad;Subtipo Sociedad;RUT Socio;DV Socio;ID Personas Naturales;Participación';

const rutCells = (rut: string): string => `${rut.slice(0, -1)};${rut.slice(-1)}`;

/** Rows of a file: one per owner, and one for all natural persons of a company. */
const rowsOf = (owners: typeof chileanOwners): readonly string[] =>
  owners.flatMap(({ company, shares }) => shares.map((share) => rowOf(company, share)));

export const compositionRows: readonly string[] = rowsOf(chileanOwners);
const rowsBefore: readonly string[] = rowsOf(chileanOwnersBefore);

function rowOf({ rut, kind }: ChileanCompany, { owner, share }: ChileanShare): string {
  const partner = owner === 'people' ? ';;Personas Naturales' : `${rutCells(owner)};`;
  return `${rutCells(rut)};PERSONA JURIDICA COMERCIAL;${kind};${partner};${share}`;
}

/** Returns the last publication date: the file is published in November. */
const publishedOn = (now: number): number => lastDay(now, (day) => day.getUTCMonth() === 10 && day.getUTCDate() === 25);

/** The files of the owners of companies, of this year and of the year before: each a zip of one csv in UTF-8. */
export const clOwnershipSimulator: Simulator = {
  name: 'cl_ownership',
  handle({ path, now }) {
    const isEarlier = path === '/anterior/composicion_sociedades.zip';
    if (!isEarlier && path !== '/composicion_sociedades.zip')
      return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404</html>' };
    const version = isEarlier ? publishedOn(publishedOn(now) - DAY_MS) : publishedOn(now);
    return fileReply(
      'application/zip',
      {
        format: 'csv',
        rows: isEarlier ? rowsBefore : compositionRows,
        frame: (rows) => [HEADER, ...rows, ''].join('\r\n'),
        renameRequired: (text) => text.replace(';RUT Socio;', ';RUT Titular;'),
        charset: 'utf-8',
        pack: (bytes) => zipped('composicion_sociedades.csv', bytes, version),
      },
      version,
    );
  },
};
