import type { ServiceDeps } from '../../../service.ts';
import { receitaFederal } from '../../../sources/receita-federal/receita-federal.ts';
import { makeChangedDue } from '../store/registry-extracts.ts';

/** The extracts of the own copy of the Brazilian registry, whose differences say which companies are to be checked. */
export interface RegistryExtracts {
  /**
   * After an import, makes the watched companies due that changed between the extracts. The checks report the changes, so a change is
   * reported once, also if a regular check detects it first. Without an own copy it does nothing.
   */
  makeChangedDue(): Promise<void>;
}

export function createRegistryExtracts({ db, use, now, log }: Pick<ServiceDeps, 'db' | 'use' | 'now' | 'log'>): RegistryExtracts {
  let joined: string | null = null;
  return {
    async makeChangedDue() {
      const { mode, copy } = use(receitaFederal);
      const version = mode === 'live' ? null : copy.version();
      if (version === null || version === joined) return;
      const companies = await makeChangedDue(db, version, now());
      joined = version;
      if (companies > 0) log.info({ companies }, 'watched companies that changed between two extracts are due');
    },
  };
}
