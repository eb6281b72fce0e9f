import type { SandboxCompany } from '../../world/brazil/company.ts';
import { compactDate } from '../../world/calendar.ts';
import { type Simulator, zipped } from '../simulator.ts';
import { dailyFile, line, table } from './portal.ts';
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

/** Ages in days of the available files. */
const AGES = [0, 1, 2];

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
  return {
    name,
    handle: ({ world, ...request }) =>
      dailyFile(request, AGES, (day) => ({
        format: 'csv',
        rows: world.listed(name, rows, added).map((row) => line(columns.map(([, cell]) => cell(row)))),
        frame: table(columns.map(([title]) => title)),
        renameRequired: (text) => text.replace('CPF OU CNPJ DO SANCIONADO', 'DOCUMENTO'),
        charset: 'windows-1252',
        pack: (bytes) => zipped(`${compactDate(day)}_${name}.csv`, bytes, day),
      })),
  };
}

export const ceisSimulator: Simulator = dailyList('CEIS', ceisRows, addedToCeis);
export const cnepSimulator: Simulator = dailyList('CNEP', cnepRows, addedToCnep);
