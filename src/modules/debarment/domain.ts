import type { ListFacts } from '../../domain/answer.ts';
import type { SourceName } from '../../domain/catalogue.ts';

/** CEIS: companies barred from public contracts. CNEP: anti-corruption penalties, with fines. The order is that of `sourcesChecked`. */
export const DEBARMENT_LISTS = ['CEIS', 'CNEP'] as const satisfies readonly SourceName[];
export type DebarmentList = (typeof DEBARMENT_LISTS)[number];

/** One penalty, in force or ended, from one of the two registries. */
export interface DebarmentRecord {
  /** Public id, made from the list entry and the company that it was found for, on which `matchedOn` depends. */
  readonly id: string;
  readonly source: DebarmentList;
  /** Kind of sanction in Portuguese capitals: INIDONEIDADE, IMPEDIMENTO, SUSPENSÃO, MULTA, PUBLICAÇÃO EXTRAORDINÁRIA, … */
  readonly sanctionType: string;
  readonly sanctioningBody: string;
  /** ISO date. */
  readonly dateStart: string | null;
  /** ISO date; null when indefinite. */
  readonly dateEnd: string | null;
  readonly processId: string | null;
  /** Fine in BRL; CNEP only. */
  readonly fineAmount: number | null;
  /** Status of the record: `ended` after its end date. An ended record still counts. */
  readonly status: 'active' | 'ended';
  /** `cnpj` for this establishment, `root` for another branch of the same legal person. */
  readonly matchedOn: 'cnpj' | 'root';
  /** The establishment named by the registry. */
  readonly cnpj: string;
}

export interface Debarment {
  readonly isDebarred: boolean;
  /** Records, sorted by start date, newest first. */
  readonly records: readonly DebarmentRecord[];
  /** The registries that were read. These are all registries, unless one failed and another has a record. */
  readonly sourcesChecked: readonly DebarmentList[];
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

/**
 * Derives the status from the end date only, because category texts contradict the dates. A listing is active through its last day.
 * @param today ISO date
 */
export const listingStatus = (endsOn: string | null, today: string): 'active' | 'ended' =>
  endsOn !== null && endsOn < today ? 'ended' : 'active';
