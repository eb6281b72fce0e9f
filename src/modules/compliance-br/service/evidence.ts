import { randomUUID } from 'node:crypto';
import { bulkhead } from 'cockatiel';
import type { AccountData } from '../../../auth/accounts/erasure.ts';
import type { RequestContext } from '../../../context.ts';
import { type Answer, keepByParts, type ListFacts } from '../../../domain/answer.ts';
import type { Mirror, SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { DAY_MS, DURATION, durationMs, isoWithOffset } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import { defineService, type ServiceDeps } from '../../../service.ts';
import type { SettingSpec } from '../../../sources/source.ts';
import { DEBARMENT_LISTS } from '../../debarment/domain.ts';
import { LABOR_LISTS } from '../../labor/domain.ts';
import { SANCTIONS_LISTS } from '../../sanctions/domain.ts';
import type { Receipt, ReceiptFacts, ReceiptSource, SealedReceipt } from '../domain/receipt.ts';
import { CHECKS, type CheckName, reasonText } from '../domain.ts';
import type { Compliance } from '../loader.ts';
import { appendReceipts, lockChain, type NewReceipt, purgeReceipts } from '../store.ts';
import { canonical, digestOf, seal } from './seal.ts';
import { createSigningKeys, type SigningKeys } from './signing-keys.ts';

export const PURGE_RECEIPTS = 'evidence.purge';

const settings = {
  QUIPU_EVIDENCE_KEY: {
    description:
      'Key that signs receipts of consolidated checks: 32 bytes in base64 (openssl rand -base64 32). Without it, one is generated once and stored encrypted.',
    fallback: '',
    pattern: /^([A-Za-z0-9+/]{43}=)?$/,
    expected: 'expected 32 bytes in base64',
  },
  QUIPU_EVIDENCE_KEPT: {
    description: 'How long receipts of consolidated checks are kept.',
    fallback: '1827d',
    pattern: DURATION,
    expected: 'expected a duration such as 1827d, from 1d to 36500d',
    range: ['1d', '36500d'],
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** Receipts of consolidated checks. */
export interface Evidence {
  /**
   * Appends the receipt of a check to the chain of the caller's account. Resolves when it is committed.
   * @throws AppError SERVICE_UNAVAILABLE
   */
  issue(
    ctx: Pick<RequestContext, 'caller' | 'requestId' | 'usageWritten'>,
    company: CompanyKey,
    compliance: Compliance,
  ): Promise<SealedReceipt>;
  readonly keys: SigningKeys;
  /** Deletes receipts after their retention period, and enqueues the next purge. */
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

export type EvidenceDeps = Pick<ServiceDeps, 'db' | 'now' | 'log' | 'setting' | 'sealerFor'>;

export function createEvidence({ db, now, log, setting, sealerFor }: EvidenceDeps): Evidence {
  const keys = createSigningKeys({ db, now, sealer: sealerFor('evidence'), seed: setting('QUIPU_EVIDENCE_KEY') });
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
    async issue({ caller: { accountId, keyId }, requestId, usageWritten }, company, compliance) {
      await usageWritten(); // an answer that is not counted has no receipt
      const draft = { facts: receiptFacts({ requestId, keyId }, company, compliance), issued: Promise.withResolvers<SealedReceipt>() };
      const queue = waiting.get(accountId);
      if (queue) queue.push(draft);
      else {
        const first = [draft];
        waiting.set(accountId, first);
        setImmediate(() => void writeAll(accountId, first)); // receipts of this tick of the event loop share a transaction
      }
      return draft.issued.promise;
    },
    async purge() {
      await purgeReceipts(db, now() - durationMs(setting('QUIPU_EVIDENCE_KEPT')));
      await enqueue(db, PURGE_RECEIPTS, {}, { key: PURGE_RECEIPTS, runAt: now() + DAY_MS });
    },
  };
}

const notWritten = (cause: unknown): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'The receipt cannot be written right now; try again in a moment.',
    { retryAfterSeconds: 2 },
    { cause },
  );

/** Token for `open`. A caller needs module `compliance_br`. */
export const evidenceService = defineService<Evidence>({ name: 'evidence', module: 'compliance_br', settings, create: createEvidence });

/** The receipts of an account, for its export and erasure. */
export const evidenceAccountData: AccountData = {
  tables: [{ table: 'evidence_receipts', where: 'account_id = ?' }],
  async erase(trx, { accountId }) {
    await trx('evidence_receipts').where({ account_id: accountId }).delete();
    await trx('evidence_chains').where({ account_id: accountId }).delete();
    return [];
  },
};

/** The sources of each check. */
const SOURCES_OF: Readonly<Record<CheckName, readonly SourceName[]>> = {
  kyb: ['receita_federal'],
  sanctions: SANCTIONS_LISTS,
  debarment: DEBARMENT_LISTS,
  labor: LABOR_LISTS,
  owners: ['receita_federal'],
};

/** The request that asked for the check. */
interface Asker {
  readonly requestId: string;
  readonly keyId: string;
}

/** Returns the part of a receipt about a consolidated check. */
const receiptFacts = ({ requestId, keyId }: Asker, { country, taxId }: CompanyKey, compliance: Compliance): ReceiptFacts => ({
  request_id: requestId,
  api_key: keyId,
  company: { country, identifier: taxId },
  verdict: {
    risk_level: compliance.risk.level,
    completeness: compliance.completeness,
    risk_reasons: compliance.risk.reasons.map(reasonText),
    sources_failed: compliance.sourcesFailed,
    generated_at: isoWithOffset(compliance.generatedAt),
  },
  sources: CHECKS.flatMap((check) => sourcesOf(check, compliance.checks[check])),
});

const sourcesOf = (check: CheckName, answer: Compliance['checks'][CheckName]): readonly ReceiptSource[] =>
  answer ? answeredSources(answer, check) : SOURCES_OF[check].map((source) => failed(check, source));

/** Returns the sources of an answer with their digests, which are computed once per answer. */
const answeredSources = keepByParts((answer: Answer<object>, check: CheckName): readonly ReceiptSource[] => {
  const { value, freshness } = answer;
  const digest = digestOf(value);
  const mirror = 'mirror' in value ? (value.mirror as Mirror | null) : null;
  const lists = 'lists' in value ? (value.lists as readonly ListFacts[]) : null;
  return SOURCES_OF[check].map((source) => {
    const version = lists?.find(({ list }) => list === source);
    if (lists && !version) return failed(check, source);
    return {
      check,
      source,
      ...(mirror && { mirror }),
      outcome: 'answered',
      answered_at: isoWithOffset(freshness.fetchedAt),
      data_as_of: version ? version.publishedOn : freshness.dataAsOf,
      list_version: version?.publishedOn ?? null,
      checksum: version?.checksum ?? null,
      answer_digest: digest,
    };
  });
});

const failed = (check: CheckName, source: SourceName): ReceiptSource => ({
  check,
  source,
  outcome: 'failed',
  answered_at: null,
  data_as_of: null,
  list_version: null,
  checksum: null,
  answer_digest: null,
});
