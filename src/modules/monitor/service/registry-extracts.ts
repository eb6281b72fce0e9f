import type { ServiceDeps } from '../../../service.ts';
import { clOwnership } from '../../../sources/cl-ownership/source.ts';
import { receitaFederal } from '../../../sources/receita-federal/receita-federal.ts';
import { COMPARED_COUNTRIES, type ComparedCountry, makeChangedDue } from '../store/registry-extracts.ts';

/** The versions of copied registries, whose differences say which companies are to be checked. */
export interface RegistryExtracts {
  /**
   * After an import, makes the watched companies due that changed between the versions. The checks report the changes, so a change is
   * reported once, also if a regular check detects it first. Without an own copy it does nothing.
   */
  makeChangedDue(): Promise<void>;
}

export function createRegistryExtracts({ db, use, now, log }: Pick<ServiceDeps, 'db' | 'use' | 'now' | 'log'>): RegistryExtracts {
  const joined = new Map<ComparedCountry, string>();

  function versionOf(country: ComparedCountry): string | null {
    if (country === 'CL') return use(clOwnership).version();
    const { mode, copy } = use(receitaFederal);
    return mode === 'live' ? null : copy.version();
  }

  return {
    async makeChangedDue() {
      for (const country of COMPARED_COUNTRIES) {
        const version = versionOf(country);
        if (version === null || version === joined.get(country)) continue;
        const companies = await makeChangedDue(db, country, version, now());
        joined.set(country, version);
        if (companies > 0)
          log.info({ country, companies }, 'watched companies that changed between two versions of their registry are due');
      }
    },
  };
}
