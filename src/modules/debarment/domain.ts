import type { ListFacts } from '../../domain/answer.ts';
import type { SourceName } from '../../domain/catalogue.ts';
import { optionalLists } from '../../domain/optional-lists.ts';

/** CEIS: companies barred from public contracts. CNEP: anti-corruption penalties, with fines. The order is that of `sourcesChecked`. */
export const DEBARMENT_LISTS = ['CEIS', 'CNEP'] as const satisfies readonly SourceName[];
export type DebarmentList = (typeof DEBARMENT_LISTS)[number];

/** Lists that an answer includes where the account or the request chooses them. */
export const OPTIONAL_DEBARMENT_LISTS = optionalLists({ check: 'debarment' });
export type OptionalDebarmentList = (typeof OPTIONAL_DEBARMENT_LISTS)[number];

/** Optional lists of bans. The others are information. */
export const OPTIONAL_BAN_LISTS = optionalLists({ check: 'debarment', mayDecide: true });
export type OptionalBanList = (typeof OPTIONAL_BAN_LISTS)[number];

/** The list of leniency agreements. */
export const LENIENCY_LIST = 'ACORDO_LENIENCIA' satisfies OptionalDebarmentList;

/** Any list of the check. */
export type CheckedList = DebarmentList | OptionalDebarmentList;

/** One penalty, in force or ended, from one of the lists. */
export interface DebarmentRecord {
  /** Public id, made from the list entry and the company that it was found for, on which `matchedOn` depends. */
  readonly id: string;
  readonly source: DebarmentList | OptionalBanList;
  /** Kind of sanction in Portuguese capitals: INIDONEIDADE, IMPEDIMENTO, SUSPENSÃO, MULTA, PUBLICAÇÃO EXTRAORDINÁRIA, … */
  readonly sanctionType: string;
  readonly sanctioningBody: string;
  /** ISO date. */
  readonly dateStart: string | null;
  /** ISO date; null when the list states none: indefinite on CEIS and CNEP, and on CEPIM for as long as the entity is listed. */
  readonly dateEnd: string | null;
  readonly processId: string | null;
  /** Fine in BRL; CNEP only. */
  readonly fineAmount: number | null;
  /** Status of the record: `ended` after its end date. An ended record of CEIS or CNEP still counts. */
  readonly status: 'active' | 'ended';
  /** `cnpj` for this establishment, `root` for another branch of the same legal person. */
  readonly matchedOn: 'cnpj' | 'root';
  /** The establishment named by the registry. */
  readonly cnpj: string;
  /** See `DebarmentEntry`; absent on CEIS and CNEP. */
  readonly reference?: string | null;
  readonly reason?: string | null;
  readonly endText?: string | null;
}

/** A leniency agreement of the company. It is information: the company confessed and cooperates. Dates are ISO. */
export interface LeniencyAgreement {
  /** Public id, made as that of a record. */
  readonly id: string;
  /** Name of the company as the list prints it. */
  readonly companyName: string;
  readonly dateStart: string | null;
  readonly dateEnd: string | null;
  /** Situation as printed; the publisher does not define the values. */
  readonly situation: string;
  readonly processId: string | null;
  /** Body that made the agreement. */
  readonly body: string;
  readonly effects: readonly { readonly effect: string; readonly complement: string | null }[];
  readonly matchedOn: 'cnpj' | 'root';
  readonly cnpj: string;
}

export interface Debarment {
  /** True for any record of CEIS or CNEP, and for one in force of an optional list. */
  readonly isDebarred: boolean;
  /** Records, sorted by start date, newest first. */
  readonly records: readonly DebarmentRecord[];
  /** Agreements, newest first; absent unless the list was chosen and read. */
  readonly agreements?: readonly LeniencyAgreement[];
  /** The lists that were read. These are all chosen lists, unless one failed and another has a record that counts. */
  readonly sourcesChecked: readonly CheckedList[];
  /** Versions of the registries that were read. */
  readonly lists: readonly ListFacts[];
}

/** Maps the beginning of a category, as the registries print it, to the kind shown to callers. */
const SANCTION_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^DECLARAÇÃO DE INIDONEIDADE/, 'INIDONEIDADE'],
  [/^IMPEDIMENTO/, 'IMPEDIMENTO'],
  [/^SUSPENSÃO/, 'SUSPENSÃO'],
  [/^MULTA/, 'MULTA'],
  [/^PUBLICAÇÃO EXTRAORDINÁRIA/, 'PUBLICAÇÃO EXTRAORDINÁRIA'],
];

/** Maps a printed category to its kind, in Portuguese capitals. Returns an unknown category itself, in capitals. */
export function sanctionType(category: string): string {
  const capitals = category.trim().toUpperCase();
  return SANCTION_TYPES.find(([start]) => start.test(capitals))?.[1] ?? capitals;
}

const COUNTS_WHEN_ENDED: readonly string[] = DEBARMENT_LISTS;

/**
 * True for a record by which the company is debarred. The contract counts ended records of CEIS and CNEP; on the other lists an ended
 * record is history.
 */
export const isBan = ({ source, status }: { readonly source: string; readonly status: DebarmentRecord['status'] }): boolean =>
  status === 'active' || COUNTS_WHEN_ENDED.includes(source);

/**
 * Derives the status from the end date only, because category texts contradict the dates. A listing is active through its last day.
 * @param today ISO date
 */
export const listingStatus = (endsOn: string | null, today: string): 'active' | 'ended' =>
  endsOn !== null && endsOn < today ? 'ended' : 'active';
