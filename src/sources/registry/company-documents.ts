import type { Country } from '../../domain/company.ts';
import { isCpf, isMaskedCpf, maskCpf, withoutExtraZeros } from '../../domain/personal-ids.ts';
import { isRounded } from '../../domain/spreadsheet-numbers.ts';
import { bareId, cnpjRoot, isProblem, readCnpj } from '../../domain/tax-id.ts';
import { cnpjsIn } from '../../domain/tax-ids-in-text.ts';
import { cellText } from './csv-table.ts';
import { ListFileError } from './list-file.ts';

/** Holder that the document cell of a row of a Brazilian list identifies. */
export type DocumentHolder =
  /**
   * Company. `cnpj` is verified or, with `damaged`, as printed without punctuation: its check digits are wrong, but its root may be right.
   * `also` has further ids of a row that names several companies; a row with a verified and a damaged one is `damaged`, too.
   */
  | { readonly kind: 'company'; readonly cnpj: string; readonly damaged: boolean; readonly also?: readonly string[] }
  /** Person. `cpf` is masked: `***456789**`. */
  | { readonly kind: 'person'; readonly cpf: string }
  /** Number of another kind, which the list prints for unidentified holders; see `UNIDENTIFIED`. */
  | { readonly kind: 'unidentified' }
  /** Cell that is empty, cut, or rounded by a spreadsheet. */
  | { readonly kind: 'unreadable' };

/** The ids of a row, as its record keeps them. */
export interface HolderDocuments {
  /**
   * Bare CNPJ of the establishment, as printed if its check digits are wrong; masked CPF of a person; empty if it cannot be read, and for a
   * foreign company without a CNPJ.
   */
  readonly document: string;
  /** Further CNPJs of a row that names several companies; absent for one. */
  readonly also?: readonly string[];
}

/**
 * Maximum share of rows whose id cannot be read, including damaged ids that still have a root. In the published files it is 0: a row
 * without a company's id is a person's (4 of 11 rows at hand) or is unidentified (12 of 23,720 rows of CEIS).
 */
const MAX_UNREADABLE = 0.01;
/** Maximum share of unidentified rows. They are at most 12 of 23,720 in CEIS; the limit leaves room for short files. */
const MAX_UNIDENTIFIED = 0.2;

/**
 * Maximum share of rows with neither a right id nor a name. Up to it they are kept, and the list clears nobody (`isNameless`); the published
 * files have none. One such row is a mistake, however short the file is.
 */
const MAX_NAMELESS = 0.0001;

/** Matches documents of rows without a type of person, which have 7 or 9 digits, besides CPFs and CNPJs. */
const UNIDENTIFIED = /^(?:\d{7}|\d{9})$/;
const CNPJ_LENGTH = 14;
/** Matches a number that is no id, although its check digits may be right: `0`, the rest of a cut document, and `000.000.000-00`. */
const REPEATED_DIGIT = /^(\d)\1*$/;
/** Matches at least the root of a CNPJ as the lists print it, `11.222.333/…`, perhaps without its first zero. */
const PRINTED_ROOT = /^\s*([0-9A-Z]{1,2})\.[0-9A-Z]{3}\.[0-9A-Z]{3}\//i;
/** Matches what may be a CPF behind letters, such as `CIC 529.982.247-25`. Three letters and a CPF have the form of a CNPJ with letters. */
const LABELLED_CPF = /^[A-Z]{1,20}(\d{11})$/;
/** Matches a CNPJ without its dots and some of its last digits, such as `11222333/0001`. */
const CUT_CNPJ = /^\s*\d{8}\s?\/\s?\d{1,4}-?\d?\s*$/;

/**
 * Reads a document cell. Where it is not an id itself, the verified ids within it count (`CNPJ/MF 11.222.333/0001-81`, two ids), and then
 * those within the name, in which the id stands where the cells of a row are exchanged. A damaged one counts where none is verified.
 * @param type printed type of person: `J` company, `F` person, empty where the list does not know; null for a list without the column
 */
