/** The registry's lookup tables, as far as the fictional world needs them, in the registry's wording. */

/** Texts of `situacao_cadastral`. */
export const STATUSES = { 1: 'NULA', 2: 'ATIVA', 3: 'SUSPENSA', 4: 'INAPTA', 5: 'ATIVA NÃO REGULAR', 8: 'BAIXADA' } as const;

/** Texts of `motivo_situacao_cadastral`. */
export const REASONS = {
  0: 'SEM MOTIVO',
  1: 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA',
  18: 'INTERRUPCAO TEMPORARIA DAS ATIVIDADES',
  54: 'EXTINCAO - TRATAMENTO DIFERENCIADO DADO AS ME E EPP (LEI COMPLEMENTAR NUMERO 123/2006)',
  63: 'OMISSAO DE DECLARACOES',
  73: 'OMISSAO CONTUMAZ',
} as const;

/** Texts of `codigo_porte` in minha-receita and in OpenCNPJ. */
export const SIZES = {
  0: { capitals: 'NÃO INFORMADO', title: 'Não informado' },
  1: { capitals: 'MICRO EMPRESA', title: 'Microempresa (ME)' },
  3: { capitals: 'EMPRESA DE PEQUENO PORTE', title: 'Empresa de Pequeno Porte (EPP)' },
  5: { capitals: 'DEMAIS', title: 'Demais' },
} as const;

/** Texts of `codigo_natureza_juridica`. */
export const NATURES = {
  1244: 'Município',
  2011: 'Empresa Pública',
  2038: 'Sociedade de Economia Mista',
  2046: 'Sociedade Anônima Aberta',
  2054: 'Sociedade Anônima Fechada',
  2062: 'Sociedade Empresária Limitada',
  2135: 'Empresário (Individual)',
  2143: 'Cooperativa',
  2151: 'Consórcio de Sociedades',
  2216: 'Empresa Domiciliada no Exterior',
  2240: 'Sociedade Simples Limitada',
  2321: 'Sociedade Unipessoal de Advocacia',
  3069: 'Fundação Privada',
  3085: 'Condomínio Edilício',
  3131: 'Entidade Sindical',
  3220: 'Organização Religiosa',
  3999: 'Associação Privada',
} as const;

/** CNAE classes of seven digits. minha-receita omits the leading zero, OpenCNPJ keeps it. */
export const ACTIVITIES = {
  '0112199': 'Cultivo de outras fibras de lavoura temporária não especificadas anteriormente',
  '0134200': 'Cultivo de café',
  '0151201': 'Criação de bovinos para corte',
  '0210108': 'Produção de carvão vegetal - florestas plantadas',
  '0220903': 'Coleta de castanha-do-pará em florestas nativas',
  '1091102': 'Fabricação de produtos de padaria e confeitaria com predominância de produção própria',
  '1351100': 'Fabricação de artefatos têxteis para uso doméstico',
  '1412601': 'Confecção de peças de vestuário, exceto roupas íntimas e as confeccionadas sob medida',
  '2342702': 'Fabricação de artefatos de cerâmica e barro cozido para uso na construção, exceto azulejos e pisos',
  '3511501': 'Geração de energia elétrica',
  '3600601': 'Captação, tratamento e distribuição de água',
  '4110700': 'Incorporação de empreendimentos imobiliários',
  '4120400': 'Construção de edifícios',
  '4399103': 'Obras de alvenaria',
  '4632001': 'Comércio atacadista de cereais e leguminosas beneficiados',
  '4649408': 'Comércio atacadista de produtos de higiene, limpeza e conservação domiciliar',
  '4771701': 'Comércio varejista de produtos farmacêuticos, sem manipulação de fórmulas',
  '4930202': 'Transporte rodoviário de carga, exceto produtos perigosos e mudanças, intermunicipal, interestadual e internacional',
  '5510801': 'Hotéis',
  '6201501': 'Desenvolvimento de programas de computador sob encomenda',
  '6202300': 'Desenvolvimento e licenciamento de programas de computador customizáveis',
  '6462000': 'Holdings de instituições não-financeiras',
  '7810800': 'Seleção e agenciamento de mão-de-obra',
  '8112500': 'Condomínios prediais',
  '8121400': 'Limpeza em prédios e em domicílios',
  '8299799': 'Outras atividades de serviços prestados principalmente às empresas não especificadas anteriormente',
  '8411600': 'Administração pública em geral',
  '8520100': 'Ensino médio',
  '8630503': 'Atividade médica ambulatorial restrita a consultas',
  '9420100': 'Atividades de organizações sindicais',
  '9430800': 'Atividades de associações de defesa de direitos sociais',
  '9491000': 'Atividades de organizações religiosas ou filosóficas',
} as const;
export type Activity = keyof typeof ACTIVITIES;

