import { createContext, useContext } from 'react';
import type { KeyRole } from '../api/operations.ts';

/** The role of the key; null before it was checked. */
export const RoleContext = createContext<KeyRole | null>(null);

const ORDER: readonly KeyRole[] = ['READ', 'DECIDE', 'ADMINISTER'];

/** True if the key has this role or one that includes it. Before the key was checked it is false. */
export function useMay(needed: KeyRole): boolean {
  const role = useContext(RoleContext);
  return role !== null && ORDER.indexOf(role) >= ORDER.indexOf(needed);
}
