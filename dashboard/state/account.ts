import type { KeyRole } from '../api/operations.ts';

/** The key of the dashboard, as the server describes it. */
export interface Account {
  /** Id of the key. */
  readonly id: string;
  /** Name of the key. */
  readonly name: string;
  readonly modules: readonly string[];
  readonly role: KeyRole;
  /** True if decisions of the account take effect when a second person approves them. */
  readonly needsApproval: boolean;
  /** The person who signed in; null for the key itself, undefined before the sign-in was read. */
  readonly person?: { readonly name: string } | null;
}

/** A key that decided about a candidate. */
export interface Person {
  readonly keyId: string;
  readonly name: string;
}

const personOf = ({ name }: Pick<Person, 'name'>): string => name.normalize('NFKC').trim().toLowerCase();

/**
 * True if the account belongs to the person who decided: the same name in any letter case, or the same key. Two people who signed in act
 * through one key, so the name alone counts for them; the server knows their ids.
 */
export function isOf(decider: Person, { id, name, person }: Account): boolean {
  if (personOf(decider) === personOf(person ?? { name })) return true;
  return !person && decider.keyId === id;
}
