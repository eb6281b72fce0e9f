/** Texts of the page with the results of a search by name. Each row: English, Spanish, Portuguese. */
export const search = {
  'search.results': ['Results', 'Resultados', 'Resultados'],
  'search.title': ['Search by name', 'Búsqueda por nombre', 'Busca por nome'],
  'search.hint': [
    'Companies of {country} found by “{name}”, the closest names first. Each page counts 1 check of registration.',
    'Empresas de {country} encontradas con “{name}”, los nombres más parecidos primero. Cada página consume 1 respuesta de Situación registral.',
    '{country}: empresas encontradas com “{name}”, os nomes mais parecidos primeiro. Cada página consome 1 resposta de Situação cadastral.',
  ],
  'search.notSent': [
    'The search is sent when you press the button, because it counts on your plan.',
    'La búsqueda se envía cuando usted pulsa el botón, porque consume una respuesta del plan.',
    'A busca é enviada quando você pressiona o botão, porque consome uma resposta do plano.',
  ],
  'search.send': ['Search (counts 1 check)', 'Buscar (consume 1 respuesta)', 'Buscar (consome 1 resposta)'],
  'search.nothingAsked': [
    'This address has no name to search for. Type one into the box above.',
    'Esta dirección no tiene un nombre que buscar. Escríbalo en el cuadro de búsqueda de arriba.',
    'Este endereço não tem um nome para buscar. Digite-o na caixa de busca acima.',
  ],
} as const;
