import type { Language, Translated } from '../../../domain/mail.ts';

/** Texts of the mails and of the pages that their links open. `{name}` is a value. */
export const MAIL_TEXTS = {
  changedOne: {
    en: '{account}: 1 company changed',
    es: '{account}: 1 empresa cambió',
    pt: '{account}: 1 empresa mudou',
  },
  changedMany: {
    en: '{account}: {n} companies changed',
    es: '{account}: {n} empresas cambiaron',
    pt: '{account}: {n} empresas mudaram',
  },
  incomplete: {
    en: '{account}: no change known, but not everything could be checked',
    es: '{account}: ningún cambio conocido, pero no se pudo comprobar todo',
    pt: '{account}: nenhuma mudança conhecida, mas nem tudo pôde ser verificado',
  },
  quiet: {
    en: '{account}: no change in {n} watched companies',
    es: '{account}: sin cambios en {n} empresas vigiladas',
    pt: '{account}: sem mudanças em {n} empresas monitoradas',
  },
  since: {
    en: 'This covers the changes detected since {since}. Times are in the time zone {zone}.',
    es: 'Abarca los cambios detectados desde el {since}. Las horas son de la zona horaria {zone}.',
    pt: 'Abrange as mudanças detectadas desde {since}. Os horários são do fuso {zone}.',
  },
  nothing: {
    en: 'Nothing changed, and every company and every list was checked.',
    es: 'Nada cambió, y todas las empresas y todas las listas fueron comprobadas.',
    pt: 'Nada mudou, e todas as empresas e todas as listas foram verificadas.',
  },
  changed: { en: 'What changed', es: 'Qué cambió', pt: 'O que mudou' },
  onLists: { en: 'On lists now: {lists}', es: 'En listas ahora: {lists}', pt: 'Em listas agora: {lists}' },
  more: {
    en: '{n} more changes of this company',
    es: '{n} cambios más de esta empresa',
    pt: 'Mais {n} mudanças desta empresa',
  },
  others: {
    en: '{n} more companies changed. The dashboard shows them',
    es: '{n} empresas más cambiaron. El panel las muestra',
    pt: 'Mais {n} empresas mudaram. O painel as mostra',
  },
  unchecked: { en: 'Could not be checked', es: 'No se pudieron comprobar', pt: 'Não puderam ser verificadas' },
  uncheckedWhy: {
    en: 'The registry gave no answer about these companies ({n} in all). They may have changed.',
    es: 'El registro no respondió sobre estas empresas ({n} en total). Pueden haber cambiado.',
    pt: 'O registro não respondeu sobre estas empresas ({n} no total). Elas podem ter mudado.',
  },
  lastChecked: { en: 'last checked {at}', es: 'última comprobación {at}', pt: 'última verificação {at}' },
  neverChecked: { en: 'not checked yet', es: 'aún no comprobada', pt: 'ainda não verificada' },
  unread: { en: 'Lists that could not be read', es: 'Listas que no se pudieron leer', pt: 'Listas que não puderam ser lidas' },
  unreadWhy: {
    en: 'Companies were compared with the last version that was read. A newer one may name them.',
    es: 'Las empresas se compararon con la última versión leída. Una más reciente puede nombrarlas.',
    pt: 'As empresas foram comparadas com a última versão lida. Uma mais recente pode citá-las.',
  },
  lastRead: { en: 'last read {at}', es: 'última lectura {at}', pt: 'última leitura {at}' },
  neverRead: { en: 'never read', es: 'nunca leída', pt: 'nunca lida' },
  held: {
    en: 'Changes that wait for a second check or for the operator of the service: {n}.',
    es: 'Cambios que esperan una segunda comprobación o al operador del servicio: {n}.',
    pt: 'Mudanças que aguardam uma segunda verificação ou o operador do serviço: {n}.',
  },
  lost: {
    en: 'Some changes of this period are not kept any more and are missing here. Check the companies in the dashboard.',
    es: 'Algunos cambios de este período ya no se conservan y faltan aquí. Compruebe las empresas en el panel.',
    pt: 'Algumas mudanças deste período não são mais guardadas e faltam aqui. Verifique as empresas no painel.',
  },
  candidates: {
    en: 'Candidates by name without a decision: {n}',
    es: 'Candidatos por nombre sin decisión: {n}',
    pt: 'Candidatos por nome sem decisão: {n}',
  },
  dashboard: { en: 'Open the dashboard', es: 'Abrir el panel', pt: 'Abrir o painel' },
  ownersChanged: { en: 'Owners have changed', es: 'Cambiaron los socios', pt: 'Os sócios mudaram' },
  why: {
    en: 'You receive this e-mail at {email} because you confirmed it for the account {account}.',
    es: 'Usted recibe este correo en {email} porque lo confirmó para la cuenta {account}.',
    pt: 'Você recebe este e-mail em {email} porque o confirmou para a conta {account}.',
  },
  unsubscribe: { en: 'Stop these e-mails', es: 'Dejar de recibir estos correos', pt: 'Parar de receber estes e-mails' },
  inviteSubject: {
    en: 'Confirm the daily e-mail of {account}',
    es: 'Confirme el correo diario de {account}',
    pt: 'Confirme o e-mail diário de {account}',
  },
  invite: {
    en: 'The account {account} of Quipu wants to send the changes of its watched companies to {email} each morning. If you want that, confirm it. Otherwise ignore this e-mail: nothing else is sent, and the address is deleted after 7 days.',
    es: 'La cuenta {account} de Quipu quiere enviar cada mañana a {email} los cambios de sus empresas vigiladas. Si lo desea, confírmelo. Si no, ignore este correo: no se envía nada más y la dirección se borra después de 7 días.',
    pt: 'A conta {account} do Quipu quer enviar a {email}, toda manhã, as mudanças das empresas monitoradas. Se você quiser, confirme. Caso contrário, ignore este e-mail: nada mais é enviado, e o endereço é apagado após 7 dias.',
  },
  confirm: { en: 'Confirm', es: 'Confirmar', pt: 'Confirmar' },
  confirmed: {
    en: 'Confirmed. The next e-mail comes at {hour}:00 ({zone}), on days with something to report.',
    es: 'Confirmado. El próximo correo llega a las {hour}:00 ({zone}), los días con algo que informar.',
    pt: 'Confirmado. O próximo e-mail chega às {hour}:00 ({zone}), nos dias com algo a informar.',
  },
  askUnsubscribe: {
    en: 'Stop the daily e-mail of the account {account} to {email}? The address is deleted.',
    es: '¿Dejar de enviar el correo diario de la cuenta {account} a {email}? La dirección se borra.',
    pt: 'Parar de enviar o e-mail diário da conta {account} a {email}? O endereço é apagado.',
  },
  unsubscribed: {
    en: 'Done. No more e-mails are sent, and the address is deleted.',
    es: 'Hecho. No se envían más correos y la dirección fue borrada.',
    pt: 'Pronto. Nenhum e-mail é mais enviado, e o endereço foi apagado.',
  },
  invalidLink: {
    en: 'This link is not valid any more.',
    es: 'Este enlace ya no es válido.',
    pt: 'Este link não é mais válido.',
  },
} as const satisfies Readonly<Record<string, Translated>>;

export type MailTextKey = keyof typeof MAIL_TEXTS;

/** Returns a text with its values inserted. */
export function mailText(key: MailTextKey, language: Language, values: Readonly<Record<string, string | number>> = {}): string {
  return MAIL_TEXTS[key][language].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
