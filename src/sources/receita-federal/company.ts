import { z } from 'zod';
import { hasLostCharacters, isSameDescription } from '../../domain/encoding.ts';
import { CPF_DIGITS, isMaskedCpf, maskCpf, maskCpfs, maskCpfsInName, readCpf, withoutExtraZeros } from '../../domain/personal-ids.ts';
import { bareId, isProblem, readCnpj, strip } from '../../domain/tax-id.ts';
import { MAX_LENGTHS, storable } from '../../domain/text.ts';
import { isIsoDate } from '../../domain/time.ts';
import { RECEITA_DETAILS, type ReceitaDetails } from './details.ts';
import { NATURES, recordsPartners } from './tables.ts';

/** Registration status (situação cadastral) of an establishment, in the registry's own words, by its code. */
export const REGISTRATIONS = { 1: 'NULA', 2: 'ATIVA', 3: 'SUSPENSA', 4: 'INAPTA', 5: 'ATIVA NÃO REGULAR', 8: 'BAIXADA' } as const;
export type Registration = (typeof REGISTRATIONS)[keyof typeof REGISTRATIONS];

/** Registrations that are active. `ATIVA NÃO REGULAR` has an open obligation. */
const ACTIVE: ReadonlySet<Registration> = new Set(['ATIVA', 'ATIVA NÃO REGULAR']);

export const isActive = (registration: Registration): boolean => ACTIVE.has(registration);

/** Size class (porte), in the registry's own words. `DEMAIS` covers all others: medium and large companies, and also associations and public bodies. */
const PORTES = { 1: 'MICRO EMPRESA', 3: 'EMPRESA DE PEQUENO PORTE', 5: 'DEMAIS' } as const;
export type Porte = (typeof PORTES)[keyof typeof PORTES];

/** One partner or officer (QSA row). `document` is a full CNPJ, a CPF masked by us or the registry, or null. */
export interface ReceitaPartner {
  readonly kind: 'company' | 'person' | 'foreign';
  readonly name: string;
  readonly document: string | null;
  readonly roleCode: number | null;
  readonly role: string;
  /** ISO date; null when the registry has none or an impossible one. */
  readonly entryDate: string | null;
  readonly country: string | null;
  readonly legalRepName: string | null;
  readonly legalRepRole: string | null;
  /** Masked CPF of the representative, by which an erased person is found in an answer of a mirror. The source removes it. */
  readonly legalRepDocument?: string | null;
}

/** An establishment as the Brazilian tax registry publishes it. Modules interpret its fields. */
export interface ReceitaCompany {
  readonly cnpj: string;
  /** Legal name; empty if both mirrors have none. */
  readonly legalName: string;
  /** Trade name (nome fantasia) of the establishment; null when it has none. */
  readonly tradeName: string | null;
  readonly registration: Registration;
  /** ISO date since which `registration` is valid. */
  readonly registrationSince: string | null;
  /** ISO date of this establishment's first registration. */
  readonly openedOn: string | null;
  readonly isBranch: boolean;
  /** Special situation, e.g. RECUPERACAO JUDICIAL; normally null. */
  readonly specialSituation: string | null;
  /** Main activity: CNAE, seven digits, left zeros kept; null when the registry has none. */
  readonly activityCode: string | null;
  readonly activity: string | null;
  /** Legal nature (natureza jurídica), four digits; null when the registry has none. */
  readonly nature: string | null;
  /** Size class; null if the registry has none. */
  readonly size: Porte | null;
  /** Share capital in BRL, to the cent; null when the registry has none. One mirror rounds it to a 32-bit float. */
  readonly capital: number | null;
  /** True while the company is in the tax regime of individual micro-entrepreneurs (MEI). */
  readonly isMei: boolean;
  /** State (UF) of its address, e.g. `SP`; null abroad. */
  readonly state: string | null;
  /** Municipality in capitals, as printed; null abroad. */
  readonly municipality: string | null;
  /** Partners; null when unknown: the mirror has none for a company that has some, and the other mirror did not confirm it. */
  readonly partners: readonly ReceitaPartner[] | null;
  readonly details: ReceitaDetails;
}

const text = z.string();

/** Schema by which processes share a company. */
export const RECEITA_COMPANY: z.ZodType<ReceitaCompany> = z.object({
  cnpj: text,
  legalName: text,
  tradeName: text.nullable(),
  registration: z.enum(REGISTRATIONS),
  registrationSince: text.nullable(),
  openedOn: text.nullable(),
  isBranch: z.boolean(),
  specialSituation: text.nullable(),
  activityCode: text.nullable(),
  activity: text.nullable(),
  nature: text.nullable(),
  size: z.enum(PORTES).nullable(),
  capital: z.number().nullable(),
  isMei: z.boolean(),
  state: text.nullable(),
  municipality: text.nullable(),
  partners: z
    .array(
      z.object({
        kind: z.enum(['company', 'person', 'foreign']),
        name: text,
        document: text.nullable(),
        roleCode: z.number().nullable(),
        role: text,
        entryDate: text.nullable(),
        country: text.nullable(),
        legalRepName: text.nullable(),
        legalRepRole: text.nullable(),
      }),
    )
    .nullable(),
  details: RECEITA_DETAILS,
});

