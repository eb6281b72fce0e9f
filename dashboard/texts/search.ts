/** Texts of the page with the results of a search by name. Each row: English, Spanish, Portuguese. */
export const search = {
  'search.results': ['Results', 'Resultados', 'Resultados'],
  'search.title': ['Search by name', 'Búsqueda por nombre', 'Busca por nome'],
  'search.hint': [
    'Companies of {country} with “{name}” in their name, the closest names first. Each page counts 1 check of registration.',
    'Empresas de {country} con “{name}” en su nombre, los nombres más parecidos primero. Cada página cuenta 1 verificación de registro.',
    'Empresas de {country} com “{name}” no nome, os nomes mais parecidos primeiro. Cada página conta 1 verificação de registro.',
  ],
  'search.nothingAsked': [
    'This address has no name to search for. Type one into the box above.',
    'Esta dirección no tiene un nombre que buscar. Escriba uno en el cuadro de arriba.',
    'Este endereço não tem um nome a buscar. Digite um na caixa acima.',
  ],
} as const;
