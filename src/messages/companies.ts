import { defineMessages } from './message.ts';

/** Companies that are not found, and requests about companies, owners and history that cannot be answered. */
export const companyMessages = defineMessages('companies', {
  countryNotServed: [
    '{subject} is available for {countries} only.',
    '{subject}: solo para {countries}.',
    '{subject}: somente para {countries}.',
  ],
  notFound: [
    'The tax registry has no company with this tax id.',
    'El registro tributario no tiene ninguna empresa con este identificador.',
    'O cadastro fiscal não tem nenhuma empresa com este identificador.',
  ],
  notFoundAs: [
    'The tax registry has no company with this {id}.',
    'El registro tributario no tiene ninguna empresa con este {id}.',
    'O cadastro fiscal não tem nenhuma empresa com este {id}.',
  ],
  notInRegister: [
    'The commercial register has no company with this NIT. The state, consortia and others never register there.',
    'El registro mercantil no tiene ninguna empresa con este NIT. El Estado, los consorcios y otros nunca se inscriben allí.',
    'O registro mercantil não tem nenhuma empresa com este NIT. O Estado, os consórcios e outros nunca se registram ali.',
  ],
  notInRegisterOf: [
    'The commercial register of {date} has no company with this NIT. The state, consortia and others never register there.',
    'El registro mercantil del {date} no tiene ninguna empresa con este NIT. El Estado, los consorcios y otros nunca se inscriben allí.',
    'O registro mercantil de {date} não tem nenhuma empresa com este NIT. O Estado, os consórcios e outros nunca se registram ali.',
  ],
  noExtract: [
    'The service has no extract of the registry yet: its history begins with the first one.',
    'El servicio aún no tiene ningún extracto del registro: su historial comienza con el primero.',
    'O serviço ainda não tem nenhum extrato do cadastro: seu histórico começa com o primeiro.',
  ],
  historyBegins: [
    'What the service knows of the history of this company begins with the extract of {date}.',
    'Lo que el servicio conoce del historial de esta empresa comienza con el extracto del {date}.',
    'O que o serviço conhece do histórico desta empresa começa com o extrato de {date}.',
  ],
  ownersFileBegins: [
    'The Chilean tax registry publishes the owners of companies once a year. What the service knows of those of this company begins with the file of {date}.',
    'El registro tributario de Chile publica los socios de las empresas una vez al año. Lo que el servicio conoce de los de esta empresa comienza con el archivo del {date}.',
    'O cadastro tributário do Chile publica os sócios das empresas uma vez por ano. O que o serviço conhece dos desta empresa começa com o arquivo de {date}.',
  ],
  ownersFileMissing: [
    'The Chilean tax registry publishes the owners of companies once a year. What the service knows of those of this company begins with the file of {date}: the file of an earlier year could not be loaded yet, and the service tries again.',
    'El registro tributario de Chile publica los socios de las empresas una vez al año. Lo que el servicio conoce de los de esta empresa comienza con el archivo del {date}: el archivo de un año anterior aún no se pudo cargar, y el servicio lo intenta de nuevo.',
    'O cadastro tributário do Chile publica os sócios das empresas uma vez por ano. O que o serviço conhece dos desta empresa começa com o arquivo de {date}: o arquivo de um ano anterior ainda não pôde ser carregado, e o serviço tenta de novo.',
  ],
  todayOnly: [
    '{field} is answered for today only; select it of the company without asOf.',
    '{field} solo se responde para hoy; selecciónelo en la empresa sin asOf.',
    '{field} só é respondido para hoje; selecione-o na empresa sem asOf.',
  ],
  unreadBranches: [
    "Lines of the registry's files could not be read, so a branch may be missing.",
    'No se pudieron leer líneas de los archivos del registro, por lo que puede faltar una sucursal.',
    'Não foi possível ler linhas dos arquivos do cadastro, por isso pode faltar uma filial.',
  ],
  unreadPartners: [
    "{count} lines of the registry's files of partners could not be read, so a company may be missing.",
    'No se pudieron leer líneas de los archivos de socios del registro ({count}), por lo que puede faltar una empresa.',
    'Não foi possível ler linhas dos arquivos de sócios do cadastro ({count}), por isso pode faltar uma empresa.',
  ],
  erased: [
    'Records that the operator has erased are missing.',
    'Faltan registros que el operador eliminó.',
    'Faltam registros que o operador excluiu.',
  ],
  notAnOwner: [
    'The company has no such owner: give `name` and `identifier` as they are returned with the owners.',
    'La empresa no tiene ese socio: indique `name` e `identifier` como se devuelven con los socios.',
    'A empresa não tem esse sócio: informe `name` e `identifier` como são devolvidos com os sócios.',
  ],
  oneCountry: [
    'Give two companies of one country: no registry has owners across the border.',
    'Indique dos empresas de un mismo país: ningún registro tiene socios al otro lado de la frontera.',
    'Informe duas empresas de um mesmo país: nenhum cadastro tem sócios do outro lado da fronteira.',
  ],
  everyBranchRegistered: [
    'Give ACTIVE or INACTIVE: every branch is in the registry.',
    'Indique ACTIVE o INACTIVE: todas las sucursales están en el registro.',
    'Informe ACTIVE ou INACTIVE: todas as filiais estão no cadastro.',
  ],
  noMunicipality: [
    'The registry has no municipality with this name. Names have no abbreviations.',
    'El registro no tiene ningún municipio con este nombre. Los nombres no llevan abreviaturas.',
    'O cadastro não tem nenhum município com este nome. Os nomes não têm abreviações.',
  ],
  chileByName: [
    'Companies of Chile are found by name alone: the index of its registry has no other fields.',
    'Las empresas de Chile solo se buscan por nombre: el índice de su registro no tiene otros campos.',
    'As empresas do Chile só são buscadas por nome: o índice de seu cadastro não tem outros campos.',
  ],
  dayNotReal: [
    'Give a day from the year 1 on, YYYY-MM-DD.',
    'Indique un día desde el año 1, AAAA-MM-DD.',
    'Informe um dia a partir do ano 1, AAAA-MM-DD.',
  ],
  lastBeforeFirst: [
    'The last day is before the first one.',
    'El último día es anterior al primero.',
    'O último dia é anterior ao primeiro.',
  ],
  municipality: [
    'Give the name of a municipality, or its code at the tax registry.',
    'Indique el nombre de un municipio, o su código en el registro tributario.',
    'Informe o nome de um município, ou seu código no cadastro fiscal.',
  ],
  nameWithCpf: [
    'This name contains a CPF. People are not searched: give the name of a company.',
    'Este nombre contiene un CPF. No se buscan personas: indique el nombre de una empresa.',
    'Este nome contém um CPF. Não se buscam pessoas: informe o nome de uma empresa.',
  ],
  wordBesidesForm: [
    'Give at least one word of the name besides its legal form.',
    'Indique al menos una palabra del nombre además de su forma jurídica.',
    'Informe ao menos uma palavra do nome além de sua forma jurídica.',
  ],
  oneWord: ['Give at least one word of the name.', 'Indique al menos una palabra del nombre.', 'Informe ao menos uma palavra do nome.'],
  twoCharacters: [
    'Give at least two letters or digits of the name.',
    'Indique al menos dos letras o dígitos del nombre.',
    'Informe ao menos duas letras ou dígitos do nome.',
  ],
  manyWords: ['Give at most {max} words.', 'Indique como máximo {max} palabras.', 'Informe no máximo {max} palavras.'],
  unregistered: [
    'Companies that are not registered cannot be found.',
    'No se pueden encontrar empresas que no están registradas.',
    'Não é possível encontrar empresas que não estão registradas.',
  ],
  state: [
    'Give the two letters of a state, e.g. SP.',
    'Indique las dos letras de un estado, p. ej. SP.',
    'Informe as duas letras de um estado, p. ex. SP.',
  ],
  legalNature: [
    'Give the four digits of a legal nature, e.g. 2062.',
    'Indique los cuatro dígitos de una naturaleza jurídica, p. ej. 2062.',
    'Informe os quatro dígitos de uma natureza jurídica, p. ex. 2062.',
  ],
  activity: [
    'Give two to seven digits of a CNAE code, e.g. 47 or 4721102.',
    'Indique de dos a siete dígitos de un código CNAE, p. ej. 47 o 4721102.',
    'Informe de dois a sete dígitos de um código CNAE, p. ex. 47 ou 4721102.',
  ],
  otherSearch: [
    'This cursor belongs to another search: repeat its name, country and filter, or begin without a cursor.',
    'Este cursor pertenece a otra búsqueda: repita su nombre, país y filtro, o comience sin cursor.',
    'Este cursor pertence a outra busca: repita seu nome, país e filtro, ou comece sem cursor.',
  ],
  notACursorOfSearch: [
    'This is not a cursor of this search.',
    'Este no es un cursor de esta búsqueda.',
    'Este não é um cursor desta busca.',
  ],
  domainCountries: [
    'A company is found by its domain for CL and BR only; give its NIT.',
    'La búsqueda por dominio solo está disponible para CL y BR; indique el NIT.',
    'A busca por domínio só está disponível para CL e BR; informe o NIT.',
  ],
  domainOfCountry: [
    'For {country} give a domain under {family}, or the tax id.',
    'Para {country} indique un dominio bajo {family}, o el identificador tributario.',
    'Para {country} informe um domínio sob {family}, ou o identificador fiscal.',
  ],
  idOrDomain: [
    'Give the identifier (or rut) of the company, or its domain.',
    'Indique el identifier (o rut) de la empresa, o su dominio.',
    'Informe o identifier (ou rut) da empresa, ou seu domínio.',
  ],
});
