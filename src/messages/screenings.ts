import { defineMessages } from './message.ts';

/** Screenings of portfolios. */
export const screeningMessages = defineMessages('screenings', {
  notFound: [
    'This key has no such screening, or it has ended.',
    'Esta clave no tiene esa evaluación, o ya terminó.',
    'Esta chave não tem essa avaliação, ou ela já terminou.',
  ],
  notDone: [
    'Only a screening that is done sends its webhook.',
    'Solo una evaluación terminada envía su webhook.',
    'Somente uma avaliação concluída envia seu webhook.',
  ],
  noWebhook: ['This screening has no webhook.', 'Esta evaluación no tiene webhook.', 'Esta avaliação não tem webhook.'],
  manyStored: [
    'Your account stores {stored} of at most {max} rows of portfolios: screen fewer companies, or wait until older screenings are deleted.',
    'Su cuenta guarda {stored} de un máximo de {max} filas de carteras: evalúe menos empresas, o espere a que se eliminen evaluaciones anteriores.',
    'Sua conta guarda {stored} de no máximo {max} linhas de carteiras: avalie menos empresas, ou espere a exclusão de avaliações anteriores.',
  ],
  giveModules: [
    'Give the modules, one or more of {modules}.',
    'Indique los módulos, uno o más de {modules}.',
    'Informe os módulos, um ou mais de {modules}.',
  ],
  unknownModules: ['Give one or more of {modules}.', 'Indique uno o más de {modules}.', 'Informe um ou mais de {modules}.'],
  nameModule: ['Name a module, or leave them out.', 'Nombre un módulo, u omítalos.', 'Cite um módulo, ou omita-os.'],
  fileAsText: ['Give the file as text.', 'Indique el archivo como texto.', 'Informe o arquivo como texto.'],
  resultsOrAll: ['Give results or all.', 'Indique results o all.', 'Informe results ou all.'],
  commaOrSemicolon: ['Give comma or semicolon.', 'Indique comma o semicolon.', 'Informe comma ou semicolon.'],
  idsOrFile: ['Give either identifiers or csv.', 'Indique identifiers o csv, no ambos.', 'Informe identifiers ou csv, não ambos.'],
  manyRows: ['Give at most {max} rows.', 'Indique como máximo {max} filas.', 'Informe no máximo {max} linhas.'],
  notCsv: [
    'This is no csv file: a quote is not closed, or a row is too long.',
    'Esto no es un archivo csv: hay comillas sin cerrar, o una fila demasiado larga.',
    'Isto não é um arquivo csv: há aspas não fechadas, ou uma linha longa demais.',
  ],
  manyColumns: [
    'Line {line} has more than {max} columns. Give the column of the tax ids and, if there is one, that of the countries.',
    'La línea {line} tiene más de {max} columnas. Indique la columna de los identificadores y, si la hay, la de los países.',
    'A linha {line} tem mais de {max} colunas. Informe a coluna dos identificadores e, se houver, a dos países.',
  ],
});

/** Reasons for which a row of a portfolio is not checked, besides those of `taxIdMessages`. They are stored in English. */
defineMessages('rejectedRows', {
  notAnswered: [
    'No module of this screening is answered for {country}.',
    'Ningún módulo de esta evaluación está disponible para {country}.',
    'Nenhum módulo desta avaliação está disponível para {country}.',
  ],
  repeated: ['The same company as in row {row}.', 'La misma empresa que en la fila {row}.', 'A mesma empresa que na linha {row}.'],
  wrongCountry: ['The country is one of {countries}.', 'El país debe ser uno de {countries}.', 'O país deve ser um de {countries}.'],
});

/** Searches of tenders. */
export const tenderMessages = defineMessages('tenders', {
  manyDays: [
    'Brazilian tenders are searched in at most {max} days at a time; give a later start or an earlier end.',
    'Las licitaciones brasileñas se buscan en un máximo de {max} días a la vez; indique un inicio posterior o un final anterior.',
    'As licitações brasileiras são buscadas em no máximo {max} dias de uma vez; informe um início posterior ou um fim anterior.',
  ],
});
