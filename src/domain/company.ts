import { companyMessages } from '../messages/companies.ts';
import type { Message } from '../messages/message.ts';
import { type Subject, subjectMessage } from '../messages/subjects.ts';
import { taxIdMessages } from '../messages/tax-ids.ts';
import type { SourceName } from './catalogue.ts';
import { AppError, invalidInput } from './errors.ts';
import {
  bareId,
  cnpjRoot,
  formatCnpj,
  formatNit,
  formatRut,
  type IdProblem,
  isProblem,
  MAX_TAX_ID_TEXT,
  malformed,
  readCnpj,
  readNit,
  readRut,
  TAX_ID_TOO_LONG,
} from './tax-id.ts';

export const COUNTRIES = ['BR', 'CL', 'CO'] as const;
export type Country = (typeof COUNTRIES)[number];

/** Country → the registry of its companies: the tax registry, or the commercial register of Colombia. */
export const REGISTRY_OF = { BR: 'receita_federal', CL: 'sii', CO: 'rues' } as const satisfies Record<Country, SourceName>;

/** Identifies a company inside the service: its country and its bare, valid tax id. */
export interface CompanyKey<C extends Country = Country> {
  readonly country: C;
  readonly taxId: string;
}

interface IdRules {
  readonly name: string;
  readonly read: (text: string) => string | IdProblem;
  readonly format: (taxId: string) => string;
  /** Returns the part that identifies the legal person, without branch number and check digits. */
  readonly root: (taxId: string) => string;
}

const RULES: Record<Country, IdRules> = {
  BR: { name: 'CNPJ', read: readCnpj, format: formatCnpj, root: cnpjRoot },
  CL: { name: 'RUT', read: readRut, format: formatRut, root: (rut) => rut },
  CO: { name: 'NIT', read: readNit, format: formatNit, root: (nit) => nit.slice(0, -1) },
};

/** True for a NIT that is a natural person's by its length: a company's has ten digits with the check digit. */
export const isPersonsNit = ({ country, taxId }: CompanyKey): boolean => country === 'CO' && taxId.length !== NIT_LENGTH;

const NIT_LENGTH = 10;

/** Returns the text of a company that is the key in caches and batches: `BR:11222333000181`. */
export const companyKeyText = ({ country, taxId }: CompanyKey): string => `${country}:${taxId}`;

/** Returns the text of a legal person, which all branches of a CNPJ share: `BR:11222333`. */
export const legalPersonText = ({ country, taxId }: CompanyKey): string => `${country}:${RULES[country].root(taxId)}`;

/** Returns the name of the tax ids of a country: CNPJ, RUT or NIT. */
export const taxIdName = (country: Country): string => RULES[country].name;

/** True for a company whose register has no owners, but the legal representative, whom checks and changes of `owners` then name. */
export const hasOfficers = ({ country }: { readonly country: string }): boolean => country === 'CO';

/** Formats the tax id with its usual punctuation: 12.345.678/0001-95, 76.123.456-0, 900.123.456-8. */
export const formatTaxId = ({ country, taxId }: CompanyKey): string => RULES[country].format(taxId);

/**
 * Parses a tax id of a known country.
 * @throws AppError INVALID_INPUT on `field` for a malformed id; the message says which check digit was expected.
 */
export const parseCompanyKey = <C extends Country>(country: C, text: string, field = 'identifier'): CompanyKey<C> =>
  requireId(readCompanyKey(country, text), field);

/** Reads a tax id of a known country. */
export function readCompanyKey<C extends Country>(country: C, text: string): CompanyKey<C> | IdProblem {
  const taxId = RULES[country].read(text);
  return isProblem(taxId) ? taxId : { country, taxId };
}

/**
 * Reads the tax id of a company that the service has named before, such as one that is watched. Answers print a NIT bare, and ten digits
 * that begin with neither 8 nor 9 are read as a person's identity card elsewhere.
 */
export function readPrintedCompanyKey<C extends Country>(country: C, text: string): CompanyKey<C> | IdProblem {
  const [taxId] = (country === 'CO' && /^[1-7]\d{9}$/.exec(text.trim())) || [];
  return readCompanyKey(country, taxId === undefined ? text : formatTaxId({ country, taxId }));
}

/** Parses a tax id as `readPrintedCompanyKey` reads it. @throws AppError INVALID_INPUT on `field` */
export const parsePrintedCompanyKey: typeof parseCompanyKey = (country, text, field = 'identifier') =>
  requireId(readPrintedCompanyKey(country, text), field);

/** @throws AppError INVALID_INPUT on `field` for a problem */
function requireId<K extends CompanyKey>(read: K | IdProblem, field: string): K {
  if ('problem' in read) throw invalidInput(field, read.problem);
  return read;
}