export function holderOf(cell: string, type: string | null, name = ''): DocumentHolder {
  const holder = wholeCell(cell, type);
  if (holder.kind === 'person' || (holder.kind === 'company' && !holder.damaged)) return holder;
  const texts = holder.kind === 'company' ? [cnpjsIn(cell)] : [cnpjsIn(cell), cnpjsIn(name)];
  const found = texts.find(({ verified }) => verified.length > 0) ?? texts.find(({ damaged }) => damaged.length > 0);
  if (!found || (holder.kind === 'company' && found.verified.length === 0)) return holder;
  const [cnpj = '', ...also] = [...found.verified, ...found.damaged];
  return { kind: 'company', cnpj, damaged: found.damaged.length > 0, ...(also.length > 0 && { also }) };
}

/**
 * Reads a cell that is one id.
 *
 * A number that has lost left zeros is padded, and its check digits decide. Eleven digits may then be a valid CPF and a valid CNPJ at once:
 * they are a company's where the list says so (`J`), and a person's everywhere else. Eleven digits that are neither are a company's only
 * where the list does not say `F`.
 */
function wholeCell(cell: string, type: string | null): DocumentHolder {
  const bare = bareId(cell);
  if (REPEATED_DIGIT.test(bare)) return { kind: type === '' && UNIDENTIFIED.test(bare) ? 'unidentified' : 'unreadable' };
  const isShort = /^\d{8,11}$/.test(bare) && !cell.includes('/');
  const cnpj = readCnpj(type === 'J' && isShort && bare.length === 11 ? `000${bare}` : cell);
  if (!isProblem(cnpj) && !(isShort && type === 'F')) return { kind: 'company', cnpj, damaged: false };
  if (type !== 'J' && isMaskedCpf(bare)) return { kind: 'person', cpf: bare };
  const cpf = withoutExtraZeros(bare).padStart(11, '0');
  const isPersons = isCpf(cpf) && !REPEATED_DIGIT.test(cpf) && (isShort || /^0\d{11,}$/.test(bare)) && !cell.includes('/');
  if (isPersons && (type === 'F' || (type !== 'J' && bare.length > 9))) return { kind: 'person', cpf: maskCpf(cpf) };
  if (type === '' && UNIDENTIFIED.test(bare)) return { kind: 'unidentified' };
  if (isRounded(cell)) return { kind: 'unreadable' };
  if (isPersons && type === 'J') return { kind: 'unreadable' }; // a complete CPF, which is not shown
  const labelled = LABELLED_CPF.exec(bare)?.[1] ?? '';
  if (isCpf(labelled)) return type === 'J' ? { kind: 'unreadable' } : { kind: 'person', cpf: maskCpf(labelled) };
  if (/^[0-9A-Z]{12}\d{2}$/.test(bare)) return { kind: 'company', cnpj: bare, damaged: true };
  if (CUT_CNPJ.test(cell)) return { kind: 'company', cnpj: bare, damaged: true };
  const start = PRINTED_ROOT.exec(cell)?.[1];
  if (start === undefined) return { kind: 'unreadable' };
  return { kind: 'company', cnpj: `${'0'.repeat(2 - start.length)}${bare}`.slice(0, CNPJ_LENGTH), damaged: true }; // a CPF may follow
}

/**
 * Returns the key of rows that may name a company of a country and whose id cannot be read, or is damaged, so that its root may be another
 * company's. No company has this key.
 */
export const unreadableRowsOf = (country: Country): string => `${country}:?`;

/** The key of such rows of Brazilian lists. */
export const UNREADABLE_ROWS = unreadableRowsOf('BR');

/** Returns the legal person of a CNPJ, `BR:11222333`. */
export const legalPersonOf = (cnpj: string): string => `BR:${cnpjRoot(cnpj)}`;

