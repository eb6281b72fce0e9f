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
}

/** A key that decided about a candidate. */
export interface Person {
  readonly keyId: string;
  readonly name: string;
}

const personOf = ({ name }: Person): string => name.normalize('NFKC').trim().toLowerCase();

/** True for keys of one person, by the rule of the server: the same key, or keys of one name in any letter case. */
export const isSamePerson = (a: Person, b: Person): boolean => a.keyId === b.keyId || personOf(a) === personOf(b);
