import { crc32 } from 'node:zlib';
import { monthOf } from '../../domain/time.ts';
import type { UsageRecord } from '../store/usage-records.ts';

/*
 * Format of a journal file: a line for each entry, `<CRC-32 of the JSON, 8 hexadecimal digits> <JSON array>`. A line without its line feed,
 * or with another checksum, was not written completely; its request got no answer.
 */

/** The void of a record: its request was refused after it had been recorded. */
export type VoidedRecord = Pick<UsageRecord, 'id' | 'attempt'>;

/** An entry of a journal file. */
export type JournalEntry = { readonly record: UsageRecord } | { readonly voided: VoidedRecord };

/** Writes an entry as a line. A record must be final. */
export function writeEntry(entry: JournalEntry): string {
  const json = JSON.stringify('record' in entry ? usedOf(entry.record) : voidedOf(entry.voided));
  return `${checksum(json)} ${json}\n`;
}

const usedOf = ({ id, keyId, module, at, requestId, questionHash, attempt, quantity }: UsageRecord) =>
  ['use', id, keyId, module, at, requestId, questionHash, attempt, quantity] as const;

const voidedOf = ({ id, attempt }: VoidedRecord) => ['void', id, attempt] as const;

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
  const values = JSON.parse(json) as ReturnType<typeof usedOf> | ReturnType<typeof voidedOf>; // the checksum shows that `writeEntry` wrote it
  if (values[0] === 'void') {
    const [, id, attempt] = values;
    return { voided: { id, attempt } };
  }
  if (values[0] !== 'use') return null;
  const [, id, keyId, module, at, requestId, questionHash, attempt, quantity] = values;
  return { record: { id, keyId, module, month: monthOf(at), at, requestId, questionHash, attempt, quantity, isFinal: true } };
}