/** Returns the key of the people with these six visible digits of the CPF, `BR:***456789**`. */
export const personOf = (maskedCpf: string): string => `BR:${maskedCpf}`;

/**
 * Returns the documents and the keys by which a row is found; null for a row of an unidentified holder, which is not kept. The document is
 * empty if it cannot be read, because the text may be the id of a person. Such a row is kept whatever type of person it prints: it may be
 * about a sole trader, or about a person who owns a company.
 */
export function holderKeys(holder: DocumentHolder): { readonly documents: HolderDocuments; readonly keys: readonly string[] } | null {
  if (holder.kind === 'company') {
    const { cnpj, damaged, also = [] } = holder;
    const documents = { document: cnpj, ...(also.length > 0 && { also }) };
    return { documents, keys: [...new Set([cnpj, ...also].map(legalPersonOf)), ...(damaged ? [UNREADABLE_ROWS] : [])] };
  }
  if (holder.kind === 'person') return { documents: { document: holder.cpf }, keys: [personOf(holder.cpf)] };
  return holder.kind === 'unreadable' ? { documents: { document: '' }, keys: [UNREADABLE_ROWS] } : null;
}

/** True for a cell that is empty, has neither a letter nor a digit, or says so. */
export const isWithoutText = (cell: string): boolean => cellText(cell) === null || !/[\p{L}\p{N}]/u.test(cell);

/**
 * True for a cell that names nobody: it is empty, says so, or has no letter, as the number of a process. A record of such a name, under the
 * key of rows whose id cannot be read or is damaged, may be about anybody.
 */
export const isNameless = (name: string): boolean => cellText(name) === null || !/\p{L}/u.test(name);

/** The CNPJ of a record by which it is about a company: `cnpj` for this establishment, `root` for another branch of the legal person. */
export interface CnpjMatch {
  readonly cnpj: string;
  readonly matchedOn: 'cnpj' | 'root';
}

/** Returns the CNPJ by which a record that was found for a company is about it. @param requested bare CNPJ of the company */
export function cnpjMatch({ document, also = [] }: HolderDocuments, requested: string): CnpjMatch {
  if (document === requested || also.includes(requested)) return { cnpj: requested, matchedOn: 'cnpj' };
  const ofCompany = [document, ...also].find((cnpj) => cnpjRoot(cnpj) === cnpjRoot(requested));
  return { cnpj: ofCompany ?? document, matchedOn: 'root' };
}

/** Counts the documents of one file. */
export class DocumentCounts {
  private rows = 0;
  private damaged = 0;
  private unidentified = 0;
  private nameless = 0;
  /** Number of rows that no lookup finds, although they may name a company. */
  unmatched = 0;
  private readonly column: string;

  constructor(column: string) {
    this.column = column;
  }

  /** @param name printed name of the holder */
  add(holder: DocumentHolder, name: string): void {
    this.rows += 1;
    const isUnread = holder.kind === 'unreadable' || holder.kind === 'unidentified';
    if (isUnread) this.unmatched += 1;
    const isDamaged = holder.kind === 'unreadable' || (holder.kind === 'company' && holder.damaged);
    if (isDamaged ? isNameless(name) : isUnread && isWithoutText(name)) this.nameless += 1;
    if (holder.kind === 'unidentified') this.unidentified += 1;
    if (isDamaged) this.damaged += 1;
  }

  /** @throws ListFileError for more unreadable or unidentified documents, or rows that name nobody, than a published file has */
  assertFew(): void {
    const unread = `of ${this.rows} cells of ${this.column} cannot be read`;
    if (this.damaged > this.rows * MAX_UNREADABLE) throw new ListFileError(`${this.damaged} ${unread}`);
    if (this.nameless > Math.max(this.rows * MAX_NAMELESS, 1)) throw new ListFileError(`${this.nameless} ${unread}, beside no name`);
    if (this.unidentified > this.rows * MAX_UNIDENTIFIED) throw new ListFileError(`${this.unidentified} ${unread}: too short for an id`);
  }
}
