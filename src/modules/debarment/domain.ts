import type { SourceName } from '../../domain/source-names.ts';

/** CEIS: companies barred from public contracts. CNEP: anti-corruption penalties, with fines. In the order of `sourcesChecked`. */
export const DEBARMENT_LISTS = ['CEIS', 'CNEP'] as const satisfies readonly SourceName[];
export type DebarmentList = (typeof DEBARMENT_LISTS)[number];

/** One penalty in force or ended, as one of the two registries lists it. */
export interface DebarmentRecord {
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
  /** Ended once its end date has passed. It still counts. */
  readonly status: 'active' | 'ended';
  /** `cnpj` for this establishment, `root` for another branch of the same legal person. */
  readonly matchedOn: 'cnpj' | 'root';
  /** The establishment the registry names. */
  readonly cnpj: string;
}

export interface Debarment {
  readonly isDebarred: boolean;
  /** Newest start first. */
  readonly records: readonly DebarmentRecord[];
  /** The registries that were seen. Both, unless one failed and the other has a record. */
  readonly sourcesChecked: readonly DebarmentList[];
}

/** Beginnings of the categories that the registries print, and the words callers know them by. */
const SANCTION_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^DECLARAÇÃO DE INIDONEIDADE/, 'INIDONEIDADE'],
  [/^IMPEDIMENTO/, 'IMPEDIMENTO'],
  [/^SUSPENSÃO/, 'SUSPENSÃO'],
  [/^MULTA/, 'MULTA'],
  [/^PUBLICAÇÃO EXTRAORDINÁRIA/, 'PUBLICAÇÃO EXTRAORDINÁRIA'],
];

/** Category as printed → kind in Portuguese capitals; an unknown category is itself, in capitals. */
export function sanctionType(category: string): string {
  const capitals = category.trim().toUpperCase();
  return SANCTION_TYPES.find(([start]) => start.test(capitals))?.[1] ?? capitals;
}

/** By dates alone: category texts contradict them. `today` is an ISO date; a listing holds through its last day. */
export const listingStatus = (endsOn: string | null, today: string): 'active' | 'ended' =>
  endsOn !== null && endsOn < today ? 'ended' : 'active';
