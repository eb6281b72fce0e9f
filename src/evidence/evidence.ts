import { randomUUID } from 'node:crypto';
import { bulkhead } from 'cockatiel';
import type { Logger } from 'pino';
import { AppError } from '../domain/errors.ts';
import { toPublicId } from '../domain/public-ids.ts';
import { isoWithOffset } from '../domain/time.ts';
import { requestMessages } from '../messages/requests.ts';
import type { Receipt, ReceiptFacts, SealedReceipt } from './receipt.ts';
import { canonical, seal } from './seal.ts';
import { createSigningKeys, type SigningKeys, type SigningKeysDeps } from './signing-keys.ts';
import { appendReceipts, lockChain, type NewReceipt, purgeReceipts } from './store.ts';

/** Receipts of consolidated checks. */
export interface Evidence {
  /**
   * Appends a receipt to the chain of an account. Resolves when it is committed.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  issue(accountId: string, facts: ReceiptFacts): Promise<SealedReceipt>;
  readonly keys: SigningKeys;
  /** Deletes receipts after their retention period. */
  purge(): Promise<void>;
}

/** Maximum number of receipts in one transaction. */
const MAX_BATCH = 500;
/** Maximum number of concurrent transactions of different accounts. It leaves database connections for other requests. */
const CONCURRENT_WRITES = 3;

interface Draft {
  readonly facts: ReceiptFacts;
  readonly issued: PromiseWithResolvers<SealedReceipt>;
}

export interface EvidenceDeps extends SigningKeysDeps {
  readonly log: Logger;
  /** Time for which receipts are kept, in ms. */
  readonly keptMs: number;
}

export function createEvidence({ db, now, log, sealer, seed, keptMs }: EvidenceDeps): Evidence {
  const keys = createSigningKeys({ db, now, sealer, seed });
  const writes = bulkhead(CONCURRENT_WRITES, Number.POSITIVE_INFINITY);
  /** Account → its waiting drafts. An account is in the map while its receipts are written, one transaction after another. */
  const waiting = new Map<string, Draft[]>();

  async function append(accountId: string, drafts: readonly Draft[]): Promise<readonly SealedReceipt[]> {
    const key = await keys.current();
    return db.transaction(async (trx) => {
      const head = await lockChain(trx, accountId);
      const at = isoWithOffset(now());
      const receipts: NewReceipt[] = [];
      let previous = head.hash;
      for (const [i, { facts }] of drafts.entries()) {
        const id = randomUUID();
        const place = { sequence: head.length + i + 1, previous_hash: previous, issued_at: at };
        const receipt: Receipt = { version: 1, id: toPublicId('evidence', id), account: accountId, ...place, ...facts };
        const sealed = seal(receipt, key);
        receipts.push({ id, sealed, text: canonical(sealed) });
        previous = sealed.content_hash;
      }
      await appendReceipts(trx, accountId, receipts);
      return receipts.map(({ sealed }) => sealed);
    });
  }

  async function writeAll(accountId: string, queue: Draft[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH);
      try {
        const receipts = await writes.execute(() => append(accountId, batch));
        for (const [i, { issued }] of batch.entries()) issued.resolve(receipts[i] as SealedReceipt);
      } catch (error) {
        log.error({ receipts: batch.length, why: (error as Error).message }, 'receipts could not be written');
        for (const { issued } of batch) issued.reject(notWritten(error));
      }
    }
    waiting.delete(accountId);
  }

  return {
    keys,
    issue(accountId, facts) {
      const draft = { facts, issued: Promise.withResolvers<SealedReceipt>() };
      const queue = waiting.get(accountId);
      if (queue) queue.push(draft);
      else {
        const first = [draft];
        waiting.set(accountId, first);
        setImmediate(() => void writeAll(accountId, first)); // receipts of this tick of the event loop share a transaction
      }
      return draft.issued.promise;
    },
    purge: () => purgeReceipts(db, now() - keptMs),
  };
}

const notWritten = (cause: unknown): AppError =>
  new AppError('SERVICE_UNAVAILABLE', requestMessages.receiptNotWritten(), { retryAfterSeconds: 2 }, { cause });