/**
 * Gaps of a record: fields that it lacks although the registry has them for nearly every such company, the most severe first. After a
 * partly failed load, mirrors have such records. `partner`: one of several partners has no name. `characters`: a name has lost some.
 */
export const GAPS = ['name', 'partners', 'activity', 'partner', 'characters'] as const;
export type Gap = (typeof GAPS)[number];

/** Returns the gaps of a record, the most severe first. */
export function gapsOf({ legalName, partners, nature, isMei, activityCode, tradeName }: ReceitaCompany): readonly Gap[] {
  const names = [legalName, tradeName ?? '', ...(partners ?? []).map(({ name }) => name)];
  const lacks: Readonly<Record<Gap, boolean>> = {
    name: legalName === '',
    partners: partners === null || (partners.every(({ name }) => name === '') && !isMei && (nature === null || recordsPartners(nature))),
    activity: activityCode === null,
    partner: partners?.some(({ name }) => name === '') ?? false,
    characters: names.some(hasLostCharacters),
  };
  return GAPS.filter((gap) => lacks[gap]);
}

/** Maximum length of a CPF in any spelling. A CPF at the place where a text is cut is masked before. */
const LONGEST_CPF = 40;

const shown = (value: string | null | undefined, mask: typeof maskCpfs, maxLength: number): string | null =>
  storable(mask((value?.trim() ?? '').slice(0, maxLength + LONGEST_CPF)), maxLength) || null;

export const CNPJ_LENGTH = 14;

/** Returns the bare CNPJ of a record. Mirrors that stored it as a number have lost its left zeros. */
export const recordCnpj = (value: string | number): string => strip(String(value)).padStart(CNPJ_LENGTH, '0');

/** Returns the trimmed label with any CPF masked; null if empty. */
export const filled = (value: string | null | undefined): string | null => shown(value, maskCpfs, MAX_LENGTHS.label);

/** Returns the trimmed name of a person or of a sole trader with any CPF masked; null if empty. */
export const filledName = (value: string | null | undefined): string | null => shown(value, maskCpfsInName, MAX_LENGTHS.name);

/** Matches placeholders of a missing name: punctuation alone, zeros, a tax id alone, or words for "nothing". */
const NO_NAME =
  /^(?:[^\p{L}\p{N}]*|0+|\d{8}|\d{14}|\d{2}\.\d{3}\.\d{3}(?:\/\d{4}-\d{2})?|null|none|nan|undefined|n\/[ad]|sem (?:nome|raz[aã]o social|informa[cç][aã]o)|n[aã]o (?:informad[ao]|consta|dispon[ií]vel))$/iu;

/** Returns the trimmed name of a company with any CPF masked; null if it has none. @param isPersonal result of `isPersonalNature` */
export const companyName = (value: string | null | undefined, isPersonal: boolean): string | null =>
  NO_NAME.test(value?.trim() ?? '') ? null : shown(value, isPersonal ? maskCpfsInName : maskCpfs, MAX_LENGTHS.name);

/** Codes of sole traders (2135) and natural persons (4…). */
const PERSONAL_NATURE = /^(?:2135|4\d{3})$/;

/**
 * True for a company that is a natural person, whose name may contain the CPF: a MEI, a sole trader, and one of an unknown legal nature
 * (code).
 */
export const isPersonalNature = (nature: string | null, isMei: boolean): boolean =>
  isMei || nature === null || PERSONAL_NATURE.test(nature);

/** Returns an ISO date of the registry; null for any other text, and for impossible years (0202, 4100), which occur in the source. */
export const plausibleDate = (value: string | null | undefined): string | null =>
  value && isIsoDate(value) && value >= '1800' && value < '2200' ? value : null;

/**
 * Returns the CNAE of seven digits, from a number that may have lost its left zero or a text that may be punctuated; null for none (0,
 * empty).
 */
export function cnaeCode(value: number | string | null | undefined): string | null {
  const written = String(value ?? '');
  const code = /^\d*$/.test(written) ? written : bareId(written);
  return /^\d?\d{6}$/.test(code) && Number(code) > 0 ? code.padStart(7, '0') : null;
}

/**
 * Returns the size class from its code (5, `05`) or its name in any spelling, with or without an abbreviation (`Microempresa (ME)`); null
 * when not informed.
 */
