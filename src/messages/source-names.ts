import { type Language, type Row, textIn } from './languages.ts';

/*
 * Names of sources, lists and modules for people, here and in `module-names.ts`. Pages, printed files, mails, messages of webhooks and the
 * sentences of the API in Spanish and Portuguese have them; machine fields and the English sentences of the API have the codes. Both files
 * import the languages alone, because the dashboard loads them, too.
 */

/** The names of all sources and lists. Proper names, such as CEIS, stay in their language and have words beside them. */
const SOURCE_NAMES = {
  receita_federal: ['Receita Federal registry (CNPJ)', 'Registro de la Receita Federal (CNPJ)', 'Cadastro da Receita Federal (CNPJ)'],
  sii: ['SII tax registry (RUT)', 'Registro tributario del SII (RUT)', 'Cadastro tributário do SII (RUT)'],
  cl_ownership: ['Partners of companies (SII)', 'Composición de sociedades (SII)', 'Composição de sociedades (SII)'],
  rues: ['Commercial register RUES (NIT)', 'Registro mercantil RUES (NIT)', 'Registro mercantil RUES (NIT)'],
  TAX_DEBTORS_CL: ['List of tax debtors', 'Lista de deudores tributarios', 'Lista de devedores tributários'],
  mercadopublico: ['Public procurement (Mercado Público)', 'Compras públicas (Mercado Público)', 'Compras públicas (Mercado Público)'],
  pncp: ['Public procurement (PNCP)', 'Compras públicas (PNCP)', 'Compras públicas (PNCP)'],
  secopii: ['Public procurement (SECOP II)', 'Compras públicas (SECOP II)', 'Compras públicas (SECOP II)'],
  rdap: ['Domain holders (registro.br)', 'Titulares de dominios (registro.br)', 'Titulares de domínios (registro.br)'],
  dns: ['Domain name system (DNS)', 'Sistema de nombres de dominio (DNS)', 'Sistema de nomes de domínio (DNS)'],
  website: ['Websites of companies', 'Sitios web de las empresas', 'Sites das empresas'],
  known_domains: ['Known domains of companies', 'Dominios conocidos de empresas', 'Domínios conhecidos de empresas'],
  CEIS: [
    'CEIS (barred from public contracts)',
    'CEIS (inhabilitadas para contratar con el Estado)',
    'CEIS (empresas inidôneas e suspensas)',
  ],
  CNEP: ['CNEP (anti-corruption penalties)', 'CNEP (sanciones anticorrupción)', 'CNEP (punições da lei anticorrupção)'],
  CEPIM: [
    'CEPIM (non-profits barred from agreements)',
    'CEPIM (entidades sin ánimo de lucro impedidas)',
    'CEPIM (entidades sem fins lucrativos impedidas)',
  ],
  TCU_INIDONEOS: ['TCU (unfit for public contracts)', 'TCU (no idóneas para contratar con el Estado)', 'TCU (licitantes inidôneos)'],
  BCB_PROIBIDOS: [
    'Banco Central (barred from the financial system)',
    'Banco Central (inhabilitadas en el sistema financiero)',
    'Banco Central (proibidas no sistema financeiro)',
  ],
  ACORDO_LENIENCIA: ['Leniency agreements', 'Acuerdos de lenidad', 'Acordos de leniência'],
  MULTAS_SECOP_I: ['Contract fines (SECOP I)', 'Multas contractuales (SECOP I)', 'Multas contratuais (SECOP I)'],
  MULTAS_SECOP_II: ['Contract fines (SECOP II)', 'Multas contractuales (SECOP II)', 'Multas contratuais (SECOP II)'],
  TRABALHO_ESCRAVO: [
    'Forced-labour registry (Cadastro de Empregadores)',
    'Registro de trabajo forzoso (Cadastro de Empregadores)',
    'Lista de trabalho escravo (Cadastro de Empregadores)',
  ],
  OFAC_SDN: ['OFAC SDN list (US)', 'Lista SDN de la OFAC (EE. UU.)', 'Lista SDN da OFAC (EUA)'],
  OFAC_NON_SDN: ['OFAC lists other than SDN (US)', 'Listas de la OFAC distintas de SDN (EE. UU.)', 'Listas da OFAC além da SDN (EUA)'],
  UN_CONSOLIDATED: ['UN consolidated list', 'Lista consolidada de la ONU', 'Lista consolidada da ONU'],
  EU_CONSOLIDATED: ['EU consolidated list', 'Lista consolidada de la UE', 'Lista consolidada da UE'],
  UK_SANCTIONS: ['UK sanctions list', 'Lista de sanciones del Reino Unido', 'Lista de sanções do Reino Unido'],
  WORLD_BANK_DEBARRED: [
    'World Bank list of ineligible firms',
    'Lista de inhabilitados del Banco Mundial',
    'Lista de impedidos do Banco Mundial',
  ],
} as const satisfies Readonly<Record<string, Row>>;

/** Code of a source or a list that has a name. The catalogue of sources has the same codes. */
export type NamedSource = keyof typeof SOURCE_NAMES;

/** True for a code that has a name in this release. */
export const isNamedSource = (code: string): code is NamedSource => Object.hasOwn(SOURCE_NAMES, code);

const BY_CODE: ReadonlyMap<string, Row> = new Map(Object.entries(SOURCE_NAMES).map(([code, row]) => [code.toUpperCase(), row]));

/**
 * Returns the name of a source for people.
 * @param code its code in any case, as GraphQL (`RECEITA_FEDERAL`) or REST (`receita_federal`) writes it. The code of a newer
 * release has no name and is returned as it is.
 */
export function sourceNameIn(code: string, language: Language): string {
  const name = BY_CODE.get(code.toUpperCase());
  return name ? textIn(name, language) : code;
}

/** Returns the name of a source without the words in brackets after it, for places that are too small for them. */
export const shortSourceNameIn = (code: string, language: Language): string => sourceNameIn(code, language).split(' (', 1)[0] ?? code;

/** Matches a word that may be the code of a list: capitals and underscores. */
const CODE = /\b[A-Z][A-Z_]{3,}\b/g;

/**
 * Writes a sentence of the API for people: an English one gets names in place of the codes of lists in capitals. A sentence in another
 * language has the names already.
 */
export const withSourceNames = (text: string, language: Language): string =>
  language === 'en' ? text.replaceAll(CODE, (code) => (isNamedSource(code) ? sourceNameIn(code, language) : code)) : text;
