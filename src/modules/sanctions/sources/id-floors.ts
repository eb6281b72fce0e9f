import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { PrintedId, SanctionsEntry } from './entry.ts';
import { listTaxId, looksLikeTaxId, squash } from './list-tax-ids.ts';

/** Limits of the ids of a list. A list of which few parties have ids of Latin American companies has none. */
export interface IdLimits {
  /** Minimum number of ids per party. */
  readonly minIds: number;
  /** Minimum number of ids per party, by type. */
  readonly minByType: Readonly<Record<string, number>>;
  /** Maximum share of printed tax ids of companies that are not recognised. */
  readonly maxUnread: number;
}

/**
 * Minimum numbers of ids per party of the SDN list. A list without its ids would load, match nobody and look clean. Measured: 783 ids of
 * 8,976 parties in July 2021 (NIT 418, RUC 152, RFC 150), 550 of 13,821 in December 2023 (227, 110, 146). The minimums are a quarter of
 * the lower shares, so that a renamed id type falls below them and delistings do not. They apply to every file, whatever its address. If a part
 * of the file writes a type differently, its companies look clean although all minimums are reached, so that a share of unrecognised ids
 * is refused, too. Measured: 2 of 550 and 2 of 785.
 */
export const SDN_LIMITS: IdLimits = { minIds: 0.01, minByType: { NIT: 0.004, RUC: 0.002, RFC: 0.0025 }, maxUnread: 0.01 };

/**
 * Minimum number of aliases per party, in files of at least `MIN_PARTIES`. A list without its aliases would load and miss candidates.
 * Measured: OFAC SDN 1.2 to 1.3, its other lists 2.4, UN 2.1.
 */
const MIN_ALIASES = 0.25;
const MIN_PARTIES = 300;

/** Minimum share of companies and organisations, in such files. Measured: OFAC SDN 0.46, UN 0.27; the lowest of the other lists is 0.1. */
const MIN_COMPANIES = 0.03;

/** @throws ListFileError for a list that has lost its companies, because all of them would look clean */
export function requireCompanies(parties: number, companies: number): void {
  if (parties >= MIN_PARTIES && companies < parties * MIN_COMPANIES)
    throw new ListFileError(`${companies} of ${parties} parties are companies`);
}

/** @throws ListFileError for a list whose parties have lost their aliases */
export function requireAliases(parties: number, aliases: number): void {
  if (parties >= MIN_PARTIES && aliases < parties * MIN_ALIASES) throw new ListFileError(`${parties} parties have ${aliases} aliases`);
}

/**
 * Counts the tax ids and the aliases of one version of the list. A version with too few of them or of companies, or with too many
 * unrecognised ids, is refused.
 */
export class IdFloors {
  private parties = 0;
  private companies = 0;
  private ids = 0;
  private aliases = 0;
  /** Number of ids that look like tax ids of companies and are not recognised. */
  unread = 0;
  private readonly byType = new Map<string, number>();
  private readonly limits: IdLimits | null;

  /** @param limits null for a list of which few parties have ids of Latin American companies */
  constructor(limits: IdLimits | null) {
    this.limits = limits;
  }

  /** @param printed all ids of the party */
  add({ kind, taxIds, aliases }: SanctionsEntry, printed: readonly PrintedId[]): void {
    this.parties += 1;
    if (kind === 'entity') this.companies += 1;
    this.aliases += aliases.length;
    this.ids += taxIds.length;
    if (kind !== 'individual') this.unread += printed.filter(isUnread).length;
    for (const { type } of taxIds) this.byType.set(squash(type), (this.byType.get(squash(type)) ?? 0) + 1);
  }

  /**
   * @throws ListFileError for fewer ids or aliases than any published version has, and for more unrecognised ids; types are checked in
   * files of at least some hundred parties
   */
  assertReached(): void {
    requireCompanies(this.parties, this.companies);
    requireAliases(this.parties, this.aliases);
    if (!this.limits) return;
    const { minIds, minByType, maxUnread } = this.limits;
    if (this.unread > (this.ids + this.unread) * maxUnread) {
      throw new ListFileError(`${this.unread} ids look like tax ids and are not recognised, beside ${this.ids} that are`);
    }
    if (this.ids < Math.ceil(this.parties * minIds)) throw new ListFileError(`${this.parties} parties have ${this.ids} tax ids`);
    for (const [type, share] of Object.entries(minByType)) {
      const count = this.byType.get(type) ?? 0;
      if (count < Math.floor(this.parties * share)) throw new ListFileError(`${this.parties} parties have ${count} ids of type ${type}`);
    }
  }
}

const isUnread = ({ type, meaning = type, value, country }: PrintedId): boolean =>
  listTaxId(meaning, value, country) === null && looksLikeTaxId(meaning, value, country);
