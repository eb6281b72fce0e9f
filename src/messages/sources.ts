import { defineMessages } from './message.ts';

/** Failures of sources. */
export const sourceMessages = defineMessages('sources', {
  unavailable: [
    'Source {source} cannot be read right now; try again later.',
    'La fuente «{source}» no se puede leer en este momento; inténtelo más tarde.',
    'A fonte “{source}” não pode ser lida agora; tente mais tarde.',
  ],
  notConfigured: [
    'Source {source} is not configured: the operator of this service must set {setting}. It is asked for at {address}',
    'La fuente «{source}» no está configurada: el operador de este servicio debe definir {setting}. Se solicita en {address}',
    'A fonte “{source}” não está configurada: o operador deste serviço deve definir {setting}. Solicita-se em {address}',
  ],
  noCopy: [
    'This answer needs the own copy of the Brazilian registry, which this service does not use: its operator must load it (quipu import receita) and set QUIPU_RECEITA_MODE.',
    'Esta respuesta requiere la copia propia del registro brasileño, que este servicio no usa: su operador debe cargarla (quipu import receita) y definir QUIPU_RECEITA_MODE.',
    'Esta resposta requer a cópia própria do cadastro brasileiro, que este serviço não usa: seu operador deve carregá-la (quipu import receita) e definir QUIPU_RECEITA_MODE.',
  ],
  noneAnswered: [
    'No source of the consolidated check answered; try again later.',
    'Ninguna fuente de la verificación consolidada respondió; inténtelo más tarde.',
    'Nenhuma fonte da verificação consolidada respondeu; tente mais tarde.',
  ],
  noneAnsweredYet: [
    'No source of the consolidated check answered.',
    'Ninguna fuente de la verificación consolidada respondió.',
    'Nenhuma fonte da verificação consolidada respondeu.',
  ],
  noName: ['The registry states no name.', 'El registro no indica ningún nombre.', 'O cadastro não informa nenhum nome.'],
  nameUnknown: [
    '{list} has rows whose tax id cannot be read, and the name of this company, with which they could be compared, is not known right now; try again later: the list does not show whether the company is on it.',
    'La lista «{list}» tiene filas cuyo identificador no se puede leer, y ahora no se conoce el nombre de esta empresa, con el que podrían compararse; inténtelo más tarde: la lista no muestra si la empresa figura en ella.',
    'A lista “{list}” tem linhas cujo identificador não pode ser lido, e agora não se conhece o nome desta empresa, com o qual poderiam ser comparadas; tente mais tarde: a lista não mostra se a empresa consta nela.',
  ],
  nameAlike: [
    '{list} has rows whose tax id cannot be read, and one of them has a name like that of this company: the list does not show whether the company is on it.',
    'La lista «{list}» tiene filas cuyo identificador no se puede leer, y una de ellas tiene un nombre como el de esta empresa: la lista no muestra si la empresa figura en ella.',
    'A lista “{list}” tem linhas cujo identificador não pode ser lido, e uma delas tem um nome como o desta empresa: a lista não mostra se a empresa consta nela.',
  ],
  nameWithoutWords: [
    '{list} has rows whose tax id cannot be read, and the name of this company has no word with which they could be compared: the list does not show whether the company is on it.',
    'La lista «{list}» tiene filas cuyo identificador no se puede leer, y el nombre de esta empresa no tiene ninguna palabra con la que podrían compararse: la lista no muestra si la empresa figura en ella.',
    'A lista “{list}” tem linhas cujo identificador não pode ser lido, e o nome desta empresa não tem nenhuma palavra com a qual poderiam ser comparadas: a lista não mostra se a empresa consta nela.',
  ],
  nobodyNamed: [
    '{list} has a row with neither a tax id that can be read nor a name, which may be about any company or person: the list does not show who is not on it.',
    'La lista «{list}» tiene una fila sin identificador legible y sin nombre, que puede referirse a cualquier empresa o persona: la lista no muestra quién no figura en ella.',
    'A lista “{list}” tem uma linha sem identificador legível e sem nome, que pode se referir a qualquer empresa ou pessoa: a lista não mostra quem não consta nela.',
  ],
  doubtfulId: [
    '{list} has a row with the number of this company and without a right check digit: the list does not show whether the company is on it.',
    'La lista «{list}» tiene una fila con el número de esta empresa y sin un dígito verificador correcto: la lista no muestra si la empresa figura en ella.',
    'A lista “{list}” tem uma linha com o número desta empresa e sem um dígito verificador correto: a lista não mostra se a empresa consta nela.',
  ],
  unreadableEnd: [
    '{list} has a row about this company that cannot be read: the list does not show whether the company has ended its activities.',
    'La lista «{list}» tiene una fila sobre esta empresa que no se puede leer: la lista no muestra si la empresa terminó sus actividades.',
    'A lista “{list}” tem uma linha sobre esta empresa que não pode ser lida: a lista não mostra se a empresa encerrou suas atividades.',
  ],
  unreadableId: [
    '{list} has a row whose tax id cannot be read and may be that of this company: the list does not show whether the company is on it.',
    'La lista «{list}» tiene una fila cuyo identificador no se puede leer y puede ser el de esta empresa: la lista no muestra si la empresa figura en ella.',
    'A lista “{list}” tem uma linha cujo identificador não pode ser lido e pode ser o desta empresa: a lista não mostra se a empresa consta nela.',
  ],
});

