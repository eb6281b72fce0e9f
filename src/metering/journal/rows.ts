import { createHash } from 'node:crypto';
import { SECOND_MS } from '../../domain/time.ts';
import type { UsageRow, VoidedRow } from '../store/usage-records.ts';
import type { JournalEntry, WrittenRecord } from './entries.ts';

/** The rows of the database that a journal file becomes. */
export interface FileRows {
  readonly rows: readonly UsageRow[];
  /** Rows of requests under an Idempotency-Key that were refused. */
  readonly voided: readonly VoidedRow[];
}

/**
 * Sums the records of a file by key, module and second of the request. Their ids are derived from the name of the file and these three, so a
 * file that is drained twice has the same rows. A voided record is subtracted, also from the sum of another file: then the row of this file
 * is negative. A record under an Idempotency-Key has a row of its own, because another process may count the same answer.
 */
export function rowsOf(file: string, entries: readonly JournalEntry[]): FileRows {
  const records = entries.flatMap((entry) => ('record' in entry ? [entry.record] : []));
  const voided = entries.flatMap((entry) => ('voided' in entry ? [entry.voided] : []));
  const voidedHere = new Set(voided.filter(isKeyed).map(keyOf));
  const sums = new Map<string, UsageRow>();
  for (const record of records) if (!isKeyed(record)) add(sums, file, record, record.quantity);
  for (const record of voided) if (!isKeyed(record)) add(sums, file, record, -record.quantity);
  return {
    rows: [
      ...records.filter((record) => isKeyed(record) && !voidedHere.has(keyOf(record))),
      ...[...sums.values()].filter(({ quantity }) => quantity !== 0),
    ],
    voided: voided.filter(isKeyed),
  };
}

const isKeyed = ({ questionHash }: WrittenRecord): boolean => questionHash !== null;
const keyOf = ({ id, attempt }: VoidedRow): string => `${id} ${attempt}`;

function add(sums: Map<string, UsageRow>, file: string, { keyId, module, month, at }: WrittenRecord, quantity: number): void {
  const second = at - (at % SECOND_MS);
  const name = `${keyId} ${module} ${second}`;
  const sum = sums.get(name);
  if (sum) sum.quantity += quantity;
  else
    sums.set(name, {
      id: sumId(second, `${file} ${name}`),
      keyId,
      module,
      month,
      at: second,
      requestId: null,
      questionHash: null,
      attempt: 0,
      quantity,
    });
}

/** Creates a UUID of version 8 from a time and a hash. Rows of the same time are adjacent in the index, which makes inserts cheap. */
function sumId(ms: number, name: string): string {
  const time = ms.toString(16).padStart(12, '0');
  const hash = createHash('sha256').update(name).digest('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