/** Texts of `codigo_qualificacao_…`. */
export const ROLES = {
  0: 'Não informada',
  5: 'Administrador',
  8: 'Conselheiro de Administração',
  10: 'Diretor',
  16: 'Presidente',
  17: 'Procurador',
  19: 'Síndico (Condomínio)',
  20: 'Sociedade Consorciada',
  22: 'Sócio',
  37: 'Sócio Pessoa Jurídica Domiciliado no Exterior',
  38: 'Sócio Pessoa Física Residente no Exterior',
  49: 'Sócio-Administrador',
  50: 'Empresário',
  63: 'Cotas em Tesouraria',
  65: 'Titular Pessoa Física Residente ou Domiciliado no Brasil',
} as const;
export type Role = keyof typeof ROLES;

/** Countries of foreign owners. Code 367 is in use but in no published table, so it has no name. */
export const COUNTRIES = { 158: 'CHILE', 169: 'COLOMBIA', 367: null, 445: 'LUXEMBURGO', 845: 'URUGUAI' } as const;
export type CountryCode = keyof typeof COUNTRIES;

/** Municipalities: state, SIAFI code, IBGE code (null abroad), a fictional postcode, area code. */
export const PLACES = {
  'SAO PAULO': { uf: 'SP', siafi: '7107', ibge: 3550308, cep: '01000999', ddd: '11' },
  'RIO DE JANEIRO': { uf: 'RJ', siafi: '6001', ibge: 3304557, cep: '20000999', ddd: '21' },
  'BELO HORIZONTE': { uf: 'MG', siafi: '4123', ibge: 3106200, cep: '30000999', ddd: '31' },
  RECIFE: { uf: 'PE', siafi: '2531', ibge: 2611606, cep: '50000999', ddd: '81' },
  MANAUS: { uf: 'AM', siafi: '0255', ibge: 1302603, cep: '69000999', ddd: '92' },
  'PORTO ALEGRE': { uf: 'RS', siafi: '8801', ibge: 4314902, cep: '90000999', ddd: '51' },
  MAZAGAO: { uf: 'AP', siafi: '0607', ibge: 1600402, cep: '68940999', ddd: '96' },
  BRASILIA: { uf: 'DF', siafi: '9701', ibge: 5300108, cep: '70000999', ddd: '61' },
  CUIABA: { uf: 'MT', siafi: '9067', ibge: 5103403, cep: '78000999', ddd: '65' },
  EXTERIOR: { uf: 'EX', siafi: '9707', ibge: null, cep: '', ddd: '' },
} as const;
export type Place = keyof typeof PLACES;

/** Texts of `faixa_etaria`, by code. */
export const AGE_BANDS = [
  'Não se aplica',
  'Entre 0 a 12 anos',
  'Entre 13 a 20 anos',
  'Entre 21 a 30 anos',
  'Entre 31 a 40 anos',
  'Entre 41 a 50 anos',
  'Entre 51 a 60 anos',
  'Entre 61 a 70 anos',
  'Entre 71 a 80 anos',
  'Maiores de 80 anos',
] as const;
