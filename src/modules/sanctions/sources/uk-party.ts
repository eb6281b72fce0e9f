import { ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry } from '../../../sources/registry/registry.ts';
import type { ListingTerms } from '../domain.ts';
import { type PrintedId, type SanctionsAlias, type SanctionsEntry, toEntry } from './entry.ts';
import { listDate } from './list-dates.ts';
import { listTaxId, squash } from './list-tax-ids.ts';
import { printedId } from './printed-id.ts';

/** The cells of a row, which is about one name and one address of a party. */
export type UkRow = Readonly<
  Record<
    | 'uid'
    | 'name1'
    | 'name2'
    | 'name3'
    | 'name4'
    | 'name5'
    | 'name6'
    | 'nameType'
    | 'aliasStrength'
    | 'otherScript'
    | 'regime'
    | 'kind'
    | 'measures'
    | 'country'
    | 'designatedOn'
    | 'birth'
    | 'nationality'
    | 'registrations',
    string
  >
>;

const KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = { individual: 'individual', entity: 'entity', ship: 'vessel' };

const PRIMARY = 'primary name';
const OTHER_SCRIPT = 'Name non-latin script';
/** The only measure that blocks property. */
const FREEZE = 'asset freeze';

/** A party, collected from its rows. */
export class UkParty {
  readonly uid: string;
  readonly kind: SanctionsEntry['kind'];
  /** Name → its alias; a strong one replaces a weak one. */
  readonly names = new Map<string, SanctionsAlias>();
  primary: string | null = null;
  readonly regimes = new Set<string>();
  readonly measures = new Set<string>();
  readonly countries = new Set<string>();
  readonly births = new Set<string>();
  readonly nationalities = new Set<string>();
  readonly registrations = new Set<string>();
  startsOn: string | null = null;

  /** @throws ListFileError for a row without an id or with an unknown kind of party */
  constructor({ uid, kind }: UkRow) {
    const known = KINDS[kind.toLowerCase()];
    if (!uid || !known) throw new ListFileError('a row has no Unique ID or an unknown Designation Type');
    this.uid = uid;
    this.kind = known;
  }

  /** @throws ListFileError for a row with another kind of party, or without a name */
  add(row: UkRow): void {
    if (KINDS[row.kind.toLowerCase()] !== this.kind) throw new ListFileError('the rows of a party have several kinds');
    this.addName(row);
    addTo(this.regimes, [row.regime]);
    addTo(this.measures, row.measures.split('|'));
    addTo(this.countries, [row.country]);
    addTo(this.births, [row.birth]);
    addTo(this.nationalities, row.nationality.split('|'));
    addTo(this.registrations, [row.registrations]);
    this.startsOn ??= listDate(row.designatedOn);
  }

  private addName({ name1, name2, name3, name4, name5, name6, nameType, aliasStrength, otherScript }: UkRow): void {
    const name = [name1, name2, name3, name4, name5, name6].filter(Boolean).join(' ').replace(/\s+/g, ' ');
    if (!name && !otherScript) throw new ListFileError('a row has no name');
    const weak = aliasStrength.toLowerCase().startsWith('low');
    if (name) this.addAlias({ name, type: nameType || 'a.k.a.', weak });
    if (otherScript) this.addAlias({ name: otherScript, type: OTHER_SCRIPT, weak });
    if (name && nameType.toLowerCase() === PRIMARY) this.primary ??= name;
  }

  private addAlias(alias: SanctionsAlias): void {
    const known = this.names.get(alias.name);
    if (!known || (known.weak && !alias.weak)) this.names.set(alias.name, alias);
  }
}

const addTo = (all: Set<string>, texts: readonly string[]): void => {
  for (const text of texts) if (text.trim()) all.add(text.trim());
};

/** Converts a party to its entry. `ids`: the ids that its registration numbers contain. */
export function toUkEntry(party: UkParty): { readonly entry: ListEntry<SanctionsEntry>; readonly ids: readonly PrintedId[] } {
  const name = party.primary ?? [...party.names.keys()][0] ?? '';
  const isPerson = party.kind === 'individual';
  const ids = [...party.registrations].flatMap((text) => idsIn(text, [...party.countries]));
  const entry = toEntry(
    {
      uid: party.uid,
      kind: party.kind,
      name,
      aliases: [...party.names.values()].filter((alias) => alias.name !== name),
      programs: [...party.regimes],
      countries: [...party.countries],
      nationalities: isPerson ? [...party.nationalities] : [],
      datesOfBirth: isPerson ? [...party.births] : [],
      reference: null,
      ...termsOf(party),
    },
    ids,
  );
  return { entry, ids };
}

function termsOf({ measures, startsOn }: UkParty): ListingTerms {
  const isFrozen = [...measures].some((measure) => measure.toLowerCase() === FREEZE);
  return { effect: isFrozen ? 'blocking' : 'restricted', measures: [...measures], startsOn, endsOn: null };
}

/** Type of a number without a label. */
const UNLABELLED = 'Business Registration Number';

/** Abbreviation of a tax id that several countries use → these countries. */
const USED_IN: Readonly<Record<string, readonly string[]>> = {
  NIT: ['Bolivia', 'Colombia', 'Guatemala'],
  RUC: ['Ecuador', 'Nicaragua', 'Panama', 'Paraguay', 'Peru'],
  RUT: ['Chile', 'Colombia', 'Uruguay'],
};

/**
 * Finds the ids in the text of registration numbers, such as `INN 7700000001, OGRN 1027700000001` or `RUC 20100000001 (Peru)`. An id
 * without a country gets the country of an address with which it is a tax id of a company, else that of the only address.
 * @param countries English names of the countries of the addresses
 */
function idsIn(text: string, countries: readonly string[]): readonly PrintedId[] {
  return text
    .split(/[,;|\n]/)
    .map((piece) => piece.trim().replaceAll(': ', ' '))
    .filter((piece) => /\d/.test(piece))
    .flatMap((piece) => {
      const [found = { type: '', value: piece, country: null }] = printedId(piece);
      const printed = { ...found, type: found.type || UNLABELLED };
      if (printed.country !== null) return printed;
      const usedIn = USED_IN[squash(printed.type)];
      const possible = usedIn ? countries.filter((one) => usedIn.includes(one)) : countries;
      const country = possible.find((one) => listTaxId(printed.type, printed.value, one) !== null);
      return { ...printed, country: country ?? (countries.length === 1 ? (countries[0] ?? null) : null) };
    });
}
