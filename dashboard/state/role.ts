import { createContext, useContext } from 'react';
import type { KeyRole } from '../api/operations.ts';
import { type Account, isOf, type Person } from './account.ts';

/** The account of the key; null before it was checked. */
export const AccountContext = createContext<Account | null>(null);

const ORDER: readonly KeyRole[] = ['READ', 'DECIDE', 'ADMINISTER'];

/** True if the key has this role or one that includes it. Before the key was checked it is false. */
export function useMay(needed: KeyRole): boolean {
  const account = useContext(AccountContext);
  return account !== null && ORDER.indexOf(account.role) >= ORDER.indexOf(needed);
}

/** Returns a function that tells whether the key may approve what a person decided: it may decide, and belongs to another person. */
export function useMayApprove(): (decider: Person) => boolean {
  const account = useContext(AccountContext);
  const mayDecide = useMay('DECIDE');
  return (decider) => mayDecide && account !== null && !isOf(decider, account);
}
