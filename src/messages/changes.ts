import { defineMessages } from './message.ts';

/** Names of the fields that change at a registry or on a list. */
export const fieldNames = defineMessages('changedFields', {
  status: ['Registration', 'Situación registral', 'Situação cadastral'],
  size: ['Size', 'Tamaño', 'Porte'],
  activity: ['Activity', 'Actividad', 'Atividade'],
  name: ['Name', 'Nombre', 'Nome'],
  owners: ['Owners', 'Socios', 'Sócios'],
  capital: ['Capital', 'Capital social', 'Capital social'],
  address: ['Municipality', 'Municipio', 'Município'],
  special_situation: ['Special situation', 'Situación especial', 'Situação especial'],
  last_renewed_year: ['Last renewed', 'Última renovación', 'Última renovação'],
  sanctions: ['Sanctions entries', 'Registros de sanciones', 'Registros de sanções'],
  debarment: ['Debarment entries', 'Registros de inhabilitación', 'Registros de impedimento'],
  labor: ['Forced-labour entries', 'Registros de trabajo forzoso', 'Registros de trabalho escravo'],
  contract_fines: ['Contract fines', 'Multas contractuales', 'Multas contratuais'],
  candidate: ['Parties with a similar name', 'Partes con nombre similar', 'Partes com nome semelhante'],
});

/** Values that are names of states, and titles of messages about a change. */
export const changeMessages = defineMessages('changes', {
  active: ['active', 'activa', 'ativa'],
  inactive: ['inactive', 'inactiva', 'inativa'],
  not_found: ['not in the registry', 'no está en el registro', 'não consta no cadastro'],
  small: ['small', 'pequeña', 'pequena'],
  large: ['large', 'grande', 'grande'],
  unknown: ['unknown', 'desconocido', 'desconhecido'],
  none: ['none', 'ninguno', 'nenhum'],
  legalRepresentative: ['Legal representative', 'Representante legal', 'Representante legal'],
  title: ['Change of {company}', 'Cambio en {company}', 'Mudança em {company}'],
  testTitle: ['Test event for {company}', 'Evento de prueba para {company}', 'Evento de teste para {company}'],
});
