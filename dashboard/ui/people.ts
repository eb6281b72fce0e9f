import type { Dismissal } from '../api/operations.ts';
import type { Texts } from '../texts/texts.ts';

/** Returns who made a decision, and who approved it. */
export function peopleOf({ decidedBy, approvedBy }: Pick<Dismissal, 'decidedBy' | 'approvedBy'>, texts: Texts): string {
  const by = texts('decisions.by', { name: decidedBy.name });
  return approvedBy ? `${by}, ${texts('decisions.approvedBy', { name: approvedBy.name })}` : by;
}
