import type { OfacAlias, OfacId, OfacParty } from './party.ts';

/** `Remarks` is cut here, in the middle of a word; the rest is in SDN_COMMENTS.CSV. */
const REMARKS_LIMIT = 1_000;

/** The files beside the XML: no header, `-0- ` for null, CRLF, 0x1A at the very end. */
export const CSV_FILES: Readonly<Record<string, (parties: readonly OfacParty[]) => string[]>> = {
  'SDN.CSV': (parties) => parties.map(sdnRow),
  'ALT.CSV': (parties) => parties.flatMap(altRows),
  'ADD.CSV': (parties) => parties.flatMap(addressRows),
  'SDN_COMMENTS.CSV': (parties) => parties.flatMap(commentRows),
};

export const csvFile = (rows: readonly string[]): string => `${rows.join('')}\x1A`;

/** `A] [B` is how several programs share a cell. Entities have no type. */
function sdnRow(party: OfacParty): string {
  const [callSign = '', type = '', flag = '', owner = '', tonnage = '', gross = ''] = party.vessel ?? [];
  const name = party.givenName ? `${party.name}, ${party.givenName}` : party.name;
  const kind = party.type === 'Entity' ? '' : party.type.toLowerCase();
  return row(
    [party.uid],
    [
      name,
      kind,
      party.programs.join('] ['),
      party.title,
      callSign,
      type,
      tonnage,
      gross,
      flag,
      owner,
      remarks(party).slice(0, REMARKS_LIMIT),
    ],
  );
}

const altRows = (party: OfacParty): string[] =>
  party.aliases
    .filter(({ weak }) => !weak)
    .map(({ kind, name }, i) => row([party.uid, party.uid * 10 + i], [kind.replaceAll('.', ''), name, '']));

const addressRows = (party: OfacParty): string[] =>
  party.addresses.map(({ street, city, country }, i) => row([party.uid, party.uid * 10 + i], [street, city, country, '']));

function commentRows(party: OfacParty): string[] {
  const rest = remarks(party).slice(REMARKS_LIMIT);
  return rest ? [row([party.uid], [rest])] : [];
}

function remarks({ remarks: pieces, aliases, ids }: OfacParty): string {
  const all = [...pieces, ...aliases.filter(({ weak }) => weak).map(quotedAlias), ...ids.map(printedId)];
  return all.length ? `${all.join('; ')}.` : '';
}

const quotedAlias = ({ kind, name }: OfacAlias): string => `${kind} '${name}'`;
const printedId = ({ type, number, country }: OfacId): string => `${type} ${number}${country === null ? '' : ` (${country})`}`;

/** Numbers stand bare, text is quoted. */
const row = (numbers: readonly number[], cells: readonly string[]): string =>
  `${numbers.join(',')},${cells.map((cell) => (cell ? `"${cell.replaceAll('"', '""')}"` : '-0- ')).join(',')}\r\n`;
