import { defineMessages } from './message.ts';

/** Refusals of a request before or beside its answer: keys, limits, bodies, deadlines. */
export const requestMessages = defineMessages('requests', {
  internal: [
    'Something went wrong on our side; the request id helps us find it.',
    'Algo falló de nuestro lado; el id de la solicitud nos ayuda a encontrarlo.',
    'Algo falhou do nosso lado; o id da solicitação nos ajuda a encontrá-lo.',
  ],
  originRefused: [
    'Web pages of this origin may not call the service. Its operator can add the origin to QUIPU_ALLOWED_ORIGINS.',
    'Las páginas web de este origen no pueden llamar al servicio. Su operador puede agregar el origen a QUIPU_ALLOWED_ORIGINS.',
    'As páginas web desta origem não podem chamar o serviço. Seu operador pode adicionar a origem a QUIPU_ALLOWED_ORIGINS.',
  ],
  missingKey: [
    'Send your API key in the X-API-Key header, or as Authorization: Bearer.',
    'Envíe su clave de API en el encabezado X-API-Key, o como Authorization: Bearer.',
    'Envie sua chave de API no cabeçalho X-API-Key, ou como Authorization: Bearer.',
  ],
  keyInUrl: [
    'Send the API key in the X-API-Key header, never in a URL; replace this key.',
    'Envíe la clave de API en el encabezado X-API-Key, nunca en una URL; reemplace esta clave.',
    'Envie a chave de API no cabeçalho X-API-Key, nunca em uma URL; substitua esta chave.',
  ],
  invalidKey: [
    'This API key is not valid: it is unknown, expired or revoked.',
    'Esta clave de API no es válida: es desconocida, venció o fue revocada.',
    'Esta chave de API não é válida: é desconhecida, expirou ou foi revogada.',
  ],
  keyNoLongerValid: ['This API key is not valid any more.', 'Esta clave de API ya no es válida.', 'Esta chave de API já não é válida.'],
  sessionEnded: [
    'Your session has ended; sign in again.',
    'Su sesión terminó; inicie sesión de nuevo.',
    'Sua sessão terminou; faça login novamente.',
  ],
  keyUnchecked: [
    'Your key cannot be checked right now; try again in a moment.',
    'Su clave no se puede comprobar en este momento; inténtelo de nuevo en un instante.',
    'Sua chave não pode ser verificada agora; tente novamente em instantes.',
  ],
  tooManyInvalidKeys: [
    'Too many invalid keys were sent from your address; check your key, and try again later.',
    'Se enviaron demasiadas claves no válidas desde su dirección; revise su clave e inténtelo más tarde.',
    'Chaves inválidas demais foram enviadas do seu endereço; confira sua chave e tente mais tarde.',
  ],
  moduleNotEnabled: [
    'Module {module} is not enabled on this API key.',
    'El módulo «{module}» no está habilitado en esta clave de API.',
    'O módulo “{module}” não está habilitado nesta chave de API.',
  ],
  roleNotAllowed: [
    'This API key has the role {role}; this needs a key with the role {needed}.',
    'Esta clave de API tiene el rol {role}; para esto hace falta una clave con el rol {needed}.',
    'Esta chave de API tem o papel {role}; para isto é necessária uma chave com o papel {needed}.',
  ],
  moduleRemoved: [
    'The module was removed from this API key.',
    'El módulo se quitó de esta clave de API.',
    'O módulo foi removido desta chave de API.',
  ],
  tooManyInProgress: [
    'This key has too many requests in progress; wait for some of their answers.',
    'Esta clave tiene demasiadas solicitudes en curso; espere algunas de sus respuestas.',
    'Esta chave tem solicitações demais em andamento; aguarde algumas de suas respostas.',
  ],
  overloaded: [
    'Too many requests are in progress here; try again in a moment.',
    'Hay demasiadas solicitudes en curso aquí; inténtelo de nuevo en un instante.',
    'Há solicitações demais em andamento aqui; tente novamente em instantes.',
  ],
  tooManyStreamsOfKey: [
    'This key has the maximum number of open sockets and event streams; close one first.',
    'Esta clave tiene el número máximo de sockets y flujos de eventos abiertos; cierre uno primero.',
    'Esta chave tem o número máximo de sockets e fluxos de eventos abertos; feche um primeiro.',
  ],
  tooManyStreams: [
    'Too many event streams are open here; try again in a moment.',
    'Hay demasiados flujos de eventos abiertos aquí; inténtelo de nuevo en un instante.',
    'Há fluxos de eventos demais abertos aqui; tente novamente em instantes.',
  ],
  moduleRate: [
    'This key may call module {module} {perMinute} times a minute, {burst} of them at once; try again in {seconds} s.',
    'Esta clave puede usar el módulo «{module}» {perMinute} veces por minuto, {burst} de ellas a la vez; inténtelo de nuevo en {seconds} s.',
    'Esta chave pode usar o módulo “{module}” {perMinute} vezes por minuto, {burst} delas de uma vez; tente novamente em {seconds} s.',
  ],
  actionRate: [
    'This key may do this {perMinute} times a minute, {burst} of them at once; try again in {seconds} s.',
    'Esta clave puede hacer esto {perMinute} veces por minuto, {burst} de ellas a la vez; inténtelo de nuevo en {seconds} s.',
    'Esta chave pode fazer isto {perMinute} vezes por minuto, {burst} delas de uma vez; tente novamente em {seconds} s.',
  ],
  noPointsLeft: [
    'This key has no cost points left for now; try again in {seconds} s.',
    'Esta clave no tiene puntos de costo por ahora; inténtelo de nuevo en {seconds} s.',
    'Esta chave não tem pontos de custo por enquanto; tente novamente em {seconds} s.',
  ],
  disconnected: [
    'The client closed the connection before the answer was complete.',
    'El cliente cerró la conexión antes de que la respuesta estuviera completa.',
    'O cliente fechou a conexão antes que a resposta estivesse completa.',
  ],
  deadline: [
    'This was not answered in time; repeat the request, or request less at once.',
    'Esto no se respondió a tiempo; repita la solicitud, o pida menos a la vez.',
    'Isto não foi respondido a tempo; repita a solicitação, ou peça menos de uma vez.',
  ],
  databaseAway: [
    'Our database does not answer right now; try again in a moment.',
    'Nuestra base de datos no responde en este momento; inténtelo de nuevo en un instante.',
    'Nosso banco de dados não responde agora; tente novamente em instantes.',
  ],
  usageNotRecorded: [
    'Your usage cannot be recorded right now, so nothing was answered; try again in a moment.',
    'Su uso no se puede registrar en este momento, por lo que no se respondió nada; inténtelo de nuevo en un instante.',
    'Seu uso não pode ser registrado agora, por isso nada foi respondido; tente novamente em instantes.',
  ],
  eventsUnread: [
    'Events cannot be read right now; try again in a moment.',
    'Los eventos no se pueden leer en este momento; inténtelo de nuevo en un instante.',
    'Os eventos não podem ser lidos agora; tente novamente em instantes.',
  ],
  lagged: [
    'This subscription read its events too slowly and was closed; subscribe again.',
    'Esta suscripción leyó sus eventos demasiado despacio y se cerró; suscríbase de nuevo.',
    'Esta assinatura leu seus eventos devagar demais e foi fechada; assine novamente.',
  ],
  laggedAtCursor: [
    'This subscription read its events too slowly and was closed; subscribe again after the last cursor.',
    'Esta suscripción leyó sus eventos demasiado despacio y se cerró; suscríbase de nuevo después del último cursor.',
    'Esta assinatura leu seus eventos devagar demais e foi fechada; assine novamente após o último cursor.',
  ],
  receiptNotWritten: [
    'The receipt cannot be written right now; try again in a moment.',
    'El comprobante no se puede escribir en este momento; inténtelo de nuevo en un instante.',
    'O comprovante não pode ser gravado agora; tente novamente em instantes.',
  ],
  receiptNotFound: [
    'This account has no such receipt, or it has been deleted.',
    'Esta cuenta no tiene ese comprobante, o fue eliminado.',
    'Esta conta não tem esse comprovante, ou ele foi excluído.',
  ],
  badIdempotencyKey: [
    'An Idempotency-Key is 1 to 255 visible characters without blanks.',
    'Una Idempotency-Key tiene de 1 a 255 caracteres visibles, sin espacios.',
    'Uma Idempotency-Key tem de 1 a 255 caracteres visíveis, sem espaços.',
  ],
  idempotencyInMcp: [
    'Leave out the Idempotency-Key: a client of MCP sends the same headers with every message.',
    'Omita la Idempotency-Key: un cliente de MCP envía los mismos encabezados con cada mensaje.',
    'Omita a Idempotency-Key: um cliente de MCP envia os mesmos cabeçalhos com cada mensagem.',
  ],
  idempotencyInStream: [
    'Leave out the Idempotency-Key, or accept JSON: an event stream is not stored.',
    'Omita la Idempotency-Key, o acepte JSON: un flujo de eventos no se guarda.',
    'Omita a Idempotency-Key, ou aceite JSON: um fluxo de eventos não é guardado.',
  ],
  idempotencyKeyReused: [
    'This Idempotency-Key was sent before with another request; take a new key for a new request.',
    'Esta Idempotency-Key ya se envió con otra solicitud; use una clave nueva para una solicitud nueva.',
    'Esta Idempotency-Key já foi enviada com outra solicitação; use uma chave nova para uma solicitação nova.',
  ],
  idempotencyInProgress: [
    'The first request under this Idempotency-Key has not been answered yet; repeat it in a moment.',
    'La primera solicitud con esta Idempotency-Key aún no se ha respondido; repítala en un instante.',
    'A primeira solicitação com esta Idempotency-Key ainda não foi respondida; repita-a em instantes.',
  ],
  idempotencyAnswerNotStored: [
    'The change under this Idempotency-Key was made, but its answer was too large to store. It is not made again: query what it changed.',
    'El cambio con esta Idempotency-Key se hizo, pero su respuesta era demasiado grande para guardarla. No se repite: consulte lo que cambió.',
    'A mudança com esta Idempotency-Key foi feita, mas sua resposta era grande demais para ser guardada. Ela não se repete: consulte o que mudou.',
  ],
  idempotencyQuota: [
    'This API key has sent {max} different Idempotency-Keys today (UTC); send the request without one, or tomorrow.',
    'Esta clave de API ha enviado hoy (UTC) {max} Idempotency-Keys distintas; envíe la solicitud sin ella, o mañana.',
    'Esta chave de API enviou hoje (UTC) {max} Idempotency-Keys diferentes; envie a solicitação sem ela, ou amanhã.',
  ],
  idempotencyUnavailable: [
    'The outcome under your Idempotency-Key cannot be stored right now; repeat the request in a moment.',
    'El resultado con su Idempotency-Key no se puede guardar en este momento; repita la solicitud en un instante.',
    'O resultado com sua Idempotency-Key não pode ser guardado agora; repita a solicitação em instantes.',
  ],
  notJson: ['The body is not valid JSON.', 'El cuerpo no es JSON válido.', 'O corpo não é JSON válido.'],
  emptyBody: [
    'The body is empty; send a JSON object.',
    'El cuerpo está vacío; envíe un objeto JSON.',
    'O corpo está vazio; envie um objeto JSON.',
  ],
  wrongLength: [
    'The body is shorter or longer than its Content-Length.',
    'El cuerpo es más corto o más largo que su Content-Length.',
    'O corpo é mais curto ou mais longo que seu Content-Length.',
  ],
  tooManyFields: [
    'The body has too many fields, objects or lists.',
    'El cuerpo tiene demasiados campos, objetos o listas.',
    'O corpo tem campos, objetos ou listas demais.',
  ],
  tooDeep: [
    'The body is nested too deeply.',
    'El cuerpo está anidado con demasiada profundidad.',
    'O corpo está aninhado com profundidade demais.',
  ],
  tooLarge: ['The body is larger than 1 MiB.', 'El cuerpo supera 1 MiB.', 'O corpo é maior que 1 MiB.'],
  mediaType: ['Send the body as application/json.', 'Envíe el cuerpo como application/json.', 'Envie o corpo como application/json.'],
  notUnderstood: ['The request cannot be understood.', 'La solicitud no se puede entender.', 'A solicitação não pode ser entendida.'],
  urlNotUnderstood: ['This URL cannot be understood.', 'Esta URL no se puede entender.', 'Esta URL não pode ser entendida.'],
  noPath: [
    'There is nothing at this path. GET /v1 lists the endpoints.',
    'No hay nada en esta ruta. GET /v1 enumera los endpoints.',
    'Não há nada neste caminho. GET /v1 lista os endpoints.',
  ],
  otherPath: [
    'There is nothing at this path. Did you mean {path}? GET /v1 lists the endpoints.',
    'No hay nada en esta ruta. ¿Quiso decir {path}? GET /v1 enumera los endpoints.',
    'Não há nada neste caminho. Você quis dizer {path}? GET /v1 lista os endpoints.',
  ],
  methodNotAllowed: ['This path answers {methods} only.', 'Esta ruta solo responde a {methods}.', 'Este caminho só responde a {methods}.'],
  oneMessage: [
    'Send one message, not a list of messages.',
    'Envíe un mensaje, no una lista de mensajes.',
    'Envie uma mensagem, não uma lista de mensagens.',
  ],
});
