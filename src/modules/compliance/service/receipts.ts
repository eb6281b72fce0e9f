import type { AccountData } from '../../../auth/accounts/erasure.ts';
import type { RequestContext } from '../../../context.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { DURATION, durationMs } from '../../../domain/time.ts';
import { createEvidence, type Evidence } from '../../../evidence/evidence.ts';
import type { SealedReceipt } from '../../../evidence/receipt.ts';
import { eraseReceipts } from '../../../evidence/store.ts';
import { defineService } from '../../../service.ts';
import type { SettingSpec } from '../../../sources/source.ts';
import { COMPLIANCE_MODULES, type Compliance } from '../loader.ts';
import { receiptFacts } from './receipt-facts.ts';
import { receiptOwners } from './receipt-owners.ts';

const settings = {
  QUIPU_EVIDENCE_KEY: {
    description:
      'Key that signs receipts of consolidated checks: 32 bytes in base64 (openssl rand -base64 32). Without it, one is generated once and stored encrypted.',
    fallback: '',
    pattern: /^([A-Za-z0-9+/]{43}=)?$/,
    expected: 'expected 32 bytes in base64',
  },
  QUIPU_EVIDENCE_KEPT: {
    description: 'Time for which receipts of consolidated checks are kept.',
    fallback: '1827d',
    pattern: DURATION,
    expected: 'expected a duration such as 1827d, from 1d to 36500d',
    range: ['1d', '36500d'],
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;

/** Token for `open`. A caller needs a module with consolidated checks. */
export const evidenceService = defineService<Evidence>({
  name: 'evidence',
  module: COMPLIANCE_MODULES,
  settings,
  create({ db, now, log, setting, sealerFor }) {
    const seed = setting('QUIPU_EVIDENCE_KEY');
    const keptMs = durationMs(setting('QUIPU_EVIDENCE_KEPT'));
    return createEvidence({ db, now, log, sealer: sealerFor('evidence'), seed, keptMs });
  },
});

/**
 * Writes the receipt of a check into the chain of the caller's account. Resolves when it is committed.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function issueReceipt(ctx: RequestContext, company: CompanyKey, compliance: Compliance): Promise<SealedReceipt> {
  const { accountId, keyId, name: keyName } = ctx.caller;
  const evidence = ctx.open(evidenceService);
  const owners = await receiptOwners(ctx, company, compliance);
  await ctx.usageWritten(); // an answer that is not counted has no receipt
  return evidence.issue(accountId, receiptFacts({ requestId: ctx.requestId, keyId, keyName }, company, compliance, owners));
}

/** The receipts of an account, for its export and erasure. */
export const evidenceAccountData: AccountData = {
  tables: [{ table: 'evidence_receipts', where: 'account_id = ?' }],
  async erase(trx, { accountId }) {
    await eraseReceipts(trx, accountId);
    return [];
  },
};
