/** Texts of the page of a company that only the dashboard loads. Each row: English, Spanish, Portuguese. `{n}` is a value. */
export const dossier = {
  'verdict.notCovered.BR': [
    'Not part of this check: tax debts, lawsuits, and candidates by name, which are for review.',
    'No son parte de esta verificación: deudas tributarias, juicios, y candidatos por nombre, que son para revisar.',
    'Não fazem parte desta verificação: dívidas tributárias, processos judiciais, e candidatos por nome, que são para revisão.',
  ],
  'verdict.notCovered.CL': [
    'Not part of this check: bans from public contracts, labour, lawsuits, and candidates by name, which are for review. Owners give no level.',
    'No son parte de esta verificación: inhabilidades para contratar con el Estado, lo laboral, juicios, y candidatos por nombre, que son para revisar. Los socios no dan nivel.',
    'Não fazem parte desta verificação: impedimentos de contratar com o Estado, o trabalhista, processos judiciais, e candidatos por nome, que são para revisão. Os sócios não dão nível.',
  ],
  'verdict.notCovered.CO': [
    'Not part of this check: owners, whom no register of Colombia publishes, tax debts, bans from public contracts, labour, lawsuits, and candidates by name, which are for review.',
    'No son parte de esta verificación: los socios, que ningún registro de Colombia publica, deudas tributarias, inhabilidades para contratar con el Estado, lo laboral, juicios, y candidatos por nombre, que son para revisar.',
    'Não fazem parte desta verificação: os sócios, que nenhum registro da Colômbia publica, dívidas tributárias, impedimentos de contratar com o Estado, o trabalhista, processos judiciais, e candidatos por nome, que são para revisão.',
  ],
  'register.meaning.ACTIVE': [
    'Registered and active in the commercial register ({word}).',
    'Registrada y activa en el registro mercantil ({word}).',
    'Registrada e ativa no registro mercantil ({word}).',
  ],
  'register.meaning.INACTIVE': [
    'In the commercial register, but cancelled or not active ({word}).',
    'En el registro mercantil, pero cancelada o no activa ({word}).',
    'No registro mercantil, mas cancelada ou não ativa ({word}).',
  ],
  'register.meaning.NOT_FOUND': [
    'The commercial register has no company with this NIT. Some kinds of legal persons are registered elsewhere.',
    'El registro mercantil no tiene una empresa con este NIT. Algunas personas jurídicas se registran en otro lugar.',
    'O registro mercantil não tem uma empresa com este NIT. Algumas pessoas jurídicas são registradas em outro lugar.',
  ],
  'kyb.renewed': ['last renewed in {year}', 'última renovación en {year}', 'última renovação em {year}'],
  'kyb.branchOnly': [
    'Only a branch or an establishment has an active registration.',
    'Solo una sucursal o un establecimiento tiene una matrícula activa.',
    'Só uma filial ou um estabelecimento tem uma matrícula ativa.',
  ],
  'record.lastRenewed': ['Last renewed', 'Última renovación', 'Última renovação'],
  'owners.share': ['Share', 'Participación', 'Participação'],
  'owners.shareOf': ['declared, {date}', 'declarada, {date}', 'declarada, {date}'],
  'owners.file.PUBLISHED': [
    'Owners with their shares, as declared to the tax authority.',
    'Socios con su participación, según lo declarado al SII.',
    'Sócios com a sua participação, conforme declarado à autoridade tributária.',
  ],
  'owners.file.NOT_PUBLISHED': [
    'The tax authority publishes no owners of this company. That does not mean that it has none.',
    'El SII no publica los socios de esta empresa. Eso no significa que no los tenga.',
    'A autoridade tributária não publica os sócios desta empresa. Isso não significa que não os tenha.',
  ],
  'owners.file.UNREAD': [
    'Rows about this company could not be read: an owner may be missing.',
    'No se pudieron leer filas sobre esta empresa: puede faltar un socio.',
    'Linhas sobre esta empresa não puderam ser lidas: pode faltar um sócio.',
  ],
  'tax.signal.INACTIVE_COMPANY': ['no activities in force', 'sin actividades vigentes', 'sem atividades vigentes'],
  'tax.signal.MICRO_REVENUE_TIER': ['micro sales', 'ventas de microempresa', 'vendas de microempresa'],
  'tax.signal.NEW_COMPANY': ['registered less than a year ago', 'registrada hace menos de un año', 'registrada há menos de um ano'],
  'tax.signal.RECENTLY_DEREGISTERED': ['ended within the last year', 'término en el último año', 'encerrada no último ano'],
  'tax.signal.TAX_DEBTOR': ['tax debtor', 'deudora de impuestos', 'devedora de impostos'],
  'tax.debt': ['Debt on the list: {amount}', 'Deuda en la lista: {amount}', 'Dívida na lista: {amount}'],
  'tax.debtorsRead': ['List of tax debtors: read', 'Lista de deudores de impuestos: leída', 'Lista de devedores de impostos: lida'],
  'tax.debtorsOf': [
    'List of tax debtors: read, of {date}',
    'Lista de deudores de impuestos: leída, del {date}',
    'Lista de devedores de impostos: lida, de {date}',
  ],
  'tax.noDebtors': [
    'No list of tax debtors was read, so debts are not known. No public list exists; an operator can provide one.',
    'No se leyó ninguna lista de deudores de impuestos, así que no se conocen deudas. No hay lista pública; un operador puede aportar una.',
    'Nenhuma lista de devedores de impostos foi lida, por isso as dívidas não são conhecidas. Não há lista pública; um operador pode fornecer uma.',
  ],
} as const;
