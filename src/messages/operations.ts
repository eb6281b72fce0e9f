import { defineMessages, type Message } from './message.ts';

/** Refusals of a GraphQL operation, besides those of graphql-js. */
export const operationMessages = defineMessages('operations', {
  limitExceeded: [
    'This operation has {count} {things}; the maximum is {max}.',
    'Esta operación tiene {count} {things}; el máximo es {max}.',
    'Esta operação tem {count} {things}; o máximo é {max}.',
  ],
  repeated: [
    'This operation selects the same fields too often; select each field once.',
    'Esta operación selecciona los mismos campos demasiadas veces; seleccione cada campo una vez.',
    'Esta operação seleciona os mesmos campos vezes demais; selecione cada campo uma vez.',
  ],
  nameOperation: [
    'Say which operation of the document to run.',
    'Indique qué operación del documento se debe ejecutar.',
    'Informe qual operação do documento deve ser executada.',
  ],
  longList: [
    'This list has {count} items; the maximum is {max}.',
    'Esta lista tiene {count} elementos; el máximo es {max}.',
    'Esta lista tem {count} itens; o máximo é {max}.',
  ],
  queriesByGet: [
    'GET requests only support query operations, not {type} operations',
    'Las solicitudes GET solo admiten operaciones query, no operaciones {type}',
    'Solicitações GET só aceitam operações query, não operações {type}',
  ],
  subscriptionByPost: [
    'Subscriptions are served on this path over WebSocket (subprotocol graphql-transport-ws) and as an event stream (Accept: text/event-stream).',
    'Las suscripciones se sirven en esta ruta por WebSocket (subprotocolo graphql-transport-ws) y como flujo de eventos (Accept: text/event-stream).',
    'As assinaturas são servidas neste caminho por WebSocket (subprotocolo graphql-transport-ws) e como fluxo de eventos (Accept: text/event-stream).',
  ],
  mutationsByPost: ['Send mutations by POST.', 'Envíe las mutaciones por POST.', 'Envie as mutações por POST.'],
  notAText: ['`{field}` is a text.', '`{field}` debe ser un texto.', '`{field}` deve ser um texto.'],
  notAnObject: ['`{field}` is an object.', '`{field}` debe ser un objeto.', '`{field}` deve ser um objeto.'],
  noQuery: [
    'Send the operation as `query`, or the hash of a trusted document.',
    'Envíe la operación como `query`, o el hash de un documento de confianza.',
    'Envie a operação como `query`, ou o hash de um documento confiável.',
  ],
  otherHash: ['The hash is not that of `query`.', 'El hash no es el de `query`.', 'O hash não é o de `query`.'],
  notTrusted: [
    'This key runs trusted documents alone, and this is none of them.',
    'Esta clave solo ejecuta documentos de confianza, y este no es uno de ellos.',
    'Esta chave só executa documentos confiáveis, e este não é um deles.',
  ],
  unknownHash: [
    'No document is registered under this hash; send its text.',
    'No hay ningún documento registrado con este hash; envíe su texto.',
    'Não há nenhum documento registrado com este hash; envie seu texto.',
  ],
  documentsAway: [
    'Trusted documents cannot be looked up right now; try again in a moment.',
    'Los documentos de confianza no se pueden consultar en este momento; inténtelo de nuevo en un instante.',
    'Os documentos confiáveis não podem ser consultados agora; tente novamente em instantes.',
  ],
  onlyEntity: [
    'The only entity of this service is Company.',
    'La única entidad de este servicio es Company.',
    'A única entidade deste serviço é Company.',
  ],
  identifyEntity: [
    'Identify a Company by `id`, or by `country` (BR, CL or CO) and `identifier`.',
    'Identifique una Company por `id`, o por `country` (BR, CL o CO) e `identifier`.',
    'Identifique uma Company por `id`, ou por `country` (BR, CL ou CO) e `identifier`.',
  ],
  notAnId: ['This is not an id of this API.', 'Este no es un id de esta API.', 'Este não é um id desta API.'],
  manyCompanies: [
    'Ask for at most {max} companies at a time.',
    'Pida como máximo {max} empresas a la vez.',
    'Peça no máximo {max} empresas de uma vez.',
  ],
  manyIds: ['Ask for at most {max} ids at a time.', 'Pida como máximo {max} ids a la vez.', 'Peça no máximo {max} ids de uma vez.'],
  pageSize: ['Ask for 1 to {max} items at a time.', 'Pida de 1 a {max} elementos a la vez.', 'Peça de 1 a {max} itens de uma vez.'],
  dayUpToToday: ['Give a day up to today.', 'Indique un día que no sea posterior a hoy.', 'Informe um dia que não seja posterior a hoje.'],
  notACursor: ['This is not a cursor of this connection.', 'Este no es un cursor de esta conexión.', 'Este não é um cursor desta conexão.'],
});

