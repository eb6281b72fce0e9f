import { type Answer, type Freshness, oldest } from '../../domain/answer.ts';
import { AppError, sourceUnavailable } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { companyLoader } from '../../loaders/loader.ts';
import { debarmentLoader } from '../debarment/loader.ts';
import { kybLoader } from '../kyb/loader.ts';
import { laborLoader } from '../labor/loader.ts';
import { NO_OWNERS } from '../owners/domain.ts';
import { ownersLoader } from '../owners/loader.ts';
import { sanctionsLoader } from '../sanctions/loader.ts';
import { assessRisk, CHECKS, type CheckName, type Completeness, completeness, type Risk, type Seen } from './domain.ts';

/** The consolidated result: five checks, the risk that follows from them, and how complete they are. */
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

/** A check counts as failed after this time, so that the whole answers within 10 s. */
const CHECK_DEADLINE_MS = 9.5 * SECOND_MS;

/**
 * CompanyKey (BR) → Compliance: runs five checks in parallel, through the loaders of their own modules. A check whose source failed is
 * null and named in `sourcesFailed`; it never fails the whole.
 * @throws AppError UNSUPPORTED_COUNTRY
 */
export const complianceBrLoader = companyLoader<'BR', Compliance>({
  name: 'compliance_br',
  module: 'compliance_br',
  countries: ['BR'],
  subject: 'The consolidated check',
  counts: ({ completeness }) => completeness !== 'insufficient',
  async answer(key, load, now) {
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
});

/** Resolves to the answer, or to null when its source fails or exceeds the deadline. Rethrows every other error: it is a defect. */
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
