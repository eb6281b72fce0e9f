import type { Mirror } from '../../domain/catalogue.ts';
import { AppError, sourceUnavailable } from '../../domain/errors.ts';
import { NoSlot } from '../../scheduling/fair-slots.ts';
import { Cancelled } from '../http/call-context.ts';
import { HttpFailure } from '../http/client.ts';
import { GAPS, gapsOf, type ReceitaCompany } from './company.ts';
import { recordsPartners } from './tables.ts';

/** What one mirror has of a company. `failed` may have a record: one without a name, which is no answer by itself. */
export type Reading =
  | { readonly kind: 'record'; readonly company: ReceitaCompany }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly error: AppError; readonly nameless: ReceitaCompany | null };

/** An answer of the registry, and the mirror that it is from; null for an absence, which both must state. */
export interface MirroredCompany {
  readonly company: ReceitaCompany | null;
  readonly mirror: Mirror | null;
}

/** A company that a mirror has. */
interface FoundCompany extends MirroredCompany {
  readonly company: ReceitaCompany;
  readonly mirror: Mirror;
}

/** A record without a name: a failure, by which the circuit breaker sets a mirror aside after many of them. */
export class NamelessRecord extends HttpFailure {
  readonly company: ReceitaCompany;
  constructor(company: ReceitaCompany) {
    super('empty_record', 'the record has no legal name');
    this.company = company;
  }
}

/** Returns the company if it has a name; null stays null. @throws NamelessRecord */
export function requireName(company: ReceitaCompany | null): ReceitaCompany | null {
  if (company?.legalName === '') throw new NamelessRecord(company);
  return company;
}

/** Calls a mirror. */
export async function reading(call: () => Promise<ReceitaCompany | null>): Promise<Reading> {
  try {
    const company = await call();
    return company ? { kind: 'record', company } : { kind: 'absent' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { kind: 'failed', error, nameless: error.cause instanceof NamelessRecord ? error.cause.company : null };
  }
}

/**
 * True where the second mirror is not asked: the record is complete, or the first mirror was not called, because the caller is gone or has
 * too many calls waiting.
 */
export function isFinal(first: Reading): boolean {
  if (first.kind === 'failed') return first.error.cause instanceof NoSlot || first.error.cause instanceof Cancelled;
  return first.kind === 'record' && gapsOf(first.company).length === 0;
}

/**
 * The answer of two mirrors. The first one decides unless it failed or its record has gaps; then the second one answers, if it has more and
 * does not contradict the registration that the first one states. An absence needs both.
 * @param second null where there is no second mirror
 * @throws AppError SOURCE_UNAVAILABLE where no mirror has an answer
 */
export function reconcile(first: Reading, second: Reading | null): MirroredCompany {
  switch (first.kind) {
    case 'record':
      return completed(first.company, second);
    case 'absent':
      if (second === null || second.kind === 'absent') return { company: null, mirror: null };
      if (second.kind === 'failed') throw second.error;
      return alone(second.company, 'opencnpj');
    case 'failed':
      return standIn(first, second);
  }
}

/** A record of the first mirror, or that of the second one where it has what the first one lacks. Without a second mirror it stands as it is. */
function completed(company: ReceitaCompany, second: Reading | null): FoundCompany {
  if (second === null) return { company, mirror: 'minha_receita' };
  const other = second?.kind === 'record' && second.company.registration === company.registration ? second.company : null;
  if (!other) return alone(company, 'minha_receita');
  return lacksLess(other, company) ? { company: other, mirror: 'opencnpj' } : { company, mirror: 'minha_receita' };
}

/** True where `one` has a gap less than `other`, and no heavier one. */
function lacksLess(one: ReceitaCompany, other: ReceitaCompany): boolean {
  const [gaps, otherGaps] = [gapsOf(one), gapsOf(other)];
  const heaviest = GAPS.find((gap) => gaps.includes(gap) !== otherGaps.includes(gap));
  return heaviest !== undefined && otherGaps.includes(heaviest);
}

/** A record that no other one confirms: an empty list of partners, or of partners without names, is unknown, if the nature of the company is one that has some. */
const alone = (company: ReceitaCompany, mirror: Mirror): FoundCompany => ({
  company: gapsOf(company).includes('partners') && recordsPartners(company.nature) ? { ...company, partners: null } : company,
  mirror,
});

/** The answer in place of a first mirror that failed. Of two records without a name, one is the answer. */
function standIn({ error, nameless }: Extract<Reading, { kind: 'failed' }>, second: Reading | null): MirroredCompany {
  const other = second?.kind === 'record' ? second.company : second?.kind === 'failed' ? second.nameless : null;
  if (!other || (other.legalName === '' && !nameless)) throw error;
  if (nameless && nameless.registration !== other.registration)
    throw sourceUnavailable('receita_federal', 'the mirrors differ about the registration');
  if (!nameless || other.legalName !== '') return alone(other, 'opencnpj');
  const { company, mirror } = completed(nameless, { kind: 'record', company: other });
  return alone(company, mirror); // neither of two such records confirms that there are no partners
}