/** Failures to find a company by a domain, and to read a site. */
export const siteMessages = defineMessages('sites', {
  notADomain: [
    'Give a domain such as empresa.cl or empresa.com.br; a URL or an e-mail address of the domain is accepted, too.',
    'Indique un dominio como empresa.cl o empresa.com.br; también se acepta una URL o un correo electrónico del dominio.',
    'Informe um domínio como empresa.cl ou empresa.com.br; também se aceita uma URL ou um e-mail do domínio.',
  ],
  withPassword: [
    'Leave the user name and the password out of the address.',
    'Omita el usuario y la contraseña en la dirección.',
    'Omita o usuário e a senha no endereço.',
  ],
  publicSuffix: [
    '{host} is a public suffix; give a domain below it.',
    '{host} es un sufijo público; indique un dominio bajo él.',
    '{host} é um sufixo público; informe um domínio abaixo dele.',
  ],
  otherFamily: [
    'A company can be found only by domains under {first} and {second}; for {domain} give the tax id.',
    'Una empresa solo se encuentra por dominios bajo {first} y {second}; para {domain} indique el identificador tributario.',
    'Uma empresa só é encontrada por domínios sob {first} e {second}; para {domain} informe o identificador fiscal.',
  ],
  wrongPort: [
    'A site is read over http or https, on port 80, 443, 8080 or 8443.',
    'Un sitio se lee por http o https, en el puerto 80, 443, 8080 u 8443.',
    'Um site é lido por http ou https, na porta 80, 443, 8080 ou 8443.',
  ],
  noSuchName: ['There is no such domain name.', 'No existe ese nombre de dominio.', 'Esse nome de domínio não existe.'],
  robots: [
    'The site asks not to be read by programs like ours (robots.txt).',
    'El sitio pide que programas como el nuestro no lo lean (robots.txt).',
    'O site pede que programas como o nosso não o leiam (robots.txt).',
  ],
  challenge: [
    'The site answered with a check for people instead of its page.',
    'El sitio pidió comprobar que el visitante es una persona, en lugar de mostrar su página.',
    'O site pediu para verificar se o visitante é uma pessoa, em vez de mostrar sua página.',
  ],
  notAPage: [
    'The site answered with something that is no page.',
    'El sitio respondió con algo que no es una página.',
    'O site respondeu com algo que não é uma página.',
  ],
  noCompany: [
    'No company was found behind {domain}: {reason}. Give the tax id instead.',
    'No se encontró ninguna empresa detrás de {domain}: {reason}. Indique el identificador tributario.',
    'Nenhuma empresa foi encontrada por trás de {domain}: {reason}. Informe o identificador fiscal.',
  ],
  leadsNowhere: ['it leads to no company', 'no conduce a ninguna empresa', 'não leva a nenhuma empresa'],
});

/** Reasons for which no company is found behind a domain. They continue `noCompany`. */
export const unresolvedMessages = defineMessages('unresolved', {
  not_registered: ['its registry has no such domain', 'su registro no tiene ese dominio', 'seu registro não tem esse domínio'],
  no_such_name: ['it has no address in the DNS', 'no tiene dirección en el DNS', 'não tem endereço no DNS'],
  person: ['a person holds it', 'su titular es una persona', 'seu titular é uma pessoa'],
  robots: ['its site asks robots not to read it', 'su sitio pide a los robots que no lo lean', 'seu site pede aos robôs que não o leiam'],
  not_named: [
    'the pages of its site name no company with a valid tax id',
    'las páginas de su sitio no mencionan ninguna empresa con un identificador válido',
    'as páginas de seu site não citam nenhuma empresa com um identificador válido',
  ],
  ambiguous: [
    'the pages of its site name several companies, none clearly before the others',
    'las páginas de su sitio mencionan varias empresas, ninguna claramente antes que las demás',
    'as páginas de seu site citam várias empresas, nenhuma claramente antes das demais',
  ],
});
