import { defineMessages } from './message.ts';

/** The mails to people about watched companies, the pages that their links open, and the errors of their settings. */
export const mailMessages = defineMessages('mails', {
  subjectChanged: [
    '{account}: {n} {n|company|companies} changed',
    '{account}: {n} {n|empresa cambió|empresas cambiaron}',
    '{account}: {n} {n|empresa mudou|empresas mudaram}',
  ],
  subjectIncomplete: [
    '{account}: no change known, but not everything could be checked',
    '{account}: ningún cambio conocido, pero no se pudo verificar todo',
    '{account}: nenhuma mudança conhecida, mas nem tudo pôde ser verificado',
  ],
  subjectQuiet: [
    '{account}: no change in {n} watched {n|company|companies}',
    '{account}: sin cambios en {n} {n|empresa monitoreada|empresas monitoreadas}',
    '{account}: sem mudanças em {n} {n|empresa monitorada|empresas monitoradas}',
  ],
  since: [
    'This covers the changes detected since {since}. Times are in the time zone {zone}.',
    'Incluye los cambios detectados desde el {since}. Las horas son de la zona horaria {zone}.',
    'Abrange as mudanças detectadas desde {since}. Os horários são do fuso {zone}.',
  ],
  nothing: [
    'Nothing changed, and every company and every list was checked.',
    'Nada cambió, y todas las empresas y todas las listas fueron verificadas.',
    'Nada mudou, e todas as empresas e todas as listas foram verificadas.',
  ],
  changed: ['What changed', 'Qué cambió', 'O que mudou'],
  onLists: ['On lists now: {lists}', 'En listas ahora: {lists}', 'Em listas agora: {lists}'],
  more: [
    '{n} more {n|change|changes} of this company',
    '{n} {n|cambio|cambios} más de esta empresa',
    'Mais {n} {n|mudança|mudanças} desta empresa',
  ],
  others: [
    '{n} more {n|company|companies} changed. The dashboard shows all of them',
    '{n|Cambió|Cambiaron} {n} {n|empresa|empresas} más. El panel muestra todas',
    'Mais {n} {n|empresa mudou|empresas mudaram}. O painel mostra todas',
  ],
  unchecked: ['Could not be checked', 'No se pudieron verificar', 'Não puderam ser verificadas'],
  uncheckedWhy: [
    'The registry gave no answer about these companies ({n} in all). They may have changed.',
    'El registro no respondió sobre estas empresas ({n} en total). Pueden haber cambiado.',
    'O cadastro não respondeu sobre estas empresas ({n} no total). Elas podem ter mudado.',
  ],
  lastChecked: ['last checked {at}', 'última verificación {at}', 'última verificação {at}'],
  neverChecked: ['not checked yet', 'aún sin verificar', 'ainda não verificada'],
  unread: ['Lists that could not be read', 'Listas que no se pudieron leer', 'Listas que não puderam ser lidas'],
  unreadWhy: [
    'Companies were compared with the last version that was read. A newer one may name them.',
    'Las empresas se compararon con la última versión leída. Pueden figurar en una más reciente.',
    'As empresas foram comparadas com a última versão lida. Uma mais recente pode citá-las.',
  ],
  lastRead: ['last read {at}', 'última lectura {at}', 'última leitura {at}'],
  neverRead: ['never read', 'nunca leída', 'nunca lida'],
  held: [
    'Changes that wait for a second check or for the operator of the service: {n}.',
    'Cambios que esperan una segunda verificación o al operador del servicio: {n}.',
    'Mudanças que aguardam uma segunda verificação ou o operador do serviço: {n}.',
  ],
  lost: [
    'Some changes of this period are not kept any more and are missing here. Check the companies in the dashboard.',
    'Algunos cambios de este período ya no se conservan y faltan aquí. Verifique las empresas en el panel.',
    'Algumas mudanças deste período não são mais guardadas e faltam aqui. Verifique as empresas no painel.',
  ],
  candidates: [
    'Candidates by name without a decision: {n}',
    'Candidatos por nombre sin decisión: {n}',
    'Candidatos por nome sem decisão: {n}',
  ],
  dashboard: ['Open the dashboard', 'Abrir el panel', 'Abrir o painel'],
  ownersChanged: ['Owners have changed', 'Cambiaron los socios', 'Os sócios mudaram'],
  officersChanged: ['The legal representative has changed', 'Cambió el representante legal', 'O representante legal mudou'],
  why: [
    'You receive this e-mail at {email} because you confirmed it for the account {account}.',
    'Usted recibe este correo en {email} porque lo confirmó para la cuenta {account}.',
    'Você recebe este e-mail em {email} porque o confirmou para a conta {account}.',
  ],
  unsubscribe: ['Stop these e-mails', 'Dejar de recibir estos correos', 'Parar de receber estes e-mails'],
  inviteSubject: [
    'Confirm the daily e-mail of {account}',
    'Confirme el correo diario de {account}',
    'Confirme o e-mail diário de {account}',
  ],
  invite: [
    'The account {account} of Quipu wants to send the changes of its watched companies to {email} each morning. If you want that, confirm it. Otherwise ignore this e-mail: nothing else is sent, and the address is deleted after 7 days.',
    'La cuenta {account} de Quipu quiere enviar cada mañana a {email} los cambios de sus empresas monitoreadas. Si lo desea, confírmelo. Si no, ignore este correo: no se envía nada más y la dirección se elimina después de 7 días.',
    'A conta {account} do Quipu quer enviar a {email}, toda manhã, as mudanças das empresas monitoradas. Se você quiser, confirme. Caso contrário, ignore este e-mail: nada mais é enviado, e o endereço é excluído após 7 dias.',
  ],
  confirm: ['Confirm', 'Confirmar', 'Confirmar'],
  confirmed: [
    'Confirmed. The next e-mail comes at {hour}:00 ({zone}), on days with something to report.',
    'Confirmado. El próximo correo llega a las {hour}:00 ({zone}), los días con algo que informar.',
    'Confirmado. O próximo e-mail chega às {hour}:00 ({zone}), nos dias com algo a informar.',
  ],
  confirmedEveryDay: [
    'Confirmed. The next e-mail comes at {hour}:00 ({zone}), and one comes each day.',
    'Confirmado. El próximo correo llega a las {hour}:00 ({zone}), y llega uno cada día.',
    'Confirmado. O próximo e-mail chega às {hour}:00 ({zone}), e chega um a cada dia.',
  ],
  askUnsubscribe: [
    'Stop the daily e-mail of the account {account} to {email}? The address is deleted.',
    '¿Dejar de enviar el correo diario de la cuenta {account} a {email}? La dirección se elimina.',
    'Parar de enviar o e-mail diário da conta {account} a {email}? O endereço é excluído.',
  ],
  unsubscribed: [
    'Done. No more e-mails are sent, and the address is deleted.',
    'Listo. No se enviarán más correos y la dirección se eliminó.',
    'Pronto. Nenhum outro e-mail será enviado, e o endereço foi excluído.',
  ],
  invalidLink: ['This link is not valid any more.', 'Este enlace ya no es válido.', 'Este link não é mais válido.'],
  noMails: [
    'This service sends no mails: its operator must set QUIPU_SMTP_URL, QUIPU_MAIL_FROM and QUIPU_PUBLIC_URL.',
    'Este servicio no envía correos: su operador debe definir QUIPU_SMTP_URL, QUIPU_MAIL_FROM y QUIPU_PUBLIC_URL.',
    'Este serviço não envia e-mails: seu operador deve definir QUIPU_SMTP_URL, QUIPU_MAIL_FROM e QUIPU_PUBLIC_URL.',
  ],
  badAddress: [
    'Give an e-mail address, such as ana@example.com.',
    'Indique una dirección de correo, como ana@example.com.',
    'Informe um endereço de e-mail, como ana@example.com.',
  ],
  badTimeZone: [
    'Give the name of a time zone, such as America/Bogota.',
    'Indique el nombre de una zona horaria, como America/Bogota.',
    'Informe o nome de um fuso horário, como America/Bogota.',
  ],
  badHour: ['Give an hour from 0 to 23.', 'Indique una hora de 0 a 23.', 'Informe uma hora de 0 a 23.'],
  tooMany: [
    'An account has at most {max} mail subscriptions; delete some.',
    'Una cuenta tiene como máximo {max} suscripciones de correo; elimine algunas.',
    'Uma conta tem no máximo {max} assinaturas de e-mail; exclua algumas.',
  ],
  notOfAccount: [
    'This account has no such mail subscription.',
    'Esta cuenta no tiene esa suscripción de correo.',
    'Esta conta não tem essa assinatura de e-mail.',
  ],
});
