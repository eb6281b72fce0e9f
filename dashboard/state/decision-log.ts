import type { Candidate, Confirmation, Dismissal, WaitingDecision } from '../api/operations.ts';

/** The decision in force about a candidate: a dismissal, a confirmation, or none. */
interface InForce {
  readonly dismissal: Dismissal | null;
  readonly confirmation: Confirmation | null;
}

/** The decision about a candidate that waits for a second person; null for none. */
interface Waiting {
  readonly waitingDecision: WaitingDecision | null;
}

/** A decision of the account about a candidate. A waiting decision does not change what is in force. */
export type Decision = (InForce & Partial<Waiting>) | Waiting;

/** True for a decision that changes what is in force, and not only what waits for a second person. */
export const isInForce = (decision: Decision): decision is InForce & Partial<Waiting> => 'dismissal' in decision;

export const UNDECIDED: Decision = { dismissal: null, confirmation: null, waitingDecision: null };

export function asDismissed(dismissal: Dismissal): Decision {
  const { id, reason, dismissedAt: decidedAt, decidedBy, isWaiting } = dismissal;
  if (isWaiting) return { waitingDecision: { id, outcome: 'DISMISSED', reason, decidedAt, decidedBy } };
  return { dismissal, confirmation: null, waitingDecision: null };
}

export function asConfirmed(confirmation: Confirmation): Decision {
  const { id, reason, confirmedAt: decidedAt, decidedBy, isWaiting } = confirmation;
  if (isWaiting) return { waitingDecision: { id, outcome: 'CONFIRMED', reason, decidedAt, decidedBy } };
  return { dismissal: null, confirmation, waitingDecision: null };
}

/** The parts of a decision. They are learned apart, so neither removes the other. */
const PARTS = ['dismissal', 'confirmation', 'waitingDecision'] as const;
type Part = (typeof PARTS)[number];

/** Values of the parts of a decision that are known. */
export type KnownParts = Partial<Pick<Candidate, Part>>;

/** A value of a part, and the moment (epoch ms of this browser) for which it is known. */
interface Learned {
  readonly value: Candidate[Part];
  readonly at: number;
}

/**
 * Decisions that the page learned apart from the answers with the candidates, by `candidateKey`: by its own decisions, and by lists
 * of decisions. An answer that was asked for earlier is older than it, whenever it arrives.
 */
export type DecisionLog = ReadonlyMap<string, Readonly<Partial<Record<Part, Learned>>>>;

export const candidateKey = (
  { country, identifier }: { readonly country: string; readonly identifier: string },
  { list, entityId }: Pick<Candidate, 'list' | 'entityId'>,
): string => `${country}/${identifier} ${list} ${entityId}`;

/** Returns the parts of a decision that are newer than what is known. @param at epoch ms for which the decision is known */
export function newerParts(log: DecisionLog, key: string, decision: Decision, at: number): KnownParts {
  const known = log.get(key);
  const given: KnownParts = decision;
  return Object.fromEntries(
    PARTS.flatMap((part) =>
      given[part] === undefined || (known?.[part]?.at ?? Number.NEGATIVE_INFINITY) > at ? [] : [[part, given[part]]],
    ),
  );
}

/** Returns the log with the parts of a decision. @param at epoch ms for which they are known */
export function withLearned(log: DecisionLog, key: string, parts: KnownParts, at: number): DecisionLog {
  const learned = Object.fromEntries(Object.entries(parts).map(([part, value]) => [part, { value, at }]));
  return new Map(log).set(key, { ...log.get(key), ...learned });
}

/** Returns the parts that are newer than an answer. @param askedAt epoch ms at which the answer was asked for */
export function partsSince(log: DecisionLog, key: string, askedAt: number): KnownParts {
  const known = log.get(key);
  return Object.fromEntries(
    PARTS.flatMap((part) => {
      const learned = known?.[part];
      return learned && learned.at >= askedAt ? [[part, learned.value]] : [];
    }),
  );
}