/**
 * Errors that graphql-js raises, by code. Its own sentences are English and their wording changes with its versions. In other languages the
 * error has one of these, and its English sentence as `englishMessage`.
 */
export const engineMessages = defineMessages('engine', {
  GRAPHQL_PARSE_FAILED: [
    'The document is not valid GraphQL; `englishMessage` says why.',
    'El documento no es GraphQL válido; `englishMessage` dice por qué, en inglés.',
    'O documento não é GraphQL válido; `englishMessage` diz por quê, em inglês.',
  ],
  GRAPHQL_VALIDATION_FAILED: [
    'The document does not match the schema; `englishMessage` says why.',
    'El documento no corresponde al esquema; `englishMessage` dice por qué, en inglés.',
    'O documento não corresponde ao esquema; `englishMessage` diz por quê, em inglês.',
  ],
  TOO_MANY_VALIDATION_ERRORS: [
    'The document has more errors than are reported.',
    'El documento tiene más errores de los que se informan.',
    'O documento tem mais erros do que os informados.',
  ],
  BAD_USER_INPUT: [
    'A value of the operation is not valid; `englishMessage` says why.',
    'Un valor de la operación no es válido; `englishMessage` dice por qué, en inglés.',
    'Um valor da operação não é válido; `englishMessage` diz por quê, em inglês.',
  ],
  BAD_REQUEST: [
    'The operation cannot be executed; `englishMessage` says why.',
    'La operación no se puede ejecutar; `englishMessage` dice por qué, en inglés.',
    'A operação não pode ser executada; `englishMessage` diz por quê, em inglês.',
  ],
});

/** Things that an operation has too many of, by their English name. */
const things = {
  'points of cost': ['points of cost', 'puntos de costo', 'pontos de custo'],
  'values in its answer': ['values in its answer', 'valores en su respuesta', 'valores em sua resposta'],
  'bytes of text': ['bytes of text', 'bytes de texto', 'bytes de texto'],
  tokens: ['tokens', 'tokens', 'tokens'],
  'characters in one text': ['characters in one text', 'caracteres en un texto', 'caracteres em um texto'],
  variables: ['variables', 'variables', 'variáveis'],
  'values in its variables': ['values in its variables', 'valores en sus variables', 'valores em suas variáveis'],
  'levels within a variable': ['levels within a variable', 'niveles dentro de una variable', 'níveis dentro de uma variável'],
  'levels of fields': ['levels of fields', 'niveles de campos', 'níveis de campos'],
  'fields at its root': ['fields at its root', 'campos en su raíz', 'campos em sua raiz'],
  'introspection fields': ['introspection fields', 'campos de introspección', 'campos de introspecção'],
  aliases: ['aliases', 'alias', 'aliases'],
  directives: ['directives', 'directivas', 'diretivas'],
  fields: ['fields', 'campos', 'campos'],
} as const;

export type Counted = keyof typeof things;

const countedMessages = defineMessages('counted', things);

export const countedMessage = (thing: Counted): Message => countedMessages[thing]();
