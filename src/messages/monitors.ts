import { defineMessages } from './message.ts';

/** Monitors, their webhooks and deliveries. */
export const monitorMessages = defineMessages('monitors', {
  noSuchMonitor: ['There is no such monitor.', 'No existe ese monitor.', 'Esse monitor não existe.'],
  notOfKey: ['This key has no such monitor.', 'Esta clave no tiene ese monitor.', 'Esta chave não tem esse monitor.'],
  notActive: [
    'This key has no active monitor with this id.',
    'Esta clave no tiene ningún monitor activo con este id.',
    'Esta chave não tem nenhum monitor ativo com este id.',
  ],
  noDelivery: ['This key has no such delivery.', 'Esta clave no tiene esa entrega.', 'Esta chave não tem essa entrega.'],
  changesDeleted: [
    'Changes after this cursor have been deleted.',
    'Los cambios posteriores a este cursor fueron eliminados.',
    'As mudanças posteriores a este cursor foram excluídas.',
  ],
  cursorDeleted: [
    'Changes after this cursor have been deleted. Read the current state of the companies, then continue from the cursor in this error.',
    'Los cambios posteriores a este cursor fueron eliminados. Lea el estado actual de las empresas y continúe desde el cursor de este error.',
    'As mudanças posteriores a este cursor foram excluídas. Leia o estado atual das empresas e continue a partir do cursor deste erro.',
  ],
  logRestored: [
    'The change log was restored to a moment before this cursor. Read the current state of the companies, then continue from the cursor in this error.',
    'El registro de cambios se restauró a un momento anterior a este cursor. Lea el estado actual de las empresas y continúe desde el cursor de este error.',
    'O registro de mudanças foi restaurado a um momento anterior a este cursor. Leia o estado atual das empresas e continue a partir do cursor deste erro.',
  ],
  cursorAhead: [
    'This cursor is ahead of the change log: it comes from another installation.',
    'Este cursor es posterior al registro de cambios: proviene de otra instalación.',
    'Este cursor é posterior ao registro de mudanças: vem de outra instalação.',
  ],
  cancelled: [
    'This monitor is cancelled: nothing is sent to its webhook any more.',
    'Este monitor está cancelado: ya no se envía nada a su webhook.',
    'Este monitor está cancelado: nada mais é enviado ao seu webhook.',
  ],
  disabled: [
    'The webhook of this monitor is disabled, because it failed for long; enable it first.',
    'El webhook de este monitor está deshabilitado porque falló durante mucho tiempo; habilítelo primero.',
    'O webhook deste monitor está desabilitado porque falhou por muito tempo; habilite-o primeiro.',
  ],
  noWebhook: [
    'This monitor has no webhook; set its webhook URL first.',
    'Este monitor no tiene webhook; defina primero su URL.',
    'Este monitor não tem webhook; defina primeiro sua URL.',
  ],
  planMonitors: [
    'The plan of this key has {max} active monitors; cancel one, or ask for a larger plan.',
    'El plan de esta clave permite {max} monitores activos; cancele uno o solicite un plan mayor.',
    'O plano desta chave permite {max} monitores ativos; cancele um ou solicite um plano maior.',
  ],
  planCompanies: [
    'The plan of this key has {max} watched companies, and these would be {count}; watch fewer, or ask for a larger plan.',
    'El plan de esta clave permite {max} empresas monitoreadas, y con estas serían {count}; monitoree menos o solicite un plan mayor.',
    'O plano desta chave permite {max} empresas monitoradas, e com estas seriam {count}; monitore menos ou solicite um plano maior.',
  ],
  addedAndRemoved: [
    'A tax id cannot be added and removed in one update.',
    'Un identificador tributario no se puede agregar y quitar en una misma actualización.',
    'Um identificador fiscal não pode ser adicionado e removido em uma mesma atualização.',
  ],
  tooManyCompanies: [
    'A monitor has at most {max} companies, and these would be {count}.',
    'Un monitor tiene como máximo {max} empresas, y estas serían {count}.',
    'Um monitor tem no máximo {max} empresas, e estas seriam {count}.',
  ],
  lastCompany: [
    'A monitor keeps at least one company; cancel the monitor to end it.',
    'Un monitor conserva al menos una empresa; cancele el monitor para terminarlo.',
    'Um monitor mantém ao menos uma empresa; cancele o monitor para encerrá-lo.',
  ],
  naturalPerson: [
    'This NIT is that of a natural person, whom the service does not watch.',
    'Este NIT es el de una persona natural, que el servicio no monitorea.',
    'Este NIT é o de uma pessoa física, que o serviço não monitora.',
  ],
  verification: ['Give none or standard.', 'Indique none o standard.', 'Informe none ou standard.'],
  deliveryState: [
    'Give pending, sending, delivered, failed or dropped.',
    'Indique pending, sending, delivered, failed o dropped.',
    'Informe pending, sending, delivered, failed ou dropped.',
  ],
  blockedAddress: [
    'Webhooks cannot be sent to this address.',
    'No se pueden enviar webhooks a esta dirección.',
    'Não é possível enviar webhooks a este endereço.',
  ],
  notHttp: [
    'The address must begin with https:// or http://.',
    'La dirección debe comenzar con https:// o http://.',
    'O endereço deve começar com https:// ou http://.',
  ],
  withPassword: [
    'The address must not contain a user name or password.',
    'La dirección no debe contener usuario ni contraseña.',
    'O endereço não deve conter usuário nem senha.',
  ],
  wrongPort: ['The port must be one of {ports}.', 'El puerto debe ser uno de {ports}.', 'A porta deve ser uma de {ports}.'],
  notHttps: ['The address must begin with https://.', 'La dirección debe comenzar con https://.', 'O endereço deve começar com https://.'],
});

/** Tags of watched companies. */
export const tagMessages = defineMessages('tags', {
  addedAndRemoved: [
    'A tag cannot be added and removed in one change.',
    'Una etiqueta no se puede agregar y quitar en un mismo cambio.',
    'Uma etiqueta não pode ser adicionada e removida em uma mesma mudança.',
  ],
  notWatched: [
    'No monitor of the account watches this company. Watch it first.',
    'Ningún monitor de la cuenta tiene esta empresa. Monitoréela primero.',
    'Nenhum monitor da conta acompanha esta empresa. Monitore-a primeiro.',
  ],
  tooMany: [
    'A company has at most {max} tags.',
    'Una empresa tiene como máximo {max} etiquetas.',
    'Uma empresa tem no máximo {max} etiquetas.',
  ],
  companies: [
    'Give 1 to {max} tax ids.',
    'Indique de 1 a {max} identificadores tributarios.',
    'Informe de 1 a {max} identificadores fiscais.',
  ],
  given: ['Give at most {max} tags.', 'Indique como máximo {max} etiquetas.', 'Informe no máximo {max} etiquetas.'],
  empty: [
    'A tag has at least one visible character.',
    'Una etiqueta tiene al menos un carácter visible.',
    'Uma etiqueta tem ao menos um caractere visível.',
  ],
  length: [
    'A tag has at most {max} characters.',
    'Una etiqueta tiene como máximo {max} caracteres.',
    'Uma etiqueta tem no máximo {max} caracteres.',
  ],
});
