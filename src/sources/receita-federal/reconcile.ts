import type { Mirror } from '../../domain/catalogue.ts';
import { AppError, sourceUnavailable } from '../../domain/errors.ts';
import { NoSlot } from '../../scheduling/fair-slots.ts';
import { Cancelled } from '../http/call-context.ts';
import { HttpFailure } from '../http/failure.ts';
import { GAPS, type Gap, gapsOf, isActive, type ReceitaCompany } from './company.ts';

/** Answer of one mirror about a company. `failed` may have a record without a name, which is not an answer by itself. */
export type Reading =
  | { readonly kind: 'record'; readonly company: ReceitaCompany }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly error: AppError; readonly nameless: ReceitaCompany | null };

/** An answer of the registry, and its mirror; null for an absence, which both must report. */
export interface MirroredCompany {
  readonly company: ReceitaCompany | null;
  readonly mirror: Mirror | null;
  /** True if the second mirror answers because the first one failed. */
  readonly standsIn?: true;
}

/** A company that a mirror has. */
interface FoundCompany extends MirroredCompany {
  readonly company: ReceitaCompany;
  readonly mirror: Mirror;
}

/** Failure for a record without a name. After many of them the circuit breaker of the mirror opens. */
class NamelessRecord extends HttpFailure {
  readonly #company: ReceitaCompany;
  constructor(company: ReceitaCompany) {
    super('empty_record', 'the record has no legal name');
    this.#company = company;
  }

  /** The record. It is no field of the error, because the log prints those, and the record names people. */
  get company(): ReceitaCompany {
    return this.#company;
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
 * True if the second mirror is not called, because the record is complete, or the first mirror was not called: the caller is gone or has
 * too many calls waiting.
 */
export function isFinal(first: Reading): boolean {
  if (first.kind === 'failed') return first.error.cause instanceof NoSlot || first.error.cause instanceof Cancelled;
  return first.kind === 'record' && gapsOf(first.company).length === 0;
}

/**
 * Combines the answers of two mirrors. The first one is used unless it failed or its record has gaps; then the second one is used, if it
 * has fewer gaps and states the same registration. An absence needs both.
 * @param second null without a second mirror
 * @throws AppError SOURCE_UNAVAILABLE if no mirror has an answer, or they contradict each other
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

/**
 * The gap that may concern the status: the registry has the main activity and the status of an establishment in the same row. Partners and
 * legal names are in other files, and characters are lost in texts only.
 */
const GAP_OF_STATUS: Gap = 'activity';

/**
 * Returns the record of the first mirror, or that of the second one if it fills gaps of the first one. Without a second mirror the first
 * record is used as it is. If the mirrors state other registrations, the first one is used, as it is for a record without gaps, which is
 * compared with none. A record with a gap of the status does not stand against one that contradicts it, because its row may be damaged.
 * @throws AppError SOURCE_UNAVAILABLE if the first record has such a gap and only one of the mirrors calls the company active
 */
function completed(company: ReceitaCompany, second: Reading | null): FoundCompany {
  if (second === null) return { company, mirror: 'minha_receita' };
  if (second.kind !== 'record') return alone(company, 'minha_receita');
  const other = second.company;
  if (other.registration !== company.registration) {
    const isDoubtful = gapsOf(company).includes(GAP_OF_STATUS);
    if (isDoubtful && isActive(other.registration) !== isActive(company.registration)) throw differ();
    return alone(company, 'minha_receita');
  }
  return lacksLess(other, company) ? { company: other, mirror: 'opencnpj' } : { company, mirror: 'minha_receita' };
}

/** True if `one` has fewer gaps than `other`, and no more severe one. */
function lacksLess(one: ReceitaCompany, other: ReceitaCompany): boolean {
  const [gaps, otherGaps] = [gapsOf(one), gapsOf(other)];
  const heaviest = GAPS.find((gap) => gaps.includes(gap) !== otherGaps.includes(gap));
  return heaviest !== undefined && otherGaps.includes(heaviest);
}

/**
 * Returns a record that no other one confirms. An empty list of partners, or of partners without names, becomes unknown if companies of
 * its legal nature have partners, or the nature is not stated.
 */
const alone = (company: ReceitaCompany, mirror: Mirror): FoundCompany => ({
  company: gapsOf(company).includes('partners') ? { ...company, partners: null } : company,
  mirror,
});

const differ = (): AppError => sourceUnavailable('receita_federal', 'the mirrors differ about the registration');

/** Returns the answer that replaces a failed first mirror. If both have a record without a name, one of them is the answer. */
function standIn({ error, nameless }: Extract<Reading, { kind: 'failed' }>, second: Reading | null): MirroredCompany {
  const other = second?.kind === 'record' ? second.company : second?.kind === 'failed' ? second.nameless : null;
  if (!other || (other.legalName === '' && !nameless)) throw error;
  if (nameless && nameless.registration !== other.registration) throw differ();
  if (!nameless || other.legalName !== '') return { ...alone(other, 'opencnpj'), standsIn: true };
  const { company, mirror } = completed(nameless, { kind: 'record', company: other });
  return alone(company, mirror); // two such records do not confirm that there are no partners
}
