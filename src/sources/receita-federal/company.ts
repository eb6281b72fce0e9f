import { z } from 'zod';
import { maskCpf, maskCpfs, maskCpfsInName, readCpf } from '../../domain/personal-ids.ts';
import { isProblem, readCnpj, strip } from '../../domain/tax-id.ts';
import { MAX_LENGTHS, storable } from '../../domain/text.ts';
import { isIsoDate } from '../../domain/time.ts';

/** Registration status (situação cadastral) of an establishment, in the registry's own words. */
export const REGISTRATIONS = { 1: 'NULA', 2: 'ATIVA', 3: 'SUSPENSA', 4: 'INAPTA', 8: 'BAIXADA' } as const;
export type Registration = (typeof REGISTRATIONS)[keyof typeof REGISTRATIONS];

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
}

/** An establishment as the Brazilian tax registry publishes it. Modules interpret its fields. */
export interface ReceitaCompany {
  readonly cnpj: string;
  readonly legalName: string;
  /** Trade name (nome fantasia) of the establishment; null when it has none. */
  readonly tradeName: string | null;
  readonly registration: Registration;
  /** ISO date since which `registration` holds. */
  readonly registrationSince: string | null;
  /** ISO date of this establishment's first registration. */
  readonly openedOn: string | null;
  readonly isBranch: boolean;
  /** E.g. RECUPERACAO JUDICIAL; null normally. */
  readonly specialSituation: string | null;
  /** Main activity: CNAE, seven digits, left zeros kept; null when the registry has none. */
  readonly activityCode: string | null;
  readonly activity: string | null;
  /** Null when the registry has no size class. */
  readonly size: Porte | null;
  /** True while the company is in the tax regime of individual micro-entrepreneurs (MEI). */
  readonly isMei: boolean;
  /** State (UF) of its address, e.g. `SP`; null abroad. */
  readonly state: string | null;
  /** In capitals, as printed; null abroad. */
  readonly municipality: string | null;
  readonly partners: readonly ReceitaPartner[];
}

const text = z.string();

/** The form in which processes share a company. */
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
  size: z.enum(PORTES).nullable(),
  isMei: z.boolean(),
  state: text.nullable(),
  municipality: text.nullable(),
  partners: z.array(
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
  ),
});

/** Trimmed label with any CPF masked; null when empty. */
export const filled = (value: string | null | undefined): string | null =>
  storable(maskCpfs(value?.trim() ?? ''), MAX_LENGTHS.label) || null;

/** Trimmed name of a person or of a sole trader with any CPF masked; null when empty. */
export const filledName = (value: string | null | undefined): string | null =>
  storable(maskCpfsInName(value?.trim() ?? ''), MAX_LENGTHS.name) || null;

/** Trimmed name of a company with any CPF masked; null when empty. @param isPersonal as `isPersonalNature` says */
export const companyName = (value: string | null | undefined, isPersonal: boolean): string | null =>
  isPersonal ? filledName(value) : storable(maskCpfs(value?.trim() ?? ''), MAX_LENGTHS.name) || null;

const PERSONAL_NATURE = /^(?:213-?5|4\d{2}-?\d)$|^(?:empres[aá]rio|produtor rural|contribuinte individual|leiloeiro|candidato)/i;

/**
 * True for a company that is a natural person, whose name may have the CPF: a MEI, a sole trader, and one whose legal nature (code or
 * words) is not stated.
 */
export const isPersonalNature = (nature: string | number | null | undefined, isMei: boolean): boolean =>
  isMei || !nature || PERSONAL_NATURE.test(String(nature).trim());

/** An ISO date of the registry; null for anything else, and for impossible years (0202, 4100), which occur in the source. */
export const plausibleDate = (value: string | null | undefined): string | null =>
  value && isIsoDate(value) && value >= '1800' && value < '2200' ? value : null;

/** CNAE of seven digits, from a number that may have lost its left zero or a text that may be punctuated; null for none (0, empty). */
export function cnaeCode(value: number | string | null | undefined): string | null {
  const code = strip(String(value ?? ''));
  return /^\d?\d{6}$/.test(code) && Number(code) > 0 ? code.padStart(7, '0') : null;
}

/** Size class from its code (5, `05`) or its name in any case; null when not informed. */
export function porteOf(value: number | string | null | undefined): Porte | null {
  const text = String(value ?? '')
    .trim()
    .toUpperCase();
  return Object.entries(PORTES).find(([code, words]) => text === words || text.replace(/^0+/, '') === code)?.[1] ?? null;
}

/** State and municipality of an establishment; null abroad, where the registry has `EX` and `EXTERIOR`. */
export function placeOf(
  uf: string | null | undefined,
  municipality: string | null | undefined,
): Pick<ReceitaCompany, 'state' | 'municipality'> {
  const state = uf?.trim().toUpperCase() ?? '';
  if (!/^[A-Z]{2}$/.test(state) || state === 'EX') return { state: null, municipality: null };
  return { state, municipality: filled(municipality) };
}

export const foreignCountry = (name: string | null | undefined): string | null => {
  const country = filled(name);
  return country?.toUpperCase() === 'BRASIL' ? null : country;
};

/** The document cell of a partner. Some mirrors have kept it as a number, so that left zeros are lost. */
export const partnerDocumentCell = z.union([z.string(), z.number()]);

const NO_DOCUMENT = '***000000**';
const CNPJ_LENGTH = 14;

/**
 * Reads the document of a partner: a CNPJ in full, a CPF masked as the registry masks it (`***456789**`). Both may lack their left zeros.
 * Null for "none" (`***000000**`) and for everything else, because it may be about a person.
 */
export function partnerDocument(value: string | number | null): string | null {
  const document = strip(String(value ?? ''));
  if (/^\*{3}\d{6}\*{2}$/.test(document)) return document === NO_DOCUMENT ? null : document;
  const cnpj = readCnpj(document);
  if (!isProblem(cnpj)) return cnpj;
  const cpf = readCpf(document.replace(/^0+(?=\d{11})/, ''));
  if (cpf !== null) return maskCpf(cpf);
  const padded = readCnpj(/^\d{11,13}$/.test(document) ? document.padStart(CNPJ_LENGTH, '0') : '');
  return isProblem(padded) ? null : padded;
}
