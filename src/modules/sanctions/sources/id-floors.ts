import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { PrintedId, SanctionsEntry } from './entry.ts';
import { listTaxId, looksLikeTaxId, squash } from './list-tax-ids.ts';

/**
 * Least numbers of ids per party of the OFAC list. Without its ids a list loads, matches nobody and looks clean. Measured: 783 ids of 8,976
 * parties in July 2021 (NIT 418, RUC 152, RFC 150), 550 of 13,821 in December 2023 (227, 110, 146). The floors are a quarter of the
 * lower shares: delistings do not reach them, a renamed id type does. They hold for every file, whatever its address.
 */
const MIN_IDS = 0.01;
const MIN_BY_TYPE: Readonly<Record<string, number>> = { NIT: 0.004, RUC: 0.002, RFC: 0.0025 };

/**
 * Least number of aliases per party, in files of at least `MIN_PARTIES`. Without its aliases a list loads and its names find less.
 * Measured: OFAC 1.2 to 1.3, UN 2.1.
 */
const MIN_ALIASES = 0.25;
const MIN_PARTIES = 500;

/**
 * Largest share of the tax ids of companies that are printed and not recognised. A type that is written otherwise in a part of the file makes
 * their companies look clean, while all floors are reached. Measured: 2 of 550 and 2 of 785.
 */
const MAX_UNREAD = 0.01;

/** @throws ListFileError for a list whose parties have lost their aliases */
export function requireAliases(parties: number, aliases: number): void {
  if (parties >= MIN_PARTIES && aliases < parties * MIN_ALIASES) throw new ListFileError(`${parties} parties have ${aliases} aliases`);
}

/** Counts the tax ids and the aliases of one version of the list. A version of which they are too few, or of which too many are not read, is refused. */
export class IdFloors {
  private parties = 0;
  private ids = 0;
  private aliases = 0;
  /** Ids of companies that look like tax ids and are not recognised. */
  unread = 0;
  private readonly byType = new Map<string, number>();

  /** @param printed all ids of the party */
  add({ kind, taxIds, aliases }: SanctionsEntry, printed: readonly PrintedId[]): void {
    this.parties += 1;
    this.aliases += aliases.length;
    this.ids += taxIds.length;
    if (kind !== 'individual') this.unread += printed.filter(isUnread).length;
    for (const { type } of taxIds) this.byType.set(squash(type), (this.byType.get(squash(type)) ?? 0) + 1);
  }

  /** @throws ListFileError for fewer ids or aliases than any published version has, and for more unread ids; types are checked in files of at least some hundred parties */
  assertReached(): void {
    requireAliases(this.parties, this.aliases);
    if (this.unread > (this.ids + this.unread) * MAX_UNREAD) {
      throw new ListFileError(`${this.unread} ids look like tax ids and are not recognised, beside ${this.ids} that are`);
    }
    if (this.ids < Math.ceil(this.parties * MIN_IDS)) throw new ListFileError(`${this.parties} parties have ${this.ids} tax ids`);
    for (const [type, share] of Object.entries(MIN_BY_TYPE)) {
      const count = this.byType.get(type) ?? 0;
      if (count < Math.floor(this.parties * share)) throw new ListFileError(`${this.parties} parties have ${count} ids of type ${type}`);
    }
  }
}

const isUnread = ({ type, value, country }: PrintedId): boolean =>
  listTaxId(type, value, country) === null && looksLikeTaxId(type, value, country);
