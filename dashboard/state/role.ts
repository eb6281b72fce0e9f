import type { KeyRole } from '../api/operations.ts';
import type { Dashboard } from './dashboard.ts';
import { useStore } from './store.ts';

const ORDER: readonly KeyRole[] = ['READ', 'DECIDE', 'ADMINISTER'];

/** True if the key has this role or one that includes it. Before the key was checked it is false. */
export const useMay = ({ store }: Pick<Dashboard, 'store'>, needed: KeyRole): boolean =>
  useStore(store, ({ account }) => account !== null && ORDER.indexOf(account.role) >= ORDER.indexOf(needed));
