import { defineMessages, type Language, type Message, type MessageData, messageOf } from './message.ts';

/** Sentences about the part of a marketplace that was searched, and about what lists contain. */
export const coverageMessages = defineMessages('coverage', {
  contractFines: [
    'Public bodies publish few of their fines: about 1,700 on SECOP I, most of them of people, and about 550 on SECOP II, which are found by their contracts. A company without a record may have been fined. A fine is no ban.',
    'Las entidades públicas publican pocas de sus multas: unas 1.700 en SECOP I, en su mayoría de personas, y unas 550 en SECOP II, que se encuentran por sus contratos. Una empresa sin registro puede haber sido multada. Una multa no es una inhabilitación.',
    'Os órgãos públicos publicam poucas de suas multas: cerca de 1.700 no SECOP I, na maioria de pessoas, e cerca de 550 no SECOP II, que se encontram por seus contratos. Uma empresa sem registro pode ter sido multada. Uma multa não é um impedimento.',
  ],
  ownersFile: [
    'The Chilean tax registry publishes the owners of companies once a year; this file is of {date}. Natural persons are one owner, without names.',
    'El registro tributario de Chile publica los socios de las empresas una vez al año; este archivo es del {date}. Las personas naturales figuran como un solo socio, sin nombres.',
    'O cadastro tributário do Chile publica os sócios das empresas uma vez por ano; este arquivo é de {date}. As pessoas físicas constam como um só sócio, sem nomes.',
  ],
  ownersFiles: [
    'The Chilean tax registry publishes the owners of companies once a year. Files from {from} to {to} were compared; nothing is known about the time before, and a change may be up to a year older than its file.',
    'El registro tributario de Chile publica los socios de las empresas una vez al año. Se compararon los archivos del {from} al {to}; nada se sabe del tiempo anterior, y un cambio puede ser hasta un año anterior a su archivo.',
    'O cadastro tributário do Chile publica os sócios das empresas uma vez por ano. Foram comparados os arquivos de {from} a {to}; nada se sabe do tempo anterior, e uma mudança pode ser até um ano anterior ao seu arquivo.',
  ],
  ordersIndexed: [
    'Orders of {months} are indexed.',
    'Están indexadas las órdenes de compra de {months}.',
    'Estão indexadas as ordens de compra de {months}.',
  ],
  awardsIndexed: [
    'Awards of {months} are indexed.',
    'Están indexadas las adjudicaciones de {months}.',
    'Estão indexadas as adjudicações de {months}.',
  ],
  notIndexed: ['Not indexed yet: {months}.', 'Aún sin indexar: {months}.', 'Ainda não indexado: {months}.'],
  noOrders: [
    'No month of orders is indexed whole yet.',
    'Aún no hay ningún mes de órdenes de compra indexado por completo.',
    'Ainda não há nenhum mês de ordens de compra indexado por completo.',
  ],
  noAwards: [
    'No month of awards is indexed whole yet.',
    'Aún no hay ningún mes de adjudicaciones indexado por completo.',
    'Ainda não há nenhum mês de adjudicações indexado por completo.',
  ],
  range: ['{from} to {to}', '{from} a {to}', '{from} a {to}'],
  chileanFiles: [
    'The files they come from are about a day behind; what people sold under their own RUT is not kept.',
    'Los archivos de los que provienen llevan alrededor de un día de retraso; no se guarda lo que vendieron personas con su propio RUT.',
    'Os arquivos de que provêm têm cerca de um dia de atraso; não se guarda o que pessoas venderam com seu próprio RUT.',
  ],
  byPublication: [
    'By date of publication on PNCP; contracts by which the supplier pays are not included.',
    'Por fecha de publicación en PNCP; no se incluyen los contratos por los que paga el proveedor.',
    'Por data de publicação no PNCP; não se incluem os contratos pelos quais o fornecedor paga.',
  ],
  ordersOfDays: [
    'The index of orders is not available: only orders from {from} to {to} were searched.',
    'El índice de órdenes de compra no está disponible: solo se buscaron las del {from} al {to}.',
    'O índice de ordens de compra não está disponível: só se buscaram as de {from} a {to}.',
  ],
  awardsOfDays: [
    'The index of awards is not available: only awards from {from} to {to} were searched.',
    'El índice de adjudicaciones no está disponible: solo se buscaron las adjudicaciones del {from} al {to}.',
    'O índice de adjudicações não está disponível: só se buscaram as adjudicações de {from} a {to}.',
  ],
  withoutNumber: [
    '{count} of the companies that Mercado Público returned has no supplier number and was not searched.',
    'Empresas que Mercado Público devolvió sin número de proveedor y que no se buscaron: {count}.',
    'Empresas que o Mercado Público devolveu sem número de fornecedor e que não foram buscadas: {count}.',
  ],
  openOnly: [
    'No dates were given: only tenders that are open now are searched.',
    'No se indicaron fechas: solo se buscan las licitaciones que están abiertas ahora.',
    'Não foram informadas datas: só se buscam as licitações que estão abertas agora.',
  ],
  dayByDay: [
    'Mercado Público is asked day by day: only the {days} days from {from} to {to} are searched.',
    'Mercado Público se consulta día por día: solo se buscan los {days} días del {from} al {to}.',
    'O Mercado Público é consultado dia a dia: só se buscam os {days} dias de {from} a {to}.',
  ],
  titlesOnly: [
    "Mercado Público's lists have titles only: the keyword was searched in titles, not in descriptions.",
    'Las listas de Mercado Público solo tienen títulos: la palabra clave se buscó en títulos, no en descripciones.',
    'As listas do Mercado Público só têm títulos: a palavra-chave foi buscada em títulos, não em descrições.',
  ],
  firstOf: [
    'There are {count}; the first {max} are given.',
    'Hay {count}; se muestran las primeras {max}.',
    'Há {count}; são mostradas as primeiras {max}.',
  ],
  modalities: [
    'Calls of modalities {modalities} published from {from} to {to}.',
    'Convocatorias de las modalidades {modalities} publicadas del {from} al {to}.',
    'Editais das modalidades {modalities} publicados de {from} a {to}.',
  ],
  modalitiesMissed: [
    'Modalities {modalities} were not reached in time.',
    'No se alcanzaron a tiempo las modalidades {modalities}.',
    'As modalidades {modalities} não foram alcançadas a tempo.',
  ],
  callsSearched: [
    'Of about {total} calls {seen} were searched, mostly the newest; request fewer days to search more of them.',
    'De unas {total} convocatorias se buscaron {seen}, sobre todo las más nuevas; pida menos días para buscar más de ellas.',
    'De cerca de {total} editais foram buscados {seen}, sobretudo os mais novos; peça menos dias para buscar mais deles.',
  ],
  newestOnly: ['Only the newest {max} are given.', 'Solo se muestran los {max} más nuevos.', 'Só são mostrados os {max} mais novos.'],
  newestOfMore: [
    'Only the newest {max} are given; there are more.',
    'Solo se muestran los {max} más nuevos; hay más.',
    'Só são mostrados os {max} mais novos; há mais.',
  ],
  recentOnly: [
    'Without a keyword or a start date, procedures published since {from} are searched.',
    'Sin palabra clave ni fecha de inicio, se buscan los procesos publicados desde el {from}.',
    'Sem palavra-chave nem data de início, buscam-se os processos publicados desde {from}.',
  ],
  newestContracts: [
    'Of {total} contracts only the newest {shown} are given.',
    'De {total} contratos solo se muestran los {shown} más nuevos.',
    'De {total} contratos só são mostrados os {shown} mais novos.',
  ],
  withoutTotal: [
    'Without a total, because the value printed cannot be right: {contracts}.',
    'Sin total, porque el valor impreso no puede ser correcto: {contracts}.',
    'Sem total, porque o valor impresso não pode estar certo: {contracts}.',
  ],
  supplierOnly: [
    'Contracts of SECOP II that name this NIT as the supplier; its share in consortia and temporary unions, and SECOP I, are not included.',
    'Contratos de SECOP II que citan este NIT como proveedor; no se incluyen su parte en consorcios y uniones temporales, ni SECOP I.',
    'Contratos do SECOP II que citam este NIT como fornecedor; não se incluem sua parte em consórcios e uniões temporárias, nem o SECOP I.',
  ],
  spellings: [
    'The NIT was searched as digits, with points, blanks, commas or dashes, with and without its check digit, a left zero and the word NIT; contracts that spell it otherwise are not found.',
    'El NIT se buscó como dígitos, con puntos, espacios, comas o guiones, con y sin su dígito de verificación, un cero a la izquierda y la palabra NIT; no se encuentran los contratos que lo escriben de otra forma.',
    'O NIT foi buscado como dígitos, com pontos, espaços, vírgulas ou hifens, com e sem seu dígito verificador, um zero à esquerda e a palavra NIT; não se encontram os contratos que o escrevem de outra forma.',
  ],
});

/** The part of the data that was searched, and the part that was not. */
export interface Covered<C extends string | null = string> {
  /** The sentences in English. */
  readonly coverage: C;
  readonly sentences: readonly MessageData[];
}

type Sentences = readonly (Message | null | false)[];

export function covered(given: Sentences): Covered {
  const sentences = given.filter((one) => one !== null && one !== false);
  return { coverage: writeAll(sentences, 'en'), sentences };
}

/** Returns the coverage of a search; null without a sentence, for a search of everything that was requested. */
export function coveredIfLess(given: Sentences): Covered<string | null> {
  const { coverage, sentences } = covered(given);
  return { coverage: coverage || null, sentences };
}

export const coverageIn = <C extends string | null>({ coverage, sentences }: Covered<C>, language: Language): C | string =>
  language === 'en' || coverage === null ? coverage : writeAll(sentences, language);

const writeAll = (sentences: readonly MessageData[], language: Language): string =>
  sentences.map(({ code, parameters }) => messageOf(code, parameters)?.in(language) ?? '').join(' ');
