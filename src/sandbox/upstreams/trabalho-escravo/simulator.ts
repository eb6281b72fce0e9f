import { brazilianDate, lastDay } from '../../world/calendar.ts';
import { fileReply } from '../publish.ts';
import type { SimulatedReply, Simulator } from '../simulator.ts';
import { laborRows } from './rows.ts';

const TITLE = 'CADASTRO DE EMPREGADORES (MUNDO INVENTADO)\r\n';
const HEADER =
  'ID;Ano da ação fiscal;UF;Empregador;CNPJ/CPF;Estabelecimento;Trabalhadores envolvidos;CNAE;Decisão administrativa de procedência;Inclusão no Cadastro de Empregadores';
const NOTES = ['(*1) Reincluído por determinação judicial fictícia – processo inventado.', '(*2) Exemplo de nota ‘entre aspas’.'].join(
  '\r\n',
);

/** New editions come out on 9 April and 7 October. */
const publishedOn = (now: number): number =>
  lastDay(now, (day) => (day.getUTCMonth() === 3 && day.getUTCDate() === 9) || (day.getUTCMonth() === 9 && day.getUTCDate() === 7));

/**
 * The forced-labour list of the labour ministry: a csv in Windows-1252 with free text around its table, quotes only where
 * needed and no last line end; and a txt, the only place that states the edition's date. `HEAD` is refused.
 */
export const trabalhoEscravoSimulator: Simulator = {
  name: 'TRABALHO_ESCRAVO',
  handle({ method, path, now }) {
    if (method === 'HEAD') return { status: 403, body: '' };
    if (path.endsWith('/cadastro_de_empregadores.csv')) return csv(publishedOn(now));
    if (path.endsWith('/cadastro_de_empregadores.txt')) return txt(publishedOn(now));
    return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html><title>Página não encontrada</title></html>' };
  },
};

const csv = (edition: number): SimulatedReply =>
  fileReply(
    'text/csv',
    {
      format: 'csv',
      rows: laborRows.map((cells) => cells.map(quoted).join(';')),
      frame: (rows) => [TITLE, HEADER, ...rows, '', NOTES].join('\r\n'),
      misname: (text) => text.replace('CNPJ/CPF', 'Documento'),
      charset: 'windows-1252',
    },
    edition,
  );

const txt = (edition: number): SimulatedReply =>
  fileReply(
    'text/plain',
    {
      format: 'csv',
      rows: laborRows.map((cells) => cells.join(' ')),
      frame: (rows) => [TITLE, `Cadastro atualizado em ${brazilianDate(edition)}`, '', ...rows, '', NOTES].join('\r\n'),
      misname: (text) => text.replace('atualizado em', 'revisto em'),
      charset: 'windows-1252',
    },
    edition,
  );

const quoted = (cell: string): string => (/[";]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
