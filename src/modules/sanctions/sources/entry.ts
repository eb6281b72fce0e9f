import { createHash } from 'node:crypto';
import { mended } from '../../../domain/encoding.ts';
import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry } from '../../../sources/registry/registry.ts';
import type { PartyDetails } from '../domain/candidate.ts';
import { BLOCKED, type ListingTerms } from '../domain.ts';
import { holdsPersonOnly, type ListTaxId, listTaxId } from './list-tax-ids.ts';

/**
 * A party of a sanctions list, with the values as printed there. A list on which every listing blocks the property of the party states no
 * terms.
 */
export interface SanctionsEntry extends Partial<ListingTerms> {
  /** Stable id of the party on the list: OFAC uid, UN DATAID, the publisher's number on others. */
  readonly uid: string;
  readonly kind: 'entity' | 'individual' | 'vessel' | 'aircraft';
  /** Name of the party. People of OFAC are `FAMILY, Given`. */
  readonly name: string;
  readonly aliases: readonly SanctionsAlias[];
  /** Programmes of OFAC and the EU, the regime of the lists of the UN and the UK, the grounds of a debarment. */
  readonly programs: readonly string[];
  /** English names of the countries of its addresses. */
  readonly countries: readonly string[];
  /** English names of the countries that a person is a national or citizen of; empty for other parties. */
  readonly nationalities: readonly string[];
  /** Dates of birth of a person, as printed: complete (`02 Feb 1980`, `1980-02-02`) or partial (`circa 1980`); empty for other parties. */
  readonly datesOfBirth: readonly string[];
  /** Ids that may belong to a Latin American company. */
  readonly taxIds: readonly SanctionsTaxId[];
  /** The reference number of the UN (`KPe.001`) and the EU (`EU.27.28`); null on others. */
  readonly reference: string | null;
  /** Other facts about a company or an organisation; undefined for none. */
  readonly details?: PartyDetails;
}

export interface SanctionsAlias {
  readonly name: string;
  /** `a.k.a.`, `f.k.a.`, `n.k.a.` or `d.b.a.`; `Good` or `Low` (people of the UN); the type of the name as the UK prints it. */
  readonly type: string;
  /** True if the publisher marks the alias as too short or too common for screening. */
  readonly weak: boolean;
}

/** `type` and `value` as printed (`NIT #`, `800076369-0`). */
export interface SanctionsTaxId extends ListTaxId {
  readonly type: string;
  readonly value: string;
}

/** Any id of a party, as printed on the list. */
export interface PrintedId {
  readonly type: string;
  /** Type that has the same meaning on the list of OFAC, for a list with other types. */
  readonly meaning?: string;
  readonly value: string;
  /** English name or ISO code of the country; null if none is printed. */
  readonly country: string | null;
}

/**
 * Returns the SHA-256 of the record of a party, hexadecimal. The order in which a list prints names, programmes, countries and ids does
 * not matter. The function names each field, so that a new field of the type does not change stored digests.
 */
export function recordDigest(entry: SanctionsEntry): string {
  const { uid, kind, name, aliases, programs, countries, nationalities, datesOfBirth, taxIds, reference } = entry;
  const facts = [
    [uid, kind, name, reference],
    aliases.map((alias) => JSON.stringify([alias.name, alias.type, alias.weak])).toSorted(),
    programs.toSorted(),
    countries.toSorted(),
    taxIds.map(({ type, value }) => JSON.stringify([type, value])).toSorted(),
    ...(kind === 'individual' ? [nationalities.toSorted(), datesOfBirth.toSorted()] : []),
    ...(entry.effect === undefined ? [] : [termsFacts(termsOf(entry))]),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

const termsFacts = ({ effect, measures, startsOn, endsOn }: ListingTerms): readonly unknown[] => [
  effect,
  measures.toSorted(),
  startsOn,
  endsOn,
];

/** Returns the terms of the listing of a party. */
export const termsOf = ({ effect, measures, startsOn, endsOn }: SanctionsEntry): ListingTerms => ({
  effect: effect ?? BLOCKED.effect,
  measures: measures ?? BLOCKED.measures,
  startsOn: startsOn ?? null,
  endsOn: endsOn ?? null,
});

/**
 * Builds the entry of a party, indexed by the ids that may belong to a company. Ids of natural persons are not stored. Names whose UTF-8
 * was read as another charset, or that are escaped twice, are repaired, because no search would find them.
 */
export function toEntry(party: Omit<SanctionsEntry, 'taxIds'>, ids: readonly PrintedId[]): ListEntry<SanctionsEntry> {
  const taxIds = ids.flatMap(({ type, meaning = type, value, country }) => {
    const id = listTaxId(meaning, value, country);
    return id && !(party.kind === 'individual' && holdsPersonOnly(id)) ? [{ type, value, ...id }] : [];
  });
  const aliases = party.aliases.map((alias) => ({ ...alias, name: mended(alias.name) }));
  const keys = [...new Set(taxIds.map(({ key }) => key))];
  return { id: party.uid, keys, record: { ...party, name: mended(party.name), aliases, taxIds } };
}

/** The uids read so far from one version of a list. */
export class Uids {
  private readonly seen = new Set<string>();

  /** @throws ListFileError for a party listed twice */
  add(uid: string): void {
    if (this.seen.has(uid)) throw new ListFileError('a party is listed twice');
    this.seen.add(uid);
  }
}
