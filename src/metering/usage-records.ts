import { createHash, randomUUID } from 'node:crypto';
import type { ModuleName } from '../domain/catalogue.ts';
import { monthOf } from '../domain/time.ts';
import { nextSlice } from '../scheduling/slices.ts';
import { notRecorded, type UsageJournal } from './journal/journal.ts';
import type { Claim } from './store/idempotency-keys.ts';
import type { UsageRecord } from './store/usage-records.ts';

/** The request that a usage record belongs to. */
export interface RecordedRequest {
  readonly keyId: string;
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  /** The claim of its Idempotency-Key, by which another attempt's answer to the same query gets the same record id. */
  readonly claim?: Claim;
}

/** Creates the record of one answer. @param loadKey loader name and key; its hash is stored for requests with an Idempotency-Key only */
export function usageRecordOf({ keyId, requestId, startedAt, claim }: RecordedRequest, module: ModuleName, loadKey: string): UsageRecord {
  const questionHash = claim === undefined ? null : createHash('sha256').update(loadKey).digest('hex');
  const id = claim === undefined || questionHash === null ? timedId(startedAt) : derivedId(claim.id, questionHash);
  const attempt = claim?.attempt ?? 0;
  return { id, keyId, module, month: monthOf(startedAt), at: startedAt, requestId, questionHash, attempt, quantity: 1, state: 'open' };
}

/** The usage of one request. */
export interface RequestUsage {
  /**
   * Counts an answer. Answers of a module share a record until it is written, but not under an Idempotency-Key.
   * @throws AppError SERVICE_UNAVAILABLE after `refuse`
   */
  count(module: ModuleName, loadKey: string): void;
  /** Resolves when all counted answers are written. @throws AppError SERVICE_UNAVAILABLE like `UsageJournal.record` */
  written(): Promise<void>;
  /** Runs work that counts answers, and resolves when these are written. @throws AppError like `written`, or the error of the work */
  writtenAfter<T>(work: () => Promise<T>): Promise<T>;
  /** Voids the counted answers, including those that are written later, because the request is answered with a refusal. */
  refuse(): void;
}

export function createRequestUsage(request: RecordedRequest, usage: Pick<UsageJournal, 'record' | 'voidRecords'>): RequestUsage {
  const records: UsageRecord[] = [];
  const writes: Promise<void>[] = [];
  /** Last record of each module. */
  const last = new Map<ModuleName, UsageRecord>();
  let isRefused = false;

  async function written(): Promise<void> {
    if (writes.length === 0) return;
    await Promise.all(writes);
    await nextSlice(); // one commit may resume the answers of many requests at once
  }

  return {
    count(module, loadKey) {
      if (isRefused) throw notRecorded();
      const open = request.claim === undefined ? last.get(module) : undefined;
      if (open?.state === 'open') {
        open.quantity += 1;
        return;
      }
      const record = usageRecordOf(request, module, loadKey);
      const write = usage.record(record);
      write.catch(() => undefined); // `written` rejects, if it is awaited
      records.push(record);
      writes.push(write);
      last.set(module, record);
    },
    written,
    async writtenAfter(work) {
      const result = await work();
      await written();
      return result;
    },
    refuse() {
      isRefused = true;
      usage.voidRecords(records);
    },
  };
}

/** Creates a UUID of version 7. Records of the same time are adjacent in the index, which makes inserts cheap. */
function timedId(ms: number): string {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Creates a UUID of version 8 from the first 128 bits of a SHA-256. */
function derivedId(claim: string, questionHash: string): string {
  const hex = createHash('sha256').update(claim).update(questionHash).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
