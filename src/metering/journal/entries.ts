import { crc32 } from 'node:zlib';
import { monthOf } from '../../domain/time.ts';
import type { UsageRecord } from '../store/usage-records.ts';

/*
 * Format of a journal file: a line for each entry, `<CRC-32 of the JSON, 8 hexadecimal digits> <JSON array>`. A line without its line feed,
 * or with another checksum, was not written completely; its request got no answer.
 */

/** A record as a file contains it. */
export type WrittenRecord = Omit<UsageRecord, 'state'>;

/** The end of a file whose last write failed and may be on the disk: its first `bytes` bytes are valid. A later file has the entry. */
export interface Cut {
  readonly file: string;
  readonly bytes: number;
}

/** An entry of a journal file. A record is voided if its request was refused after it had been written. */
export type JournalEntry = { readonly record: WrittenRecord } | { readonly voided: WrittenRecord } | { readonly cut: Cut };

/** Writes an entry as a line. A record must be final. */
export function writeEntry(entry: JournalEntry): string {
  const json = JSON.stringify(valuesOf(entry));
  return `${checksum(json)} ${json}\n`;
}

function valuesOf(entry: JournalEntry) {
  if ('cut' in entry) return ['cut', entry.cut.file, entry.cut.bytes] as const;
  return 'record' in entry ? recordValues('use', entry.record) : recordValues('void', entry.voided);
}

const recordValues = (
  kind: 'use' | 'void',
  { id, keyId, module, at, requestId, questionHash, attempt, quantity }: WrittenRecord,
): RecordValues => [kind, id, keyId, module, at, requestId, questionHash, attempt, quantity];

type RecordValues = readonly [
  'use' | 'void',
  string,
  string,
  WrittenRecord['module'],
  number,
  WrittenRecord['requestId'],
  string | null,
  number,
  number,
];

const CHECKSUM_DIGITS = 8;
const checksum = (json: string): string => crc32(json).toString(16).padStart(CHECKSUM_DIGITS, '0');

/** Entries of a file, and the number of lines before its last one that cannot be read. */
export interface JournalFile {
  readonly entries: readonly JournalEntry[];
  readonly damaged: number;
}

/** Reads the text of a journal file. An unreadable last line is not counted as damaged, because a kill or a full disk cuts it. */
export function readEntries(text: string): JournalFile {
  const lines = text.split('\n');
  const entries: JournalEntry[] = [];
  let damaged = 0;
  for (const [i, one] of lines.entries()) {
    const entry = readLine(one);
    if (entry) entries.push(entry);
    else if (one !== '' && i < lines.length - 1) damaged += 1;
  }
  return { entries, damaged };
}

/** Returns null for a line that is cut, changed, or of a kind that this release does not know. */
function readLine(text: string): JournalEntry | null {
  const json = text.slice(CHECKSUM_DIGITS + 1);
  if (text.slice(0, CHECKSUM_DIGITS + 1) !== `${checksum(json)} `) return null;
  const values = JSON.parse(json) as ReturnType<typeof valuesOf>; // the checksum shows that `writeEntry` wrote it
  return entryOf(values);
}

/** Returns null for a line of another release whose values are not those of this one, so that it blocks no other line. */
function entryOf(values: ReturnType<typeof valuesOf>): JournalEntry | null {
  if (values[0] === 'cut') return { cut: { file: values[1], bytes: values[2] } };
  if (values[0] !== 'use' && values[0] !== 'void') return null;
  const [kind, id, keyId, module, at, requestId, questionHash, attempt, quantity] = values;
  if (!Number.isFinite(at)) return null;
  const record = { id, keyId, module, month: monthOf(at), at, requestId, questionHash, attempt, quantity };
  return kind === 'use' ? { record } : { voided: record };
}