export function porteOf(value: number | string | null | undefined): Porte | null {
  const [text = ''] = String(value ?? '').split('(', 1);
  const given = text.trim().replace(/^0+/, '');
  return Object.entries(PORTES).find(([code, words]) => given === code || isSameDescription(given, words))?.[1] ?? null;
}

/** The registry has 999999999999 for an unknown capital. A 32-bit float differs from it by less than 65,536. No company has so much. */
const UNKNOWN_FROM = 999_999_900_000;

/** An amount as the mirrors write it: `1000,00`, `1000.00`, `1.000` or `1.000,00`. One of which a spreadsheet kept few digits (`1,00E+7`) is none. */
const WRITTEN_CAPITAL = /^(?:\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?|\d+(?:[.,]\d{1,2})?)$/;

/** Returns the capital in BRL from a number or from a text such as `1000,00` or `1.000,00`; null for any other value. */
export function capitalOf(value: unknown): number | null {
  const capital = typeof value === 'string' ? writtenCapital(value.trim()) : value;
  if (typeof capital !== 'number' || !(capital >= 0 && capital < UNKNOWN_FROM)) return null;
  return Math.round(capital * 100) / 100;
}

function writtenCapital(text: string): number | null {
  if (!WRITTEN_CAPITAL.test(text)) return null;
  const isGrouped = text.includes(',') || /\.\d{3}$/.test(text);
  return Number(isGrouped ? text.replaceAll('.', '').replace(',', '.') : text);
}

/** The code of ATIVA NÃO REGULAR, which OpenCNPJ prints in place of a name. */
const UNNAMED_REGISTRATION = /^0?5$/;

/** Returns the registration from its name in any spelling, also with dashes; undefined for another text. */
export function registrationOf(words: string): Registration | undefined {
  const plain = words.replace(/[\s_–—-]+/g, ' ').trim();
  if (UNNAMED_REGISTRATION.test(plain)) return REGISTRATIONS[5];
  return Object.values(REGISTRATIONS).find((registration) => isSameDescription(registration, plain));
}

/**
 * Returns the legal nature of four digits from its code, which may be a number (2062) or punctuated (`206-2`), or else from its name; null
 * for neither.
 */
export function natureOf(code: number | string | null | undefined, name: string | null | undefined): string | null {
  const digits = strip(String(code ?? '')).padStart(4, '0');
  if (/^[1-9]\d{3}$/.test(digits)) return digits;
  return NATURES.codes(name ?? '')[0] ?? null;
}

/** Returns state and municipality of an establishment; null abroad, where the registry has `EX` and `EXTERIOR`. */
export function placeOf(
  uf: string | null | undefined,
  municipality: string | null | undefined,
): Pick<ReceitaCompany, 'state' | 'municipality'> {
  const state = uf?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{2}$/.test(state) || state === 'EX') return { state: null, municipality: null };
  return { state, municipality: filled(municipality) };
}

/** Brazil, and the name that the registry's table has for the code 000, which stands for no country. */
const NOT_ABROAD: ReadonlySet<string> = new Set(['BRASIL', 'COLIS POSTAUX']);

/** Returns the country of a partner or an address abroad; null for Brazil, and if the registry states none. */
export const foreignCountry = (name: string | null | undefined): string | null => {
  const country = filled(name);
  return country !== null && NOT_ABROAD.has(country.toUpperCase()) ? null : country;
};

/** Schema of the document of a partner. Some mirrors store it as a number, so that left zeros are lost. */
export const partnerDocumentCell = z.union([z.string(), z.number()]);

/** Kinds of partners by their code. */
export const PARTNER_KINDS = { 1: 'company', 2: 'person', 3: 'foreign' } as const;

/** The masked CPF that stands for no document. */
export const NO_DOCUMENT = '***000000**';

/**
 * Reads the document of a partner: a CNPJ in full, a CPF masked as the registry masks it (`***456789**`). Both may lack their left zeros.
 * It returns null for "none" (`***000000**`) and for any other text, which may be about a person. A person has no CNPJ, although a CPF
 * that begins with 00 is also one with three zeros before it.
 */
export function partnerDocument(value: string | number | null, kind: ReceitaPartner['kind']): string | null {
  const written = String(value ?? '');
  const document = bareId(written);
  if (isMaskedCpf(document)) return document === NO_DOCUMENT ? null : document;
  const cpf = readCpf(withoutExtraZeros(document));
  const cnpj = readCnpj(document);
  if (!isProblem(cnpj) && (kind === 'company' || (cpf === null && document.length > CPF_DIGITS))) return cnpj;
  const masked = cpf && maskCpf(cpf);
  return masked === NO_DOCUMENT ? null : masked;
}
