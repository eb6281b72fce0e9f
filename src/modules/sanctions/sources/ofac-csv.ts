import { type ListFile, ListFileError } from '../../../sources/registry/list-file.ts';
import type { Edition, ListEntry } from '../../../sources/registry/registry.ts';
import { type PrintedId, type SanctionsAlias, type SanctionsEntry, toEntry, Uids } from './entry.ts';
import { PRINTED_TYPES } from './list-tax-ids.ts';

const KINDS: Readonly<Record<string, SanctionsEntry['kind']>> = {
  '': 'entity',
  individual: 'individual',
  vessel: 'vessel',
  aircraft: 'aircraft',
};
const ALIAS_TYPES: Readonly<Record<string, string>> = { aka: 'a.k.a.', fka: 'f.k.a.', nka: 'n.k.a.' };

/** The publisher cuts remarks at this length, in the middle of a word; `sdn_comments.csv` has the rest. */
const REMARKS_LENGTH = 1000;

/**
 * Reads `sdn.csv`, with `alt.csv` (strong aliases), `add.csv` (countries) and `sdn_comments.csv` (the rest of long remarks)
 * where they are at hand. Ids and weak aliases stand in the remarks. The csv does not say its edition's date.
 * @throws ListFileError for rows that are not of twelve columns with a number first
 */
export async function* readOfacCsv(file: ListFile): AsyncGenerator<ListEntry<SanctionsEntry>, Edition, void> {
  const aliases = await readCompanion(file, 'alt.csv', 5, ([, , type = '', name = '']) => ({
    name,
    type: ALIAS_TYPES[type] ?? type,
    weak: false,
  }));
  const countries = await readCompanion(file, 'add.csv', 6, ([, , , , country = '']) => country);
  const overflow = await readCompanion(file, 'sdn_comments.csv', 2, ([, text = '']) => text);
  const uids = new Uids();
  let rowsRead = 0;
  for await (const row of partyRows(file, 12)) {
    const [uid = '', name = '', type = '', program = ''] = row;
    const kind = KINDS[type];
    if (!name || !kind) throw new ListFileError('a party has no name or an unknown type');
    uids.add(uid);
    rowsRead += 1;
    const pieces = remarkPieces(row[11] ?? '', overflow.get(uid)?.join(''));
    yield toEntry(
      {
        uid,
        kind,
        name,
        aliases: [...(aliases.get(uid) ?? []), ...pieces.flatMap(weakAlias)],
        programs: program.split(/\]\s*\[/).filter(Boolean),
        countries: [...new Set(countries.get(uid))].filter(Boolean),
        reference: null,
      },
      pieces.flatMap(printedId),
    );
  }
  return { publishedOn: file.lastModified, rowsRead, rowsSkipped: 0 };
}

/**
 * Rows about parties, `-0-` made empty.
 * @throws ListFileError for a row of another width or without a party's number, and for a last row that breaks off: before its
 * last cell, which is never left empty, or in the `-0-` there
 */
async function* partyRows(file: ListFile, width: number): AsyncGenerator<readonly string[]> {
  let ending: string | undefined;
  for await (const row of file.rows({ delimiter: ',', relaxColumns: true })) {
    if (row.length !== width) throw new ListFileError(`a row has ${row.length} cells, not ${width}`);
    if (!/^\d+$/.test(row[0] ?? '')) throw new ListFileError('a row does not start with the number of a party');
    ending = row.at(-1);
    yield row.map((cell) => (cell === '-0-' ? '' : cell));
  }
  if (ending === '' || ending === '-' || ending === '-0') throw new ListFileError('the last row is cut');
}

/** A file beside the list, by party; empty where there is none. Rows of parties no longer listed are harmless. */
async function readCompanion<T>(
  file: ListFile,
  name: string,
  width: number,
  read: (row: readonly string[]) => T,
): Promise<Map<string, T[]>> {
  const byParty = new Map<string, T[]>();
  const companion = await file.companion(name);
  if (!companion) return byParty;
  for await (const row of partyRows(companion, width)) {
    const known = byParty.get(row[0] ?? '');
    if (known) known.push(read(row));
    else byParty.set(row[0] ?? '', [read(row)]);
  }
  return byParty;
}

/** Remarks and the rest of them → their pieces. Where the rest is unknown the last piece is half a word: dropped. */
function remarkPieces(remarks: string, rest: string | undefined): string[] {
  const cut = remarks.length >= REMARKS_LENGTH;
  const pieces = (remarks + (cut ? (rest ?? '') : '')).replace(/\.$/, '').split('; ');
  return cut && rest === undefined ? pieces.slice(0, -1) : pieces;
}

/** `a.k.a. 'BNC'` → an alias that the publisher marks as weak. */
function weakAlias(piece: string): SanctionsAlias[] {
  const [, type = '', name = ''] = /^([afn]\.k\.a\.) '(.+)'$/.exec(piece) ?? [];
  return name ? [{ name, type, weak: true }] : [];
}

/** `[alt. ]<type> <number>[ (<country>)][ issued …| expires …]` → the id; nothing for a piece of another kind. */
function printedId(piece: string): PrintedId[] {
  const whole = piece.replace(/^alt\. /, '').replace(/ (?:issued|expires) .*$/i, '');
  const [, body = whole, country = null] = /^(.*) \(([^()]*)\)$/.exec(whole) ?? [];
  const type = PRINTED_TYPES.find((known) => body.startsWith(`${known} `)) ?? /^(.+?)(?= #?\S*\d)/.exec(body)?.[1];
  return type === undefined ? [] : [{ type, value: body.slice(type.length).trim(), country }];
}
