import type { SourceName } from '../../domain/catalogue.ts';

/**
 * The sanctions lists, in the order of `sourcesChecked`. The type, the REST enums, the loader, the module's sources and monitoring follow
 * from this array; `sources/lists.ts` has the reader of each list.
 */
export const SANCTIONS_LISTS = ['OFAC_SDN', 'UN_CONSOLIDATED'] as const satisfies readonly SourceName[];
export type SanctionsList = (typeof SANCTIONS_LISTS)[number];

/** A listed party with the tax id of the company. */
export interface SanctionsMatch {
  /** Public id of the match, made from the listed party and the company that it was found for. */
  readonly id: string;
  readonly list: SanctionsList;
  /** Id of the party on the list: OFAC uid, UN DATAID. */
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
  readonly isSanctioned: boolean;
  readonly matches: readonly SanctionsMatch[];
  /** The lists that were read. These are all lists, unless one failed and another has a match. */
  readonly sourcesChecked: readonly SanctionsList[];
  readonly lists: readonly SanctionsListVersion[];
}

/** True for a party that has the company's tax id, so that no person needs to review its name. */
export const isMatchedById = (matches: readonly SanctionsMatch[], { list, entityId }: Pick<SanctionsMatch, 'list' | 'entityId'>): boolean =>
  matches.some((match) => match.list === list && match.entityId === entityId);
