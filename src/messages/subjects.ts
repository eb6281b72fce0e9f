import { defineMessages, type Message } from './message.ts';

/** Subjects that are available for some countries only, by their English names. */
const table = {
  'A company as of an earlier date': [
    'A company as of an earlier date',
    'Una empresa en una fecha anterior',
    'Uma empresa em uma data anterior',
  ],
  'A company profile': ['A company profile', 'El perfil de una empresa', 'O perfil de uma empresa'],
  'Awarded contracts': ['Awarded contracts', 'Contratos adjudicados', 'Contratos adjudicados'],
  'Beneficial ownership': ['Beneficial ownership', 'Beneficiarios finales', 'Beneficiários finais'],
  'Contract fines': ['Contract fines', 'Multas contractuales', 'Multas contratuais'],
  Debarment: ['Debarment', 'Inhabilitaciones', 'Impedimentos'],
  KYB: ['KYB', 'Situación registral (KYB)', 'Situação cadastral (KYB)'],
  Monitoring: ['Monitoring', 'Monitoreo', 'Monitoramento'],
  'Monitoring over REST': ['Monitoring over REST', 'Monitoreo por REST', 'Monitoramento por REST'],
  Ownership: ['Ownership', 'Propiedad de la empresa', 'Quadro societário'],
  'Public procurement': ['Public procurement', 'Contratación pública', 'Contratações públicas'],
  Sanctions: ['Sanctions', 'Sanciones', 'Sanções'],
  Screening: ['Screening', 'Evaluación de carteras', 'Avaliação de carteiras'],
  'Tax debts': ['Tax debts', 'Deudas tributarias', 'Dívidas tributárias'],
  'Tax health': ['Tax health', 'Situación tributaria', 'Situação tributária'],
  'The companies of an owner': ['The companies of an owner', 'Las empresas de un socio', 'As empresas de um sócio'],
  'The connection of companies': ['The connection of companies', 'La conexión entre empresas', 'A ligação entre empresas'],
  'The consolidated check': ['The consolidated check', 'La verificación consolidada', 'A verificação consolidada'],
  'The forced-labour registry': ['The forced-labour registry', 'El registro de trabajo forzoso', 'O cadastro de trabalho escravo'],
  'The group of a company': ['The group of a company', 'El grupo de una empresa', 'O grupo de uma empresa'],
  'The history': ['The history', 'El historial', 'O histórico'],
  'The list of branches': ['The list of branches', 'La lista de sucursales', 'A lista de filiais'],
  'The other companies of an owner': [
    'The other companies of an owner',
    'Las demás empresas de un socio',
    'As demais empresas de um sócio',
  ],
  'The owners of a company': ['The owners of a company', 'Los socios de una empresa', 'Os sócios de uma empresa'],
  'The registration': ['The registration', 'La situación registral', 'A situação cadastral'],
  'The search by name': ['The search by name', 'La búsqueda por nombre', 'A busca por nome'],
  'The tax registry': ['The tax registry', 'El registro tributario', 'O cadastro fiscal'],
} as const;

/** English name of something that is available for some countries only. */
export type Subject = keyof typeof table;

const messages = defineMessages('subjects', table);

export const subjectMessage = (subject: Subject): Message => messages[subject]();
