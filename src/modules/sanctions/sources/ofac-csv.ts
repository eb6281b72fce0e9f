import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { ListEntry, ListSummary } from '../../../sources/registry/registry.ts';
import { type SanctionsAlias, type SanctionsEntry, toEntry, Uids } from './entry.ts';
import type { IdFloors } from './id-floors.ts';
import type { OfacList } from './ofac-list.ts';
import { addressLine, detailsOf } from './party-details.ts';
import { printedId } from './printed-id.ts';

const CSV_KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  '': 'entity',
  individual: 'individual',
  vessel: 'vessel',
  aircraft: 'aircraft',
};
const ALIAS_TYPES: Readonly<Record<string, string>> = { aka: 'a.k.a.', fka: 'f.k.a.', nka: 'n.k.a.' };

/** The publisher truncates remarks at this length, within a word; the file of comments has the rest. */
const REMARKS_LENGTH = 1000;

/**
 * Reads the csv of the parties, with those of strong aliases, of addresses (countries) and of the rest of long remarks where they are
 * available. Ids and weak aliases are in the remarks. The csv has no publication date.
 * @throws ListFileError for a row without twelve columns and a number in the first
 */
export async function* readOfacCsv(
  file: ListFile,
  { companions, termsOf }: OfacList,
  floors: IdFloors,
): AsyncGenerator<ListEntry<SanctionsEntry>, ListSummary, void> {
  const lost = { records: 0 };
  const aliases = await readCompanion(file, companions.aliases, 5, lost, ([, , type = '', name = '']) => ({
    name,
    type: ALIAS_TYPES[type] ?? type,
    weak: false,
  }));
  const addresses = await readCompanion(file, companions.addresses, 6, lost, ([, , street = '', city = '', country = '']) => ({
    line: addressLine([street, city], country),
    country,
  }));
  const overflow = await readCompanion(file, companions.comments, 2, lost, ([, text = '']) => text);
  const uids = new Uids();
  let rowsRead = 0;
  for await (const row of partyRows(file, 12, refuseLost)) {
    const [uid = '', name = '', type = '', program = ''] = row;
    const kind = CSV_KINDS[type];
    if (!name || !kind) throw new ListFileError('a party has no name or an unknown type');
    uids.add(uid);
    rowsRead += 1;
    const programs = program.split(/\]\s*\[/).filter(Boolean);
    const pieces = remarkPieces(row[11] ?? '', overflow.get(uid)?.join(''));
    const ids = pieces.flatMap(printedId);
    const entry = toEntry(
      {
        uid,
        kind,
        name,
        aliases: [...(aliases.get(uid) ?? []), ...pieces.flatMap(weakAlias)],
        programs,
        countries: [...new Set(addresses.get(uid)?.map(({ country }) => country))].filter(Boolean),
        nationalities: kind === 'individual' ? remarksOf(pieces, /^(?:alt\. )?(?:nationality|citizen) (.+)$/) : [],
        datesOfBirth: kind === 'individual' ? remarksOf(pieces, /^(?:alt\. )?DOB (.+)$/) : [],
        reference: null,
        ...termsOf?.(programs),
        ...detailsOf(kind, {
          addresses: addresses.get(uid)?.map(({ line }) => line) ?? [],
          foundationDates: remarksOf(pieces, /^Organization Established Date (.+)$/),
          remarks: pieces.join('; '),
        }),
      },
      ids,
    );
    floors.add(entry.record, ids);
    yield entry;
  }
  return { publishedOn: file.lastModified, rowsRead, rowsSkipped: 0, rowsUnmatched: lost.records };
}

/** Refuses the file, because a party that was skipped would look clean. */
function refuseLost(): never {
  throw new ListFileError('a row has quotes that are not doubled, and its cells cannot be told apart');
}

/**
 * Yields the rows about parties, those with quotes that are not doubled included, with `-0-` replaced by the empty text.
 * @throws ListFileError for a row of another width or without the number of a party, and for a truncated last row: one that ends before
 * its last cell, which is never empty, or within the `-0-` of that cell
 */
async function* partyRows(file: ListFile, width: number, onLost: () => void): AsyncGenerator<readonly string[]> {
  let ending: string | undefined;
  for await (const row of file.rows({ delimiter: ',', relaxColumns: true, recovery: { width, onLost } })) {
    if (row.length !== width) throw new ListFileError(`a row has ${row.length} cells, not ${width}`);
    if (!/^\d+$/.test(row[0] ?? '')) throw new ListFileError('a row does not start with the number of a party');
    ending = row.at(-1);
    yield row.map((cell) => (cell === '-0-' ? '' : cell));
  }
  if (ending === '' || ending === '-' || ending === '-0') throw new ListFileError('the last row is truncated');
}

/** Maximum share of skipped records in a file beside the list. */
const MAX_LOST = 0.01;

/**
 * Reads a file published beside the list, by party; empty where it does not exist. Rows of parties no longer listed have no effect. Adds the
 * records that cannot be read to `lost`.
 * @throws ListFileError for more than 1 % of them
 */
async function readCompanion<T>(
  file: ListFile,
  name: string,
  width: number,
  lost: { records: number },
  read: (row: readonly string[]) => T,
): Promise<Map<string, T[]>> {
  const byParty = new Map<string, T[]>();
  const companion = await file.companion(name);
  if (!companion) return byParty;
  let rows = 0;
  let unread = 0;
  const onLost = () => {
    unread += 1;
  };
  for await (const row of partyRows(companion, width, onLost)) {
    rows += 1;
    const known = byParty.get(row[0] ?? '');
    if (known) known.push(read(row));
    else byParty.set(row[0] ?? '', [read(row)]);
  }
  if (unread > (rows + unread) * MAX_LOST) throw new ListFileError(`${unread} of ${rows + unread} rows of ${name} are malformed`);
  lost.records += unread;
  return byParty;
}

/** Splits remarks and their continuation. Drops the last piece when the continuation is missing, because it is truncated. */
function remarkPieces(remarks: string, rest: string | undefined): string[] {
  const truncated = remarks.length >= REMARKS_LENGTH;
  const pieces = (remarks + (truncated ? (rest ?? '') : '')).replace(/\.$/, '').split('; ');
  return truncated && rest === undefined ? pieces.slice(0, -1) : pieces;
}

/** Parses `a.k.a. 'BNC'`, an alias that the publisher marks as weak. */
function weakAlias(piece: string): SanctionsAlias[] {
  const [, type = '', name = ''] = /^([afn]\.k\.a\.) '(.+)'$/.exec(piece) ?? [];
  return name ? [{ name, type, weak: true }] : [];
}

/** Returns the values of remarks of one form, each once: `DOB 02 Feb 1980`, `alt. DOB 1981` → both dates. */
const remarksOf = (pieces: readonly string[], form: RegExp): readonly string[] => [
  ...new Set(pieces.flatMap((piece) => form.exec(piece)?.[1] ?? [])),
];
