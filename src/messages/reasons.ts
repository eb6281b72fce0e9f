import { defineMessages } from './message.ts';

/** Reasons of a risk level, with their evidence. */
export const reasonMessages = defineMessages('reasons', {
  matches: [
    '{n} {n|match|matches} on {list} ({names})',
    '{n} {n|coincidencia|coincidencias} en «{list}» ({names})',
    '{n} {n|correspondência|correspondências} em “{list}” ({names})',
  ],
  records: [
    '{n} {n|record|records} on {list} ({records})',
    '{n} {n|registro|registros} en «{list}» ({records})',
    '{n} {n|registro|registros} em “{list}” ({records})',
  ],
  laborRecord: ['{employer}, {year}, {status}', '{employer}, {year}, {status}', '{employer}, {year}, {status}'],
  debarmentRecord: ['{kind} by {body}, {status}', '{kind}, de {body}, {status}', '{kind}, de {body}, {status}'],
  contractFines: [
    '{n} {n|contract fine|contract fines} on {list} ({fines}). A fine is no ban.',
    '{n} {n|multa contractual|multas contractuales} en «{list}» ({fines}). Una multa no es una inhabilitación.',
    '{n} {n|multa contratual|multas contratuais} em “{list}” ({fines}). Uma multa não é um impedimento.',
  ],
  contractFine: ['{kind} by {body}, {date}', '{kind}, de {body}, {date}', '{kind}, de {body}, {date}'],
  fine: ['fine', 'multa', 'multa'],
  noDate: ['no date', 'sin fecha', 'sem data'],
  active: ['active', 'vigente', 'vigente'],
  ended: ['ended', 'terminado', 'encerrado'],
  taxDebtor: [
    'The company is on the list of tax debtors.',
    'La empresa figura en la lista de deudores tributarios.',
    'A empresa consta na lista de devedores tributários.',
  ],
  taxDebtorOf: [
    'The company is on the list of tax debtors (CLP {amount}).',
    'La empresa figura en la lista de deudores tributarios (CLP {amount}).',
    'A empresa consta na lista de devedores tributários (CLP {amount}).',
  ],
  notActive: [
    'The registration is not active ({registration}).',
    'La situación registral no es activa ({registration}).',
    'A situação cadastral não é ativa ({registration}).',
  ],
  not_in_register: [
    'The commercial register has no company with this NIT. Some kinds of legal persons are registered elsewhere.',
    'El registro mercantil no tiene ninguna empresa con este NIT. Algunos tipos de personas jurídicas se inscriben en otra parte.',
    'O registro mercantil não tem nenhuma empresa com este NIT. Alguns tipos de pessoas jurídicas são registrados em outro lugar.',
  ],
  notInRegisterAsOf: [
    'The commercial register has no company with this NIT (as of {date}). Some kinds of legal persons are registered elsewhere.',
    'El registro mercantil no tiene ninguna empresa con este NIT (al {date}). Algunos tipos de personas jurídicas se inscriben en otra parte.',
    'O registro mercantil não tem nenhuma empresa com este NIT (em {date}). Alguns tipos de pessoas jurídicas são registrados em outro lugar.',
  ],
  not_registered: [
    'Chambers of commerce know this NIT, and none of them has a registration of it (NO MATRICULADO).',
    'Las cámaras de comercio conocen este NIT, pero no tiene matrícula en ninguna de ellas (NO MATRICULADO).',
    'As câmaras de comércio conhecem este NIT, mas ele não tem matrícula em nenhuma delas (NO MATRICULADO).',
  ],
  natural_person: [
    'This NIT is that of a natural person, whom the service does not look up.',
    'Este NIT es el de una persona natural, que el servicio no consulta.',
    'Este NIT é o de uma pessoa física, que o serviço não consulta.',
  ],
  branchOnly: [
    'Only a branch or an establishment of the company has an active registration.',
    'Solo una sucursal o un establecimiento de la empresa tiene una matrícula activa.',
    'Somente uma filial ou um estabelecimento da empresa tem uma matrícula ativa.',
  ],
  notRenewed: [
    'The registration was last renewed in {year}, and {missed} renewals are missing.',
    'La matrícula se renovó por última vez en {year}, y faltan {missed} renovaciones.',
    'A matrícula foi renovada pela última vez em {year}, e faltam {missed} renovações.',
  ],
});
