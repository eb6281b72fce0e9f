import { ALL_SANCTIONS_LISTS, type ChosenSanctionsList, SANCTIONS_LISTS } from '../../domain/catalogue.ts';

export { ALL_SANCTIONS_LISTS, SANCTIONS_LISTS };

export type SanctionsList = (typeof SANCTIONS_LISTS)[number] | ChosenSanctionsList;

const choices = new Map<string, readonly SanctionsList[]>();

/** Selects lists, in the order of answers and each once. It returns the same array for the same lists. */
export function inListOrder(lists: readonly SanctionsList[]): readonly SanctionsList[] {
  const ordered = ALL_SANCTIONS_LISTS.filter((list) => lists.includes(list));
  const known = choices.get(ordered.join()) ?? ordered;
  choices.set(ordered.join(), known);
  return known;
}

/** Consequences of a listing, with their descriptions. Only `blocking` makes a company sanctioned. */
export const SANCTIONS_EFFECTS = {
  blocking: 'The property of the party is blocked, or its assets are frozen.',
  restricted: 'Some transactions with the party are restricted, such as new debt, or another measure applies that freezes no assets.',
  debarred: 'The party gets no contracts that the publisher finances.',
} as const;
export type SanctionsEffect = keyof typeof SANCTIONS_EFFECTS;

/** Meaning of a listing, and its time. */
export interface ListingTerms {
  readonly effect: SanctionsEffect;
  /** Measures as the list prints them (`Asset freeze`), or the list within the list (`SSI`); empty for a list that blocks every party. */
  readonly measures: readonly string[];
  /** ISO date from which it applies; null for a list that prints none. */
  readonly startsOn: string | null;
  /** ISO date of the last day on which it applies; null for no end, or none that is known. */
  readonly endsOn: string | null;
}

/** The terms of a list that blocks every party and prints no dates. */
export const BLOCKED: ListingTerms = { effect: 'blocking', measures: [], startsOn: null, endsOn: null };

/** True for a listing that has not ended. @param today ISO date */
export const isInForce = ({ endsOn }: Pick<ListingTerms, 'endsOn'>, today: string): boolean => endsOn === null || endsOn >= today;

/** A listed party with the tax id of the company. */
export interface SanctionsMatch extends ListingTerms {
  /** Public id of the match, made from the listed party and the company that it was found for. */
  readonly id: string;
  readonly list: SanctionsList;
  /** Id of the party on the list: OFAC uid, UN DATAID, the publisher's number on others. */
  readonly entityId: string;
  readonly entryName: string;
  /** `tax_id` for the id itself, `root` for another branch of the same CNPJ root. */
  readonly matchedOn: 'tax_id' | 'root';
  /** Type of the id as the list prints it: `Tax ID No.`, `NIT #`. */
  readonly matchedIdType: string;
  readonly matchedIdValue: string;
  /** Sanctions programmes, e.g. `SDNTK`. */
  readonly programs: readonly string[];
}

/** The version of a list that was searched. Times are epoch ms. */
export interface SanctionsListVersion {
  readonly list: SanctionsList;
  /** Publication date of the version, ISO date; null if the list states none. */
  readonly publishedOn: string | null;
  readonly loadedAt: number;
  readonly entries: number;
  readonly checksum: string;
}

/** Result of the search by exact tax id. */
export interface Sanctions {
  /** True for a match that blocks property. */
  readonly isSanctioned: boolean;
  readonly matches: readonly SanctionsMatch[];
  /** The lists that were read. These are all chosen lists, unless one failed and another has a match. */
  readonly sourcesChecked: readonly SanctionsList[];
  readonly lists: readonly SanctionsListVersion[];
}

/** True for a party that has the company's tax id, so that no person needs to review its name. */
export const isMatchedById = (matches: readonly SanctionsMatch[], { list, entityId }: Pick<SanctionsMatch, 'list' | 'entityId'>): boolean =>
  matches.some((match) => match.list === list && match.entityId === entityId);
