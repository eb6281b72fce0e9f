import { stringify } from 'csv-stringify/sync';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { cnpjOf, madeUpCpf, personName } from '../world/brazil/company.ts';
import { companyByScenario } from '../world/brazil/world.ts';
import { brazilianDate, lastDay } from '../world/calendar.ts';
import { fileReply, type SimulatedReply, type Simulator } from './simulator.ts';

/** One row: the ten cells of the list, as printed. */
type Row = readonly string[];
/** Place, workers, CNAE, decision, listing (one date, or periods). */
type Inspection = readonly [year: number, state: string, place: string, workers: number, cnae: string, decision: string, listing: string];

function company(scenario: string, inspection: Inspection, footnote = ''): Row {
  const { name, cnpj } = companyByScenario(scenario);
  return row(name + footnote, formatCnpj(cnpj), inspection);
}

const row = (employer: string, document: string, [year, state, place, workers, cnae, decision, listing]: Inspection): Row => [
  String(year),
  state,
  employer,
  document,
  place,
  String(workers),
  cnae,
  decision,
  listing,
];

/** Creates the row of an employer who is a person, like most of the list, with a full punctuated CPF and a home as the place. */
function employer(serial: number, state: string): Row {
  const cpf = madeUpCpf(serial).replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, '$1.$2.$3-$4');
  const home = serial % 3 === 0;
  const place = home ? `RESIDÊNCIA ${personName(serial)}` : `SÍTIO NÚMERO ${serial}, ZONA RURAL, LUGAR NENHUM/${state}`;
  return row(personName(serial), cpf, [2022, state, place, home ? 1 : 7, home ? '9700-5/00' : '0134-2/00', '20/06/2023', '05/04/2024']);
}

const rows: readonly Row[] = [
  company('labor-listed', [2023, 'MT', 'FAZENDA NOITE SEM FIM – ZONA RURAL, LUGAR NENHUM/MT', 12, '0151-2/01', '14/03/2024', '07/10/2024']),
  employer(401, 'BA'),
  company(
    'labor-relisted',
    [2021, 'SP', 'RUA D’OESTE, 100, BOM RETIRO, SÃO PAULO/SP', 5, '1412-6/01', '02/05/2022', '05/10/2022 a 13/01/2023, 11/11/2024'],
    ' (*1)',
  ),
  employer(402, 'PA'),
  employer(403, 'MG'),
  company('labor-removed', [
    2019,
    'MG',
    'SÍTIO "BOA VISTA"; KM 12, LUGAR NENHUM/MG',
    31,
    '0210-1/08',
    '10/02/2020',
    '05/10/2020 a 13/01/2022',
  ]),
  // The listed establishment is a branch; the fictional world has its head office only.
  row('USINA DOCE AMARGO SA', formatCnpj(cnpjOf('99030023', '0004')), [
    2024,
    'PE',
    'ENGENHO DO MEIO, RECIFE/PE',
    44,
    '0112-1/99',
    '03/03/2025',
    '09/04/2025',
  ]),
  company('labor-twice', [
    2018,
    'SP',
    'OBRA DO EDIFÍCIO SEM ANDARES, SÃO PAULO/SP',
    8,
    '4399-1/03',
    '15/08/2019',
    '03/10/2019 a 03/10/2021',
  ]),
  employer(404, 'GO'),
  employer(405, 'BA'),
  company('labor-twice', [2023, 'RJ', 'OBRA DA PONTE, RIO DE JANEIRO/RJ', 19, '4399-1/03', '11/11/2024', '09/04/2025'], ' (*2)'),
  company('worst', [2022, 'AM', 'PORTO SEM NOME, MANAUS/AM', 3, '8299-7/99', '01/02/2023', '05/04/2023']),
  row('EMPRESA ALHEIA RURAL LTDA', formatCnpj(cnpjOf('99600001')), [
    2022,
    'PA',
    'FAZENDA ALHEIA, LUGAR NENHUM/PA',
    9,
    '0151-2/01',
    '10/01/2023',
    '05/10/2023',
  ]),
  row('OUTRA EMPRESA ALHEIA LTDA', formatCnpj(cnpjOf('99600002')), [
    2024,
    'SC',
    'GALPÃO 3, LUGAR NENHUM/SC',
    6,
    '1412-6/01',
    '10/05/2024',
    '07/10/2024',
  ]),
  ...[406, 407, 408, 409, 410, 411].map((serial) => employer(serial, 'TO')),
];

/** Rows with a leading sequence number. The number of an employer changes between editions. */
export const laborRows: readonly Row[] = rows.map((cells, i) => [String(i + 1), ...cells]);

const TITLE = 'CADASTRO DE EMPREGADORES (MUNDO INVENTADO)\r\n';
const HEADER =
  'ID;Ano da ação fiscal;UF;Empregador;CNPJ/CPF;Estabelecimento;Trabalhadores envolvidos;CNAE;Decisão administrativa de procedência;Inclusão no Cadastro de Empregadores';
const NOTES = ['(*1) Reincluído por determinação judicial fictícia – processo inventado.', '(*2) Exemplo de nota ‘entre aspas’.'].join(
  '\r\n',
);

/** Returns the last publication date, 9 April or 7 October. */
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

const csv = (version: number): SimulatedReply =>
  fileReply(
    'text/csv',
    {
      format: 'csv',
      rows: laborRows.map((cells) => stringify([cells], { delimiter: ';', eof: false })),
      frame: (rows) => [TITLE, HEADER, ...rows, '', NOTES].join('\r\n'),
      renameRequired: (text) => text.replace('CNPJ/CPF', 'Documento'),
      charset: 'windows-1252',
    },
    version,
  );

const txt = (version: number): SimulatedReply =>
  fileReply(
    'text/plain',
    {
      format: 'csv',
      rows: laborRows.map((cells) => cells.join(' ')),
      frame: (rows) => [TITLE, `Cadastro atualizado em ${brazilianDate(version)}`, '', ...rows, '', NOTES].join('\r\n'),
      renameRequired: (text) => text.replace('atualizado em', 'revisto em'),
      charset: 'windows-1252',
    },
    version,
  );
