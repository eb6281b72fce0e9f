import type { LookupRow } from './store/import-store.ts';

/**
 * Names of codes that occur in the registry's files and are missing in its own tables. A name of the registry's table wins. A code that is
 * in neither has no name; its number is stored.
 */
export const SUPPLEMENT: readonly LookupRow[] = [
  { kind: 'role', code: 36, name: 'Gerente-Delegado', source: 'Receita Federal, qualificacao-socio.csv' },
];
