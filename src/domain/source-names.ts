import type { Language, Row } from '../messages/message.ts';
import type { SourceName } from './catalogue.ts';
import type { Country } from './company.ts';

/** A group of sources on a page for people: those of a country, the international lists, or the services of the internet. */
export type SourceGroup = Country | 'INTERNATIONAL' | 'INTERNET';

/** The groups in the order in which a page shows them. */
export const SOURCE_GROUPS: readonly SourceGroup[] = ['BR', 'CL', 'CO', 'INTERNATIONAL', 'INTERNET'];

interface SourceWords {
  readonly group: SourceGroup;
  /** The name for people. Proper names, such as CEIS, stay in their language and have words beside them. */
  readonly name: Row;
}

const words = (group: SourceGroup, ...name: Row): SourceWords => ({ group, name });

/**
 * The names of all sources and lists for people. Pages, printed files, mails and messages of webhooks show them; machine fields and the
 * sentences of `/v1` have the codes. The file imports types alone, because the dashboard loads it, too.
 */
const SOURCE_WORDS: Readonly<Record<SourceName, SourceWords>> = {
  receita_federal: words(
    'BR',
    'Receita Federal registry (CNPJ)',
    'Registro de la Receita Federal (CNPJ)',
    'Cadastro da Receita Federal (CNPJ)',
  ),
  sii: words('CL', 'SII tax registry (RUT)', 'Registro tributario del SII (RUT)', 'Cadastro tributário do SII (RUT)'),
  cl_ownership: words('CL', 'Partners of companies (SII)', 'Composición de sociedades (SII)', 'Composição de sociedades (SII)'),
  rues: words('CO', 'Commercial register RUES (NIT)', 'Registro mercantil RUES (NIT)', 'Registro mercantil RUES (NIT)'),
  TAX_DEBTORS_CL: words('CL', 'List of tax debtors', 'Lista de deudores tributarios', 'Lista de devedores tributários'),
  mercadopublico: words(
    'CL',
    'Public procurement (Mercado Público)',
    'Compras públicas (Mercado Público)',
    'Compras públicas (Mercado Público)',
  ),
  pncp: words('BR', 'Public procurement (PNCP)', 'Compras públicas (PNCP)', 'Compras públicas (PNCP)'),
  secopii: words('CO', 'Public procurement (SECOP II)', 'Compras públicas (SECOP II)', 'Compras públicas (SECOP II)'),
  rdap: words('BR', 'Domain holders (registro.br)', 'Titulares de dominios (registro.br)', 'Titulares de domínios (registro.br)'),
  dns: words('INTERNET', 'Domain name system (DNS)', 'Sistema de nombres de dominio (DNS)', 'Sistema de nomes de domínio (DNS)'),
  website: words('INTERNET', 'Websites of companies', 'Sitios web de las empresas', 'Sites das empresas'),
  known_domains: words('INTERNET', 'Known domains of companies', 'Dominios conocidos de empresas', 'Domínios conhecidos de empresas'),
  CEIS: words(
    'BR',
    'CEIS (barred from public contracts)',
    'CEIS (inhabilitadas para contratos públicos)',
    'CEIS (empresas inidôneas e suspensas)',
  ),
  CNEP: words('BR', 'CNEP (anti-corruption penalties)', 'CNEP (sanciones anticorrupción)', 'CNEP (punições da lei anticorrupção)'),
  CEPIM: words(
    'BR',
    'CEPIM (non-profits barred from agreements)',
    'CEPIM (entidades sin ánimo de lucro impedidas)',
    'CEPIM (entidades sem fins lucrativos impedidas)',
  ),
  TCU_INIDONEOS: words('BR', 'TCU (unfit for public contracts)', 'TCU (no idóneas para contratos públicos)', 'TCU (licitantes inidôneos)'),
  BCB_PROIBIDOS: words(
    'BR',
    'Banco Central (barred from the financial system)',
    'Banco Central (inhabilitadas en el sistema financiero)',
    'Banco Central (proibidas no sistema financeiro)',
  ),
  ACORDO_LENIENCIA: words('BR', 'Leniency agreements', 'Acuerdos de lenidad', 'Acordos de leniência'),
  MULTAS_SECOP_I: words('CO', 'Contract fines (SECOP I)', 'Multas contractuales (SECOP I)', 'Multas contratuais (SECOP I)'),
  MULTAS_SECOP_II: words('CO', 'Contract fines (SECOP II)', 'Multas contractuales (SECOP II)', 'Multas contratuais (SECOP II)'),
  TRABALHO_ESCRAVO: words(
    'BR',
    'Forced-labour registry (Cadastro de Empregadores)',
    'Registro de trabajo forzoso (Cadastro de Empregadores)',
    'Lista de trabalho escravo (Cadastro de Empregadores)',
  ),
  OFAC_SDN: words('INTERNATIONAL', 'OFAC SDN list (US)', 'Lista SDN de la OFAC (EE. UU.)', 'Lista SDN da OFAC (EUA)'),
  OFAC_NON_SDN: words(
    'INTERNATIONAL',
    'OFAC lists other than SDN (US)',
    'Listas de la OFAC distintas de SDN (EE. UU.)',
    'Listas da OFAC além da SDN (EUA)',
  ),
  UN_CONSOLIDATED: words('INTERNATIONAL', 'UN consolidated list', 'Lista consolidada de la ONU', 'Lista consolidada da ONU'),
  EU_CONSOLIDATED: words('INTERNATIONAL', 'EU consolidated list', 'Lista consolidada de la UE', 'Lista consolidada da UE'),
  UK_SANCTIONS: words('INTERNATIONAL', 'UK sanctions list', 'Lista de sanciones del Reino Unido', 'Lista de sanções do Reino Unido'),
  WORLD_BANK_DEBARRED: words(
    'INTERNATIONAL',
    'World Bank list of ineligible firms',
    'Lista de inhabilitados del Banco Mundial',
    'Lista de impedidos do Banco Mundial',
  ),
};

const LANGUAGE_INDEX: Readonly<Record<Language, 0 | 1 | 2>> = { en: 0, es: 1, pt: 2 };

const BY_CODE = new Map(Object.entries(SOURCE_WORDS).map(([code, row]) => [code.toUpperCase(), row]));

/**
 * Returns the name of a source for people.
 * @param code its code in any case, as GraphQL (`RECEITA_FEDERAL`) or REST (`receita_federal`) writes it. The code of a newer
 * release has no name and is returned as it is.
 */
export const sourceNameIn = (code: string, language: Language): string =>
  BY_CODE.get(code.toUpperCase())?.name[LANGUAGE_INDEX[language]] ?? code;

/** Returns the name of a source without the words in brackets after it, for places that are too small for them. */
export const shortSourceNameIn = (code: string, language: Language): string => sourceNameIn(code, language).split(' (', 1)[0] ?? code;

/** Returns the group of a source. A source of a newer release is shown with those of no country. */
export const sourceGroupOf = (code: string): SourceGroup => BY_CODE.get(code.toUpperCase())?.group ?? 'INTERNET';

/** Matches a word that may be the code of a list: capitals and underscores. */
const CODE = /\b[A-Z][A-Z_]{3,}\b/g;

/** Writes a sentence of the API with names in place of the codes of lists in capitals. */
export const withSourceNames = (text: string, language: Language): string =>
  text.replaceAll(CODE, (code) => (Object.hasOwn(SOURCE_WORDS, code) ? sourceNameIn(code, language) : code));