/**
 * True for a text that is read as a CNPJ if no country is given: 14 characters, or a number of more digits than a RUT or a NIT has. A
 * number of 11 to 13 digits with zeros in front may be one, too, and counts if its check digits are right.
 */
export function hasCnpjForm(text: string): boolean {
  const bare = bareId(text);
  return bare.length === 14 || /^0{0,64}[1-9]\d{10,64}$/.test(bare) || (/^0\d{10,12}$/.test(bare) && !isProblem(readCnpj(text)));
}

/**
 * Parses a tax id and detects its country by its form.
 * @throws AppError INVALID_INPUT on `field` for a problem of `readAnyCompanyKey`
 */
export const detectCompanyKey = (text: string, field = 'identifier'): CompanyKey => requireId(readAnyCompanyKey(text), field);

/**
 * Reads a tax id and detects its country by its form. 14 characters are a CNPJ, and so are 11 to 13 digits, which have lost zeros; 10 digits
 * are a NIT with its check digit; a shorter text is a RUT when its check digit fits, otherwise a 9-digit NIT. It is a problem when no
 * country's form fits, or when the text is a valid id of two countries: listed Colombian NITs exist whose digits are a valid RUT, and
 * guessing would answer for the wrong company.
 */
export function readAnyCompanyKey(text: string): CompanyKey | IdProblem {
  if (text.length > MAX_TAX_ID_TEXT) return TAX_ID_TOO_LONG;
  const written = bareId(text);
  const bare = written.replace(/^0{1,64}(?=.{8})/, '');
  if (hasCnpjForm(text)) {
    const isShort = written.length < 14 && bare.length < 11 && [RULES.CL.read(text), RULES.CO.read(text)].some((id) => !isProblem(id));
    if (isShort) return malformed(taxIdMessages.cnpjOrOther());
    return readCompanyKey('BR', text);
  }
  if (/^\d{10}$/.test(bare)) return readCompanyKey('CO', text);
  const rut = RULES.CL.read(text);
  const asNit = /^[89]\d{8}$/.test(bare) && !/-.$/.test(text.trim());
  if (!isProblem(rut) && asNit) return malformed(taxIdMessages.rutOrNit());
  if (!isProblem(rut)) return { country: 'CL', taxId: rut };
  if (asNit) return readCompanyKey('CO', text);
  if (/^\d{1,9}[0-9K]$/.test(bare) && bare.length <= 9) return rut;
  return malformed(taxIdMessages.noTaxId());
}

/**
 * Parses a country code in any letter case.
 * @throws AppError UNSUPPORTED_COUNTRY when the country is not in `served`
 */
export function requireCountry<C extends Country>(country: string, served: readonly C[], subject: Subject): C {
  const found = served.find((one) => one === country) ?? served.find((one) => one === country.trim().toUpperCase());
  if (found) return found;
  const text = companyMessages.countryNotServed({ subject: subjectMessage(subject), countries: served.join(', ') });
  throw new AppError('UNSUPPORTED_COUNTRY', text, { field: 'country' });
}

/** Creates the error for a field that is answered for today only. */
export const asOfNotSupported = (field: string): AppError =>
  new AppError('AS_OF_NOT_SUPPORTED', companyMessages.todayOnly({ field }), { field });

/**
 * Creates the error for a company that is not in its registry, which is not an answer for a profile or a public record. A company of CO may
 * exist without being registered.
 * @param dataAsOf ISO date of the registry's data; null if it states none
 */
export const companyNotFound = (country: Country, dataAsOf: string | null): AppError =>
  new AppError('COMPANY_NOT_FOUND', country === 'CO' ? notInRegister(dataAsOf) : companyMessages.notFound());

const notInRegister = (date: string | null): Message =>
  date ? companyMessages.notInRegisterOf({ date }) : companyMessages.notInRegister();

export const REGISTRATION_STATUSES = ['active', 'inactive', 'not_found'] as const;
/** Status of a company at its tax registry; CO: in the commercial register. */
export type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number];

/**
 * Reasons for which the commercial register of Colombia has no record of a company. `not_in_register`: no chamber has a registration under
 * the NIT. The state, consortia, condominiums, churches, unions and bodies that a ministry registers never register there, so the company
 * may exist. `not_registered`: chambers know the NIT, and all of them print NO MATRICULADO. `natural_person`: the NIT is a person's by its
 * length.
 */
export const REGISTER_ABSENCES = ['not_in_register', 'not_registered', 'natural_person'] as const;
export type RegisterAbsence = (typeof REGISTER_ABSENCES)[number];
