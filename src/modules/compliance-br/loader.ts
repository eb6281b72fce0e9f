import { type Answer, type Freshness, oldest } from '../../domain/answer.ts';
import { type CompanyKey, companyKeyText, requireCountry } from '../../domain/company.ts';
import { AppError, sourceUnavailable } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { DerivedLoader, Offered } from '../../loaders/loader.ts';
import { debarmentLoader } from '../debarment/loader.ts';
import { kybLoader } from '../kyb/loader.ts';
import { laborLoader } from '../labor/loader.ts';
import { ownersLoader } from '../owners/loader.ts';
import { sanctionsLoader } from '../sanctions/loader.ts';
import { assessRisk, CHECKS, type CheckName, type Completeness, completeness, type Risk, type Seen } from './domain.ts';

/** The consolidated result: five checks, what they mean together, and how much was seen. */
export interface Compliance {
  readonly companyName: string | null;
  readonly risk: Risk;
  readonly checks: { readonly [check in CheckName]: Answer<NonNullable<Seen[check]>> | null };
  /** Checks that failed, in the order of CHECKS. */
  readonly sourcesFailed: readonly CheckName[];
  readonly completeness: Completeness;
  /** Epoch ms. */
  readonly generatedAt: number;
}

/** A check that has not answered by then has failed: the whole answers within 10 s. */
const CHECK_DEADLINE_MS = 9.5 * SECOND_MS;

/**
 * CompanyKey (BR) → Compliance: five checks side by side, each from the loaders everyone else uses. A failed check is null and named.
 * Never rejects for a source; @throws AppError UNSUPPORTED_COUNTRY
 */
export const complianceBrLoader: DerivedLoader<CompanyKey, Compliance> & Offered<CompanyKey, Compliance> = {
  name: 'compliance_br',
  module: 'compliance_br',
  key: companyKeyText,
  counts: ({ completeness }) => completeness !== 'insufficient',
  async answer(key, load, now) {
    requireCountry(key.country, ['BR'], 'The consolidated check');
    const generatedAt = now();
    const [kyb, sanctions, debarment, labor, owners] = await Promise.all([
      settle(load(kybLoader, key)),
      settle(load(sanctionsLoader, key)),
      settle(load(debarmentLoader, key)),
      settle(load(laborLoader, key)),
      settle(load(ownersLoader, key)),
    ]);
    const checks = { kyb, sanctions, debarment, labor, owners: owners && { ...owners, value: owners.value ?? NO_OWNERS } };
    const seen: Seen = {
      kyb: kyb?.value ?? null,
      sanctions: sanctions?.value ?? null,
      debarment: debarment?.value ?? null,
      labor: labor?.value ?? null,
      owners: checks.owners?.value ?? null,
    };
    const value: Compliance = {
      companyName: seen.kyb?.companyName || seen.owners?.companyName || null,
      risk: assessRisk(seen),
      checks,
      sourcesFailed: CHECKS.filter((check) => checks[check] === null),
      completeness: completeness(seen),
      generatedAt,
    };
    return { value, freshness: freshnessOf(checks, generatedAt) };
  },
};

/** A company that the registry does not know has no owners on record: the registry answered. */
const NO_OWNERS = { companyName: '', owners: [], source: 'receita_federal' } as const;

/** An answer within the deadline, or null when its source failed. Anything else that is thrown is a fault of ours and stays one. */
async function settle<T>(answer: Promise<Answer<T>>): Promise<Answer<T> | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(sourceUnavailable('compliance_br', 'check deadline')), CHECK_DEADLINE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof AppError && error.code === 'SOURCE_UNAVAILABLE') return null;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function freshnessOf(checks: Compliance['checks'], generatedAt: number): Freshness {
  const parts = CHECKS.flatMap((check) => checks[check]?.freshness ?? []);
  const nothing: Freshness = { fetchedAt: generatedAt, dataAsOf: null, cached: false, stale: false, expiresAt: null };
  return parts.length > 0 ? oldest(parts) : nothing;
}
