/** A party of the made-up OFAC list, before it is written as XML or CSV. All ASCII, as OFAC writes. */
export interface OfacParty {
  readonly uid: number;
  readonly type: 'Entity' | 'Individual' | 'Vessel' | 'Aircraft';
  /** The whole name; of a person, the family name. */
  readonly name: string;
  readonly givenName: string;
  readonly title: string;
  readonly programs: readonly string[];
  readonly ids: readonly OfacId[];
  readonly aliases: readonly OfacAlias[];
  readonly addresses: readonly OfacAddress[];
  /** Call sign, type, flag, owner, tonnage, gross registered tonnage; empty where not told. */
  readonly vessel: readonly [string, string, string, string, string, string] | null;
  /** The rest of the remarks, piece by piece. */
  readonly remarks: readonly string[];
}

export interface OfacId {
  readonly type: string;
  /** As printed. */
  readonly number: string;
  /** Country in English, or none. */
  readonly country: string | null;
}

export interface OfacAlias {
  readonly kind: 'a.k.a.' | 'f.k.a.' | 'n.k.a.';
  readonly name: string;
  /** Too short or too common to screen with. Weak ones stand in the csv's remarks, strong ones in ALT.CSV. */
  readonly weak: boolean;
}

export interface OfacAddress {
  readonly street: string;
  readonly city: string;
  readonly country: string;
}

export const id = (type: string, number: string, country: string | null = null): OfacId => ({ type, number, country });
export const strong = (name: string, kind: OfacAlias['kind'] = 'a.k.a.'): OfacAlias => ({ name, kind, weak: false });
export const weak = (name: string, kind: OfacAlias['kind'] = 'a.k.a.'): OfacAlias => ({ name, kind, weak: true });
export const at = (city: string, country: string, street = ''): OfacAddress => ({ street, city, country });

/** An entity, or what else the rest says. */
export const party = (uid: number, name: string, programs: readonly string[], rest: Partial<OfacParty> = {}): OfacParty => ({
  uid,
  type: 'Entity',
  name,
  givenName: '',
  title: '',
  programs,
  ids: [],
  aliases: [],
  addresses: [],
  vessel: null,
  remarks: [],
  ...rest,
});
