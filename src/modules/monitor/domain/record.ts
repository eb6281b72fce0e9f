import { descriptionKeys, isSameDescription } from '../../../domain/encoding.ts';
import { isMaskedCpf, withSameMasks } from '../../../domain/personal-ids.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import { folded, MAX_LENGTHS, storable } from '../../../domain/text.ts';

/*
 * Compares the registry records of a company: name, partners, capital, address, special situation, year of the last renewal. The mirrors
 * of a registry write them differently, so values are compared regardless of accents, letter case, blanks, the masks of CPFs in names, and
 * the order of partners.
 */

/** Fields of a registry record, in the order of the webhook payload. */
export const RECORD_FIELDS = ['name', 'owners', 'capital', 'address', 'special_situation', 'last_renewed_year'] as const;
export type RecordField = (typeof RECORD_FIELDS)[number];

/**
 * A partner in a snapshot. `document` is a complete CNPJ or RUT, a masked CPF, or null. `people` are all natural persons of a Chilean company
 * together, who have no document and whose name is the word of the file for them.
 */
export interface WatchedOwner {
  readonly kind: 'company' | 'person' | 'foreign' | 'people';
  readonly name: string;
  readonly document: string | null;
  /** Percentage, null if it is not known; absent where the registry publishes none. */
  readonly share?: string | null;
}

/** Maximum number of partners that a snapshot lists. Of more partners it has their number and a digest only. */
export const MAX_LISTED_OWNERS = 100;

/** The partners of a company in a snapshot. */
export interface WatchedOwners {
  readonly count: number;
  /** Digest of the sorted keys (`ownerKey`) of all partners. */
  readonly digest: string;
  /** Null for more than `MAX_LISTED_OWNERS` partners. */
  readonly listed: readonly WatchedOwner[] | null;
  /** Set in an answer whose registry has lost lines of partners, so that some may be missing. It is never stored. */
  readonly mayLack?: true;
}

/**
 * The watched fields of a registry record. A member is absent if it is unknown: in snapshots of versions that did not watch it, and for
 * data that the registry does not state. It is null if the registry states that there is none.
 */
export interface RecordSnapshot {
  readonly name?: string | null;
  readonly owners?: WatchedOwners;
  /** BRL, to the cent. */
  readonly capital?: number;
  /** Municipality and state, such as `CAMPINAS/SP`. */
  readonly address?: string;
  readonly special_situation?: string | null;
  /** Year for which a Colombian registration was last renewed. */
  readonly last_renewed_year?: number | null;
}

/** The old and the new text of a field. */
export interface RecordChange {
  readonly field: RecordField;
  readonly from: string | null;
  readonly to: string | null;
}

/** Returns the fields that differ, in their fixed order. A field that is unknown on one side has no change. */
export const diffRecords = (before: RecordSnapshot, after: RecordSnapshot): readonly RecordChange[] =>
  RECORD_FIELDS.flatMap((field) => diffField(field, before, after) ?? []);

/**
 * Returns the record to be stored after an observation: the observed values of changed fields and of fields that were unknown, and the
 * earlier values of all others. A partner list that is unknown for some time is therefore compared with the last known one.
 */
export function withKnown<T extends RecordSnapshot>(before: RecordSnapshot, observed: T): T {
  const kept = RECORD_FIELDS.filter((field) => before[field] !== undefined && diffField(field, before, observed) === null);
  const owners = before.owners && observed.owners && joinedDetails(before.owners, observed.owners, kept.includes('owners'));
  return { ...observed, ...Object.fromEntries(kept.map((field) => [field, before[field]])), ...(owners && { owners }) };
}

/**
 * Returns the kept list of partners, with shares and documents that only the other list knows. One that becomes known later is therefore
 * compared with the last known one. The digest stays that of the kept list, which differs from this one in unknown details only.
 */
function joinedDetails(before: WatchedOwners, observed: WatchedOwners, isKept: boolean): WatchedOwners {
  const [kept, other] = isKept ? [before, observed] : [observed, before];
  if (!kept.listed?.some((owner) => !isKnown(owner)) || !other.listed) return kept;
  const free = [...unmatched(other.listed, kept.listed, ownerKey)];
  const listed = kept.listed.map((owner) => {
    const at = isKnown(owner) ? -1 : free.findIndex((one) => knownKey(one) === unknownKey(owner));
    const [known] = at < 0 ? [] : free.splice(at, 1);
    if (known === undefined) return owner;
    return owner.share === undefined ? { ...owner, document: known.document } : { ...owner, share: known.share ?? null };
  });
  return { ...kept, listed };
}

function diffField(field: RecordField, before: RecordSnapshot, after: RecordSnapshot): RecordChange | null {
  if (field === 'owners') return before.owners && after.owners ? diffOwners(before.owners, after.owners) : null;
  const [from, to] = [before[field], after[field]];
  if (from === undefined || to === undefined || isSame(field, from, to)) return null;
  return { field, from: textOf(from), to: textOf(to) };
}

const textOf = (value: string | number | null): string | null => (value === null ? null : String(value));

function isSame(field: RecordField, from: string | number | null, to: string | number | null): boolean {
  if (field === 'capital' && typeof from === 'number' && typeof to === 'number') return isSameCapital(from, to);
  return from === to || (typeof from === 'string' && typeof to === 'string' && isSameDescription(withSameMasks(from), withSameMasks(to)));
}

/** A mirror rounds the capital to a 32-bit float and eight digits. Both errors together are below this share. */
const CAPITAL_ERROR = 2e-7;

