import { CHECK_DIGIT_WORD, cnpjRoot, isProblem, readCnpj, readNit, readRut } from '../../../domain/tax-id.ts';
import { folded, withPlainDashes } from '../../../domain/text.ts';

/** An id printed on a sanctions list, recognised as a tax id of a Latin American legal person. */
export interface ListTaxId {
  /** Country, colon, root without punctuation: `BR:35116112`, `CO:800076369`, `MX:AIN000713GR7`. */
  readonly key: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/**
 * Country names as printed → ISO codes. Ids are indexed by country because numbers alone are not unique: 14 listed Colombian NITs are
 * also valid Chilean RUTs.
 */
const COUNTRIES: Readonly<Record<string, string>> = {
  Argentina: 'AR',
  Bolivia: 'BO',
  Brazil: 'BR',
  Chile: 'CL',
  Colombia: 'CO',
  'Dominican Republic': 'DO',
  Ecuador: 'EC',
  Guatemala: 'GT',
  Honduras: 'HN',
  Mexico: 'MX',
  Nicaragua: 'NI',
  Panama: 'PA',
  Paraguay: 'PY',
  Peru: 'PE',
  Uruguay: 'UY',
  Venezuela: 'VE',
};

/** Further names and the codes of three letters of these countries. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  AR: 'arg',
  BO: 'bol',
  BR: 'brasil bra',
  CL: 'chl',
  CO: 'col',
  DO: 'dom',
  EC: 'ecu',
  GT: 'gtm',
  HN: 'hnd',
  MX: 'mex',
  NI: 'nic',
  PA: 'pan',
  PE: 'per',
  PY: 'pry',
  UY: 'ury',
  VE: 'ven',
};

const CODES = new Map([
  ...Object.entries(COUNTRIES).flatMap(([name, code]) => [[name.toLowerCase(), code] as const, [code.toLowerCase(), code] as const]),
  ...Object.entries(OTHER_NAMES).flatMap(([code, names]) => names.split(' ').map((name) => [name, code] as const)),
  ['republica dominicana', 'DO'] as const,
]);

/** Words before the name of a state: `Republic of Colombia`, `República Bolivariana de Venezuela`. */
const STATE = /^(?:(?:oriental|federative|bolivarian|plurinational|united) )?(?:republica?|states?|estado)(?: [a-z]{4,15})? (?:of|de|do) /;

/** Converts the name or the code of a country in any spelling to its code; null for another text. */
function countryOf(name: string): string | null {
  const [known = ''] = folded(name).split(',', 1);
  return CODES.get(known) ?? CODES.get(known.replace(STATE, '')) ?? null;
}

/** Id types that mean "tax id" → the country if only one country uses the type, otherwise null. */
const TAX_TYPES: Readonly<Record<string, string | null>> = {
  'Tax ID No.': null,
  'Tax Identification Number': null,
  'Tax Registration Number': null,
  'Tax Number': null,
  'NIT #': null,
  'RUC #': null,
  'RUT #': null,
  'R.U.T.': null,
  'C.N.P.J.': 'BR',
  'C.U.I.T.': 'AR',
  'Paraguayan tax identification number': 'PY',
  'R.F.C.': 'MX',
  'RIF #': 'VE',
  RNC: 'DO',
  RTN: 'HN',
};

/** Id types that contain tax ids, registry numbers or personal numbers. An id of such a type counts when its form is that of a company. */
const MIXED_TYPES = [
  'Business Registration Document #',
  'Business Registration Number',
  'Company Number',
  'Identification Number',
  'Legal Entity Number',
  'National ID No.',
  'Registration ID',
  'Registration Number',
  'V.A.T. Number',
];

/** Forms that only ids of legal persons have. Countries where the form does not distinguish persons from companies have no entry. */
const COMPANY_FORMS: Readonly<Record<string, RegExp>> = {
  AR: /^3[034]\d{9}$/,
  CL: /^[5-9]\d{7}[0-9K]$/,
  EC: /^\d{2}[69]\d{7}001$/,
  MX: /^[A-Z]{2,3}\d{6}[0-9A-Z]{3}$/,
  NI: /^J\d{13}$/,
  PE: /^20\d{9}$/,
  PY: /^80\d{7}$/,
  UY: /^\d{12}$/,
  VE: /^[CGJ]\d{9}$/,
};

/** Normalises an id type: `R.F.C.` and `RFC`, `NIT #`, `Nit No.`, `N.I.T. Number` and `NIT` are the same. */
export const squash = (type: string): string =>
  type
    .normalize('NFKC')
    .toUpperCase()
    .replace('°', 'O')
    .replace(/[^0-9A-Z]/g, '')
    .replace(/(?:NO|NRO|NUM|NUMBER|NUMERO)$/, '');

const TAX = new Map(Object.entries(TAX_TYPES).map(([type, country]) => [squash(type), country]));
const MIXED = new Set(MIXED_TYPES.map(squash));

/** The id types as printed, for text without a separator between type and number. Longest first, because some are prefixes of others. */
export const PRINTED_TYPES: readonly string[] = [
  ...Object.keys(TAX_TYPES),
  ...MIXED_TYPES,
  'NIT',
  'RUC',
  'RUT',
  'RIF',
  'RFC',
  'CNPJ',
  'CUIT',
].sort((a, b) => b.length - a.length);

/**
 * Maps a printed id (type, number, English name or code of the country) to the company it identifies; null for any other id.
 * A CNPJ counts under any type, because its check digits identify it. It needs no country when it is printed with its punctuation, and as a
 * tax id it may then have a country that is not known here, in which the company may have its address.
 */
export function listTaxId(type: string, number: string, countryName: string | null): ListTaxId | null {
  const implied = TAX.get(squash(type)) ?? (MASKED_CNPJ.test(number) ? 'BR' : null);
  const isCnpj = implied === 'BR' && isTaxType(type) && MASKED_CNPJ.test(number);
  const country = countryName === null ? implied : (countryOf(countryName) ?? (isCnpj ? 'BR' : null));
  if (country === null) return null;
  const root = rootOf(country, type, number);
  return root === null ? null : { key: `${country}:${root}`, country };
}

/** Returns true when the form of the id is that of a natural person (`R.F.C.` of four letters, RUC that starts with 10). */
export function holdsPersonOnly({ key, country }: ListTaxId): boolean {
  const form = COMPANY_FORMS[country];
  return form !== undefined && !form.test(key.slice(3));
}

const MASKED_CNPJ = /(?<!\w)[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-\d{2}(?!\w)/i;

/** Abbreviations that mean "tax id" in Latin America alone, with any punctuation and in any letter case. */
const LATIN_LABEL = new RegExp(
  `(?<![A-Z])(?:${['NIT', 'RUC', 'RUT', 'RFC', 'CNPJ', 'CUIT', 'RIF', 'RNC', 'RTN'].map((label) => [...label].join('[. ]?')).join('|')})(?![A-Z])`,
  'i',
);
/** Words of tax ids in English, Spanish and Portuguese. */
const TAX_WORDS = /\b(?:tax|tin|fiscal|tribut\w*|contribu\w*)\b/i;

/**
 * True for a printed id that is not recognised and looks like the tax id of a Latin American company: by its type, whatever country is
 * printed; by its type and its country, or its form if no country is printed; or by its country and a form that only companies' ids have.
 * An id of such a type with too few digits is not one.
 */
export function looksLikeTaxId(type: string, number: string, countryName: string | null): boolean {
  const country = countryName === null ? null : countryOf(countryName);
  const value = number.normalize('NFKC').toUpperCase();
  const isLong = value.replace(/\D/g, '').length >= 6 && value.replace(/[^0-9A-Z]/g, '').length >= 7;
  if (!isLong || /[:']/.test(type)) return false;
  if (LATIN_LABEL.test(type)) return true;
  if (country === null) return countryName === null && TAX_WORDS.test(type) && ['CO', 'CL'].some((one) => hasCompanyForm(one, value));
  return TAX_WORDS.test(type) || TAX.has(squash(type)) || hasCompanyForm(country, value);
}

function hasCompanyForm(country: string, value: string): boolean {
  if (country === 'CO') return /^[89]\d{2}\.?\d{3}\.?\d{3}-\d$/.test(value) && !isProblem(readNit(value));
  if (country === 'CL') return /^[5-9]\d\.?\d{3}\.?\d{3}-[0-9K]$/.test(value) && rutOf(value) !== null;
  return ['AR', 'MX', 'PE', 'VE'].includes(country) && COMPANY_FORMS[country]?.test(value.replace(/[^0-9A-Z]/g, '')) === true;
}

/** True for a known type of tax ids, and for a type whose name contains a word of tax ids, such as `Rol Unico Tributario`. */
const isTaxType = (type: string): boolean => TAX.has(squash(type)) || (TAX_WORDS.test(type) && !/[:']/.test(type));

function rootOf(country: string, type: string, number: string): string | null {
  const taxType = isTaxType(type);
  if (country === 'BR') return cnpjOf(number, taxType);
  if (country === 'CO') return taxType ? nitBase(number) : null;
  if (!taxType && !MIXED.has(squash(type))) return null;
  const value = country === 'CL' ? rutOf(number) : normalise(country, number);
  const form = COMPANY_FORMS[country];
  return value !== null && (taxType || form?.test(value)) ? value : null;
}

/**
 * Returns the CNPJ of a number. A number that lacks its left zeros is accepted only as a tax id or with its punctuation, because the
 * numbers of company registries have 11 digits, too.
 */
function cnpjOf(number: string, isTaxId: boolean): string | null {
  if (!isTaxId && /^\d{1,13}$/.test(number.replace(/[\s.,-]/g, ''))) return null;
  const cnpj = readCnpj(MASKED_CNPJ.exec(number)?.[0] ?? number.replace(/^N[o.º°]{1,3}\s*(?=\d)/i, ''));
  return isProblem(cnpj) ? null : cnpjRoot(cnpj);
}

function rutOf(number: string): string | null {
  const rut = readRut(number);
  return isProblem(rut) ? null : rut;
}

/**
 * Returns the base of a NIT: the part before a dash and a check digit, or the first 9 of 9 or 10 digits. It does not verify the check
 * digit, because one is printed wrong on the list (uid 8734). A base of fewer than 9 digits belongs to a person and counts only before
 * a dash.
 */
function nitBase(number: string): string | null {
  const bare = unlabelled('CO', number)
    .replace(CHECK_DIGIT_WORD, '-')
    .replace(/[\s.,()]/g, '')
    .replace(/^CO(?=\d)/, '');
  return (/^0*([1-9]\d{5,8})-\d$/.exec(bare) ?? /^0*([1-9]\d{8})\d?$/.exec(bare))?.[1] ?? null;
}

/** Returns the letters and digits of the value; null for a value that is too short for an id, has no digit or repeats one character. */
function normalise(country: string, number: string): string | null {
  const value = unlabelled(country, number).replace(/[^0-9A-Z]/g, '');
  return value.length < 7 || !/\d/.test(value) || /^(.)\1+$/.test(value) ? null : value;
}

/** Words and marks between a label and its number: `NIT No. 900964705-5`. */
const NUMBER_WORD = /^(?:N[O0°]\.?|N\.|NRO\.?|NUM\.?|NUMBER|NUMERO|[#:-])[\s:#]{0,5}(?=\S{0,40}\d)/;

/** Removes a leading label and number word. For Mexico it removes `RFC` only, because the letters of an RFC may equal another label (`RUC 680713 AB1`). */
function unlabelled(country: string, number: string): string {
  const label =
    country === 'MX'
      ? /^R\.?F\.?C\.?[\s:#]+/
      : /^(?:N\.?I\.?T|R\.?U\.?T|R\.?U\.?C|R\.?I\.?F|C\.?U\.?I\.?T|R\.?N\.?C|R\.?T\.?N)\b\.?[\s:#]*/;
  const plain = number
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[\p{Cf}`´'"\u2018-\u201d]/gu, '');
  return withPlainDashes(plain).trim().replace(label, '').replace(NUMBER_WORD, '');
}
