import { stringify } from 'csv-stringify/sync';
import { DAY_MS } from '../../../src/domain/time.ts';
import type { SandboxCompany } from '../../world/brazil/company.ts';
import { compactDate, startOfDay } from '../../world/calendar.ts';
import { fileReply, type Simulator, zipped } from '../simulator.ts';
import { addedToCeis, addedToCnep, ceisRows, cnepRows, type Sanction } from './rows.ts';

type Column = readonly [name: string, cell: (row: Sanction) => string];

/** Columns of the file. The misspelt `ABRAGÊNCIA` is in the publisher's header. */
const COLUMNS: readonly Column[] = [
  ['CÓDIGO DA SANÇÃO', (row) => String(row.code)],
  ['TIPO DE PESSOA', (row) => row.personType],
  ['CPF OU CNPJ DO SANCIONADO', (row) => row.document],
  ['NOME DO SANCIONADO', (row) => row.name],
  ['NOME INFORMADO PELO ÓRGÃO SANCIONADOR', (row) => row.name],
  ['RAZÃO SOCIAL - CADASTRO RECEITA', (row) => row.legalName],
  ['NOME FANTASIA - CADASTRO RECEITA', (row) => row.tradeName],
  ['NÚMERO DO PROCESSO', (row) => row.process],
  ['CATEGORIA DA SANÇÃO', (row) => row.category],
  ['VALOR DA MULTA', (row) => row.fine],
  ['DATA INÍCIO SANÇÃO', (row) => row.start],
  ['DATA FINAL SANÇÃO', (row) => row.end],
  ['DATA PUBLICAÇÃO', (row) => row.published],
  ['PUBLICAÇÃO', (row) => (row.published ? 'Diário Oficial da União Seção 3 Pagina 99' : 'Sem Informação')],
  ['DETALHAMENTO DO MEIO DE PUBLICAÇÃO', () => ''],
  ['DATA DO TRÂNSITO EM JULGADO', () => ''],
  ['ABRAGÊNCIA DA SANÇÃO', () => 'Todas as Esferas em todos os Poderes'],
  ['ÓRGÃO SANCIONADOR', (row) => row.body[0]],
  ['UF ÓRGÃO SANCIONADOR', (row) => row.body[1]],
  ['ESFERA ÓRGÃO SANCIONADOR', (row) => row.body[2]],
  ['FUNDAMENTAÇÃO LEGAL', (row) => row.basis],
  ['DATA ORIGEM INFORMAÇÃO', (row) => row.published],
  ['ORIGEM INFORMAÇÕES', () => 'Controladoria-Geral da União'],
  ['OBSERVAÇÕES', (row) => row.notes],
];

/** Number of daily editions available. Today's is published at midnight UTC. */
const FILES_KEPT = 3;

/**
 * A daily file of the transparency portal, `GET /{YYYYMMDD}`: a zip of one csv with the date in its name. Windows-1252, `;`,
 * every cell quoted, CRLF. 403 for a day that has no file.
 * @param added creates the row of a company that an operator added to the list
 */
function dailyList(name: 'CEIS' | 'CNEP', rows: readonly Sanction[], added: (company: SandboxCompany) => Sanction): Simulator {
  const columns: readonly Column[] = [
    ['CADASTRO', () => name],
    ...COLUMNS.filter(([title]) => name === 'CNEP' || title !== 'VALOR DA MULTA'),
  ];
  const line = (cells: readonly string[]): string =>
    stringify([cells], { delimiter: ';', quoted: true, quoted_empty: true, record_delimiter: '\r\n' });
  return {
    name,
    handle({ path, now, world }) {
      const age = Array.from({ length: FILES_KEPT }, (_, days) => days).find((days) => path === `/${compactDate(now - days * DAY_MS)}`);
      if (age === undefined)
        return { status: 403, headers: { 'content-type': 'application/xml' }, body: '<Error><Code>AccessDenied</Code></Error>' };
      const day = startOfDay(now - age * DAY_MS);
      return fileReply(
        'application/zip',
        {
          format: 'csv',
          rows: world.listed(name, rows, added).map((row) => line(columns.map(([, cell]) => cell(row)))),
          frame: (lines) => line(columns.map(([title]) => title)) + lines.join(''),
          renameRequired: (text) => text.replace('CPF OU CNPJ DO SANCIONADO', 'DOCUMENTO'),
          charset: 'windows-1252',
          pack: (bytes) => zipped(`${compactDate(day)}_${name}.csv`, bytes, day),
        },
        day,
      );
    },
  };
}

export const ceisSimulator: Simulator = dailyList('CEIS', ceisRows, addedToCeis);
export const cnepSimulator: Simulator = dailyList('CNEP', cnepRows, addedToCnep);
