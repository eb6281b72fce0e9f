/** Texts that only the landing page loads. Each row: English, Spanish, Portuguese. */
export const landing = {
  'landing.drawing': [
    'A company, its owners, the lists that are compared with them, and the verdict',
    'Una empresa, sus dueños, las listas con que se comparan y el veredicto',
    'Uma empresa, seus donos, as listas com que são comparados e o veredito',
  ],
  'landing.drawing.person': ['Partner', 'Socio', 'Sócio'],
  'landing.drawing.person.text': ['51 %', '51 %', '51 %'],
  'landing.drawing.parent': ['Parent company', 'Empresa matriz', 'Empresa controladora'],
  'landing.drawing.parent.text': ['49 %', '49 %', '49 %'],
  'landing.drawing.company': ['The company', 'La empresa', 'A empresa'],
  'landing.drawing.company.text': ['as registered', 'según el registro', 'conforme o registro'],
  'landing.drawing.lists': ['Public lists', 'Listas públicas', 'Listas públicas'],
  'landing.drawing.lists.text': ['sanctions, debarment', 'sanciones, inhabilidades', 'sanções, impedimentos'],
  'landing.drawing.verdict': ['Verdict', 'Veredicto', 'Veredito'],
  'landing.drawing.verdict.text': ['with its evidence', 'con su evidencia', 'com suas evidências'],
  'landing.try': ['Try with a CNPJ', 'Pruebe con un CNPJ', 'Teste com um CNPJ'],
  'landing.open': ['Open the company', 'Abrir la empresa', 'Abrir a empresa'],
  'landing.signIn': [
    'The company opens in the dashboard, which asks for a key if this tab has none.',
    'La empresa se abre en el panel, que pide una clave si esta pestaña no tiene una.',
    'A empresa abre no painel, que pede uma chave se esta aba não tiver uma.',
  ],
  'landing.wrong': [
    'This is not a valid CNPJ. It has 14 characters; the last two are check digits.',
    'Este no es un CNPJ válido. Tiene 14 caracteres; los dos últimos son dígitos verificadores.',
    'Este não é um CNPJ válido. Ele tem 14 caracteres; os dois últimos são dígitos verificadores.',
  ],
  'landing.scenarios': ['Made-up companies of the sandbox', 'Empresas ficticias del sandbox', 'Empresas fictícias do sandbox'],
  'landing.clean': ['On no list', 'En ninguna lista', 'Em nenhuma lista'],
  'landing.debarred': ['Debarred from public contracts', 'Inhabilitada para contratar', 'Impedida de contratar'],
  'landing.owner': ['Owned by a debarred company', 'Su dueña está inhabilitada', 'Sua dona está impedida'],
} as const;