const isSameCapital = (one: number, other: number): boolean => Math.abs(one - other) <= CAPITAL_ERROR * Math.max(one, other);

/**
 * Returns the key of a partner: kind, visible digits of the document, and name without accents, letter case and repeated blanks. A partner
 * with a share is identified by kind, document and share, because names come from another file, which changes on its own.
 */
export const ownerKey = (owner: WatchedOwner): string => keyWith(owner, folded);

const keyWith = (owner: WatchedOwner, spelling: (name: string) => string): string =>
  [kindOf(owner), owner.document ?? '', owner.share === undefined ? spelling(owner.name) : (owner.share ?? '?')].join(' ');

/**
 * Returns the kind by which a partner is compared. One with a complete CNPJ or RUT is a company: the mirrors call some of them foreign or a
 * person as the registry does, and the own copy does not.
 */
const kindOf = ({ kind, document }: WatchedOwner): WatchedOwner['kind'] => (document === null || isMaskedCpf(document) ? kind : 'company');

/** Returns a key that a name keeps if a mirror has lost its accented letters. */
const lettersKey = (owner: WatchedOwner): string => keyWith(owner, (name) => descriptionKeys(name)[1]);

/** Returns a key that a name keeps if its words change their order. The register of Colombia writes surnames first, or last. */
const wordsKey = (owner: WatchedOwner): string => keyWith(owner, (name) => folded(name).split(' ').sort().join(' '));

/**
 * Returns a key of a company that has a new name, or is named by another branch: the root of its CNPJ. It is the same partner. The key of
 * a partner with a share has no name already.
 */
const rootKey = (owner: WatchedOwner): string =>
  owner.document !== null && !isMaskedCpf(owner.document) && owner.share === undefined
    ? `company ${cnpjRoot(owner.document)}`
    : ownerKey(owner);

/** True if the share of a partner is known, or the document of one without a share. */
const isKnown = ({ share, document }: WatchedOwner): boolean => (share === undefined ? document : share) !== null;

/** Returns a key of a partner that has, in place of the share or of the document (`isKnown`), whether it is known. */
const knownKey = (owner: WatchedOwner, known = isKnown(owner)): string =>
  (owner.share === undefined ? [owner.kind, folded(owner.name), known] : [kindOf(owner), owner.document ?? '', known]).join(' ');

/** Returns the `knownKey` of the same partner whose share or document is known if that of this one is not, and the reverse. */
const unknownKey = (owner: WatchedOwner): string => knownKey(owner, !isKnown(owner));

/**
 * Compares two lists of partners. A share or a document that becomes known or unknown is no change. `from` names those that left and `to`
 * those that joined; null for none, and an empty text if no partner was registered before, or is any more. A partner whose share changed is
 * in both, with the old and the new share. If one of the lists is too long to be stored, both are the number of partners.
 */
function diffOwners(before: WatchedOwners, after: WatchedOwners): RecordChange | null {
  if (before.digest === after.digest) return null;
  if (!before.listed || !after.listed) return { field: 'owners', from: numberOf(before), to: numberOf(after) };
  const left = withoutMatches(before.listed, after.listed);
  const joined = withoutMatches(after.listed, before.listed);
  if (left.length + joined.length === 0) return null;
  return { field: 'owners', from: before.count === 0 ? '' : namesOf(left), to: after.count === 0 ? '' : namesOf(joined) };
}

/**
 * Returns all partners of two lists, of which the later one may lack some; null if the later one has no other partners, or if one of the lists
 * is too long to be stored, so that it tells nothing about those it lacks.
 */
export function joinedOwners({ listed: before }: WatchedOwners, { listed: after }: WatchedOwners): readonly WatchedOwner[] | null {
  if (!before || !after || withoutMatches(after, before).length === 0) return null;
  return [...after, ...withoutMatches(before, after)];
}

/** Returns the number of partners; an empty text for none. */
const numberOf = ({ count }: WatchedOwners): string => (count === 0 ? '' : String(count));

/** Returns the partners of `all` that `other` does not have, each as often as it occurs more often in `all`. */
function withoutMatches(all: readonly WatchedOwner[], other: readonly WatchedOwner[]): readonly WatchedOwner[] {
  const keysOf = [ownerKey, lettersKey, wordsKey, rootKey];
  const [rest, others] = keysOf.reduce(([some, more], keyOf) => [unmatched(some, more, keyOf), unmatched(more, some, keyOf)] as const, [
    all,
    other,
  ] as const);
  return unmatched(rest, others, knownKey, unknownKey);
}

function unmatched(
  all: readonly WatchedOwner[],
  other: readonly WatchedOwner[],
  keyOf: (owner: WatchedOwner) => string,
  otherKeyOf = keyOf,
): readonly WatchedOwner[] {
  const free = new Map<string, number>();
  for (const owner of other) free.set(otherKeyOf(owner), (free.get(otherKeyOf(owner)) ?? 0) + 1);
  return all.filter((owner) => {
    const key = keyOf(owner);
    const count = free.get(key) ?? 0;
    free.set(key, count - 1);
    return count <= 0;
  });
}

const namesOf = (owners: readonly WatchedOwner[]): string | null =>
  owners.length === 0 ? null : storable(owners.map(ownerText).join('; '), MAX_LENGTHS.text);

const ownerText = ({ name, document, share }: WatchedOwner): string =>
  `${document ? `${name} (${document})` : name}${share ? ` ${share} %` : ''}`;
