import { defineMessages } from './message.ts';

/** Decisions about candidates. */
export const reviewMessages = defineMessages('reviews', {
  noReason: [
    'Give a reason, so that others can understand the decision.',
    'Indique un motivo, para que otros puedan entender la decisión.',
    'Informe um motivo, para que outros possam entender a decisão.',
  ],
  longReason: [
    'A reason has at most {max} characters.',
    'Un motivo tiene como máximo {max} caracteres.',
    'Um motivo tem no máximo {max} caracteres.',
  ],
  longFilter: ['Give at most {max} characters.', 'Indique como máximo {max} caracteres.', 'Informe no máximo {max} caracteres.'],
  countOfMatches: ['Give 1 to {max} candidates.', 'Indique de 1 a {max} candidatos.', 'Informe de 1 a {max} candidatos.'],
  manyDismissed: [
    'An account has at most {max} dismissed candidates; reopen some.',
    'Una cuenta tiene como máximo {max} candidatos descartados; reabra algunos.',
    'Uma conta tem no máximo {max} candidatos descartados; reabra alguns.',
  ],
  manyConfirmed: [
    'An account has at most {max} confirmed candidates; unconfirm some.',
    'Una cuenta tiene como máximo {max} candidatos confirmados; retire la confirmación de algunos.',
    'Uma conta tem no máximo {max} candidatos confirmados; retire a confirmação de alguns.',
  ],
  noDismissal: ['This account has no such dismissal.', 'Esta cuenta no tiene ese descarte.', 'Esta conta não tem esse descarte.'],
  noConfirmation: [
    'This account has no such confirmation.',
    'Esta cuenta no tiene esa confirmación.',
    'Esta conta não tem essa confirmação.',
  ],
  samePerson: [
    'Another person than the one who decided must approve: use a key with another name.',
    'Debe aprobar otra persona que la que decidió: use una clave con otro nombre.',
    'Outra pessoa que não a que decidiu deve aprovar: use uma chave com outro nome.',
  ],
  noCandidate: [
    'The company has no such candidate now; give its list, its entityId and the name that you searched with.',
    'La empresa no tiene ahora ese candidato; indique su lista, su entityId y el nombre con el que lo buscó.',
    'A empresa não tem agora esse candidato; informe sua lista, seu entityId e o nome com que o buscou.',
  ],
  noCandidateOfOwner: [
    'The owner has no such candidate now; give the id of the owner, and list and entityId of the candidate.',
    'El socio no tiene ahora ese candidato; indique el id del socio, y la lista y el entityId del candidato.',
    'O sócio não tem agora esse candidato; informe o id do sócio, e a lista e o entityId do candidato.',
  ],
  ownerByName: [
    'Candidates of an owner are found by the name of the owner.',
    'Los candidatos de un socio se buscan por el nombre del socio.',
    'Os candidatos de um sócio são buscados pelo nome do sócio.',
  ],
});
